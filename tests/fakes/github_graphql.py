"""The fake GitHub's GraphQL: really executed by graphql-core against the slice of GitHub's own schema."""

from typing import Any

from graphql import GraphQLError, graphql_sync

from tests.fakes.github_contract import graphql_schema
from tests.fakes.github_state import PullState, State, Token, decoded


class _Root:
    """Resolvers, by the schema's names."""

    def __init__(self, state: State, token: Token) -> None:
        self._state = state
        self._token = token

    def viewer(self, _info: Any) -> Any:
        return {"login": self._token.user.login}

    def repository(self, _info: Any, owner: str, name: str, **_: Any) -> Any:
        full_name = f"{owner}/{name}"
        if full_name not in self._state.repos:
            raise GraphQLError("Could not resolve to a Repository", extensions={"type": "NOT_FOUND"})

        def pull(_info: Any, number: int) -> Any:
            found = self._state.pulls.get((full_name, number))
            if found is None:
                raise GraphQLError("Could not resolve to a PullRequest", extensions={"type": "NOT_FOUND"})
            return _pull(found)

        return {"pullRequest": pull}

    def createCommitOnBranch(self, _info: Any, input: dict[str, Any]) -> Any:  # noqa: N802, A002 - the schema's names
        if not self._token.may("contents", "write"):
            raise GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})
        branch = input["branch"]
        repo = self._state.repos[branch["repositoryNameWithOwner"]]
        name = branch["branchName"]
        head = repo.head(name)
        if head is None:
            raise GraphQLError(f"No branch {name}", extensions={"type": "NOT_FOUND"})
        if head != input["expectedHeadOid"]:
            said = f'Expected branch to point to "{input["expectedHeadOid"]}" but it did not. Pull and try again.'
            raise GraphQLError(said, extensions={"type": "STALE_DATA"})
        if refusal := repo.protected.get(name):
            raise GraphQLError(refusal, extensions={"type": "UNPROCESSABLE"})
        changes = input.get("fileChanges") or {}
        files: dict[str, bytes | str | None] = {
            one["path"]: repo.alter(decoded(one["contents"])) for one in changes.get("additions") or []
        }
        files |= {one["path"]: None for one in changes.get("deletions") or []}
        message = f"{input['message']['headline']}\n\n{input['message'].get('body') or ''}".rstrip() + "\n"
        who = (self._token.user.login, f"{self._token.user.id}+{self._token.user.login}@users.noreply.github.com")
        commit = self._state.commit(repo, name, files, message, author=who)
        self._state.sync_pulls()
        return {"commit": {"oid": commit}}


def _pull(pull: PullState) -> dict[str, Any]:
    def timeline(_info: Any, **_: Any) -> Any:
        renamed = [{"__typename": "RenamedTitleEvent", "createdAt": pull.title_edited_at}]
        return {"nodes": renamed if pull.title_edited_at else []}

    return {"lastEditedAt": pull.body_edited_at, "timelineItems": timeline}


def answer(state: State, token: Token, body: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """GitHub's answer (200 also for errors), and how the query breaks the schema."""
    root = _Root(state, token)
    result = graphql_sync(graphql_schema(), body["query"], root, variable_values=body.get("variables") or {})
    out: dict[str, Any] = {"data": result.data}
    broken = []
    for error in result.errors or []:
        if error.path is None:
            broken.append(error.message)
        kind = (error.extensions or {}).get("type")
        out.setdefault("errors", []).append({"message": error.message, **({"type": kind} if kind else {})})
    return out, broken
