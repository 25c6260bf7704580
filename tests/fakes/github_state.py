"""What the fake GitHub knows. Repositories are real bare ones; everything git can answer is asked of git."""

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from tests.fakes.github_contract import MOMENT
from tests.fakes.repositories import git

READ_AND_WRITE = {
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "actions": "read",
    "checks": "write",
    "metadata": "read",
}


@dataclass(frozen=True)
class User:
    login: str
    id: int
    type: str = "User"

    def wire(self) -> dict[str, Any]:
        return {"login": self.login, "id": self.id, "type": self.type, "site_admin": False}


@dataclass
class Token:
    """Who a token acts as, and what it may. An installation token cannot read /user."""

    user: User
    permissions: dict[str, str] = field(default_factory=lambda: dict(READ_AND_WRITE))
    installation: bool = True

    def may(self, name: str, level: str) -> bool:
        have = self.permissions.get(name, "none")
        return have == "write" or (have == "read" and level == "read")


@dataclass
class Repo:
    id: int
    full_name: str
    path: Path
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    fork: bool = False
    protected: dict[str, str] = field(default_factory=dict)
    """Branch -> what GitHub says when an API commit to it is refused; "" is protected, yet open to us."""
    alter: Callable[[bytes], bytes] = lambda content: content
    """What becomes of a file in a commit made through the API: a server that keeps to its word changes nothing."""

    @property
    def owner(self) -> str:
        return self.full_name.split("/")[0]

    @property
    def name(self) -> str:
        return self.full_name.split("/")[1]

    def head(self, branch: str) -> str | None:
        found = git(self.path, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}").decode().strip()
        return found or None

    def wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "full_name": self.full_name,
            "name": self.name,
            "owner": {"login": self.owner, "id": self.id + 1000, "type": "Organization", "site_admin": False},
            "default_branch": self.default_branch,
            "private": self.private,
            "archived": self.archived,
            "fork": self.fork,
        }

    def refuse_pushes(self, *lines: str) -> None:
        """A pre-receive hook that says what GitHub says, and no."""
        hook = self.path / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        spoken = "".join(f"printf '%s\\n' '{line}' >&2\n" for line in lines)
        hook.write_text(f"#!/bin/sh\ncat >/dev/null\n{spoken}exit 1\n", encoding="utf-8")
        hook.chmod(0o755)


@dataclass
class PullState:
    number: int
    title: str
    body: str
    author: User
    base: Repo
    base_branch: str
    head: Repo | None
    head_branch: str
    head_owner: str
    open: bool = True
    draft: bool = False
    maintainer_can_modify: bool = False
    body_edited_at: str | None = None
    title_edited_at: str | None = None
    last_head: str = ""

    @property
    def head_sha(self) -> str:
        """The branch's commit while the pull request is open; what it was after that."""
        now = self.head.head(self.head_branch) if self.open and self.head is not None else None
        self.last_head = now or self.last_head
        return self.last_head

    @property
    def base_sha(self) -> str:
        found = self.base.head(self.base_branch)
        assert found is not None, self.base_branch
        return found


@dataclass
class State:
    """Everything of one server, filled by tests through the methods and read by the routes."""

    root: Path
    address: str = ""
    storage: str = ""
    git_url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    permissions: dict[str, str] = field(default_factory=dict)
    pulls: dict[tuple[str, int], PullState] = field(default_factory=dict)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    reactions: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    reviews: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    check_runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    runs: dict[int, dict[str, Any]] = field(default_factory=dict)
    jobs: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    logs: dict[int, bytes] = field(default_factory=dict)
    artifacts: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    zips: dict[int, bytes] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: count(1001))

    def user(self, login: str) -> User:
        if login not in self.users:
            kind = "Bot" if login.endswith("[bot]") else "User"
            self.users[login] = User(login, next(self.ids), kind)
        return self.users[login]

    def add_token(self, token: str, login: str = "github-actions[bot]", **permissions: str) -> Token:
        made = Token(self.user(login), {**READ_AND_WRITE, **permissions}, installation=login.endswith("[bot]"))
        self.tokens[token] = made
        return made

    def add_repo(self, full_name: str, *, fork_of: Repo | None = None) -> Repo:
        path = self.root / f"{full_name}.git"
        path.mkdir(parents=True)
        if fork_of is None:
            git(path, "init", "-q", "--bare", "-b", "main")
        else:
            git(path, "clone", "-q", "--bare", str(fork_of.path), ".")
        self.repos[full_name] = Repo(next(self.ids), full_name, path, fork=fork_of is not None)
        return self.repos[full_name]

    def commit(
        self,
        repo: Repo,
        branch: str,
        files: dict[str, bytes | str | None],
        message: str = "Change",
        *,
        author: tuple[str, str] = ("Ada", "ada@example.org"),
        start: str | None = None,
    ) -> str:
        """A commit on a branch, which is made at `start` (a branch or commit) where it is new."""
        parent = repo.head(branch)
        if parent is None and start is not None:
            parent = git(repo.path, "rev-parse", start).decode().strip()
        index = {"GIT_INDEX_FILE": str(repo.path / "fake-index")}
        git(repo.path, "read-tree", parent or "--empty", **index)
        records = [f"{self._record(repo, content)}\t{path}\0" for path, content in files.items()]
        git(repo.path, "update-index", "-z", "--index-info", stdin="".join(records).encode(), **index)
        tree = git(repo.path, "write-tree", **index).decode().strip()
        who = {"GIT_AUTHOR_NAME": author[0], "GIT_AUTHOR_EMAIL": author[1]}
        parents = ("-p", parent) if parent else ()
        commit = git(repo.path, "commit-tree", *parents, tree, stdin=message.encode(), **who).decode().strip()
        git(repo.path, "update-ref", f"refs/heads/{branch}", commit)
        return commit

    @staticmethod
    def _record(repo: Repo, content: bytes | str | None) -> str:
        if content is None:
            return f"0 {'0' * 40}"
        data = content.encode() if isinstance(content, str) else content
        return f"100644 {git(repo.path, 'hash-object', '-w', '--stdin', stdin=data).decode().strip()}"

    def add_pull(
        self,
        base: Repo,
        head_branch: str,
        *,
        number: int | None = None,
        head: Repo | None = None,
        base_branch: str = "main",
        author: str = "ada",
        title: str = "Change things",
        body: str = "",
        draft: bool = False,
    ) -> PullState:
        repo = head or base
        pull = PullState(
            number or len(self.pulls) + 1,
            title,
            body,
            self.user(author),
            base,
            base_branch,
            repo,
            head_branch,
            repo.owner,
            draft=draft,
        )
        self.pulls[base.full_name, pull.number] = pull
        self.sync_pulls()
        return pull

    def sync_pulls(self) -> None:
        """`refs/pull/N/head` follows the head branch, also a fork's."""
        for pull in list(self.pulls.values()):
            sha = pull.head_sha
            ref = f"refs/pull/{pull.number}/head"
            have = git(pull.base.path, "for-each-ref", "--format=%(objectname)", ref).decode().strip()
            if have == sha or not sha:
                continue
            if pull.head is not None and pull.head is not pull.base:
                git(pull.base.path, "fetch", "-q", "--no-tags", str(pull.head.path), f"+{sha}:{ref}")
            else:
                git(pull.base.path, "update-ref", ref, sha)

    def add_comment(self, repo: Repo, number: int, login: str, body: str, at: str = MOMENT) -> dict[str, Any]:
        id_ = next(self.ids)
        comment = {
            "id": id_,
            "user": self.user(login).wire(),
            "body": body,
            "created_at": at,
            "updated_at": at,
            "html_url": f"{self.address}/{repo.full_name}/pull/{number}#issuecomment-{id_}",
            "issue_url": f"{self.address}/repos/{repo.full_name}/issues/{number}",
            "url": f"{self.address}/repos/{repo.full_name}/issues/comments/{id_}",
            "author_association": "NONE",
        }
        self.comments[id_] = comment
        return comment

    def add_run(
        self,
        repo: Repo,
        head: str,
        *,
        branch: str = "feature",
        head_repository: Repo | None = None,
        conclusion: str = "failure",
        event: str = "pull_request",
        actor: str = "ada",
        triggering_actor: str | None = None,
        attempt: int = 1,
    ) -> dict[str, Any]:
        id_ = next(self.ids)
        run = {
            "id": id_,
            "name": "ci",
            "display_title": "ci",
            "path": ".github/workflows/ci.yml",
            "event": event,
            "status": "completed",
            "conclusion": conclusion,
            "head_sha": head,
            "head_branch": branch,
            "run_attempt": attempt,
            "run_number": id_,
            "workflow_id": 1,
            "check_suite_id": next(self.ids),
            "actor": self.user(actor).wire(),
            "triggering_actor": self.user(triggering_actor or actor).wire(),
            "head_repository": (head_repository or repo).wire(),
            "repository": repo.wire(),
            "pull_requests": [],
            "html_url": f"{self.address}/{repo.full_name}/actions/runs/{id_}",
        }
        self.runs[id_] = run
        self.jobs[id_] = []
        self.artifacts[id_] = []
        return run

    def add_job(
        self,
        run: dict[str, Any],
        name: str,
        *,
        conclusion: str | None = "failure",
        steps: tuple[tuple[str, str], ...] = (("Run pytest", "failure"),),
        log: bytes | None = None,
        attempt: int = 1,
    ) -> dict[str, Any]:
        id_ = next(self.ids)
        job = {
            "id": id_,
            "run_id": run["id"],
            "name": name,
            "head_sha": run["head_sha"],
            "head_branch": run["head_branch"],
            "workflow_name": run["name"],
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "run_attempt": attempt,
            "started_at": MOMENT,
            "html_url": f"{run['html_url']}/job/{id_}",
            "steps": [
                {
                    "name": step,
                    "status": "completed",
                    "conclusion": ended,
                    "number": at,
                    "started_at": MOMENT,
                    "completed_at": MOMENT,
                }
                for at, (step, ended) in enumerate(steps, 1)
            ],
        }
        self.jobs[run["id"]].append(job)
        if log is not None:
            self.logs[id_] = log
        return job

    def add_artifact(self, run: dict[str, Any], name: str, content: bytes, *, expired: bool = False) -> dict[str, Any]:
        id_ = next(self.ids)
        where = f"{self.address}/repos/{run['repository']['full_name']}/actions/artifacts/{id_}"
        artifact = {
            "id": id_,
            "name": name,
            "size_in_bytes": len(content),
            "expired": expired,
            "url": where,
            "archive_download_url": f"{where}/zip",
        }
        self.artifacts[run["id"]].append(artifact)
        self.zips[id_] = content
        return artifact

    def add_check(self, head: str, name: str, conclusion: str | None, app: str = "github-actions") -> dict[str, Any]:
        id_ = next(self.ids)
        check = {
            "id": id_,
            "name": name,
            "head_sha": head,
            "status": "completed" if conclusion else "in_progress",
            "conclusion": conclusion,
            "app": {"slug": app, "id": 15368, "name": app, "owner": self.user("github").wire()},
            "html_url": f"{self.address}/checks/{id_}",
            "output": {"annotations_count": 0},
        }
        self.check_runs[id_] = check
        return check


def decoded(content: str, encoding: str = "base64") -> bytes:
    return base64.b64decode(content) if encoding == "base64" else content.encode()
