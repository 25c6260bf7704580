"""Routes of the fake GitHub: comments, reactions, reviews."""

import re
from typing import Any

from tests.fakes.github_contract import MOMENT
from tests.fakes.github_pull_routes import _files
from tests.fakes.github_route import Ask, ProblemError, Reply, Route

BODY_LIMIT = 65_536
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def _comments(ask: Ask) -> Reply:
    issue = f"{ask.state.address}/repos/{ask.pull.base.full_name}/issues/{ask.pull.number}"
    return Reply([one for one in ask.state.comments.values() if one["issue_url"] == issue])


def _comment(ask: Ask) -> Reply:
    return Reply(ask.known(ask.state.comments, "comment_id"))


def _create_comment(ask: Ask) -> Reply:
    _fits(ask.body["body"])
    return Reply(ask.state.add_comment(ask.repo, ask.pull.number, ask.token.user.login, ask.body["body"]), 201)


def _update_comment(ask: Ask) -> Reply:
    comment = ask.known(ask.state.comments, "comment_id")
    _fits(ask.body["body"])
    comment |= {"body": ask.body["body"], "updated_at": "2026-01-02T03:05:06Z"}
    return Reply(comment)


def _delete_comment(ask: Ask) -> Reply:
    ask.known(ask.state.comments, "comment_id")
    del ask.state.comments[int(ask.params["comment_id"])]
    return Reply(status=204)


def _fits(body: str) -> None:
    if len(body) > BODY_LIMIT:
        raise ProblemError(422, "Validation Failed", [{"message": "Body is too long (maximum is 65536 characters)"}])


def _react(ask: Ask) -> Reply:
    comment = ask.known(ask.state.comments, "comment_id")
    content = ask.body["content"]
    kept = ask.state.reactions.setdefault(comment["id"], [])
    mine = next((one for one in kept if one["content"] == content and one["user"] == ask.token.user.wire()), None)
    if mine is not None:
        return Reply(mine, 200)
    kept.append({"id": next(ask.state.ids), "user": ask.token.user.wire(), "content": content, "created_at": MOMENT})
    return Reply(kept[-1], 201)


def _review(ask: Ask) -> Reply:
    """Every comment must lie on lines that GitHub's diff shows, in one hunk, else the whole review is refused."""
    shown = {file["filename"]: _ranges(file.get("patch", "")) for file in _files(ask).body}
    for comment in ask.body.get("comments", []):
        first = comment.get("start_line", comment["line"])
        if first > comment["line"] or not any(
            first in lines and comment["line"] in lines for lines in shown.get(comment["path"], [])
        ):
            raise ProblemError(422, "Unprocessable Entity", ["Line could not be resolved"])
    number = ask.pull.number
    review: dict[str, Any] = {
        "id": next(ask.state.ids),
        "user": ask.token.user.wire(),
        "body": ask.body["body"],
        "state": "COMMENTED",
        "commit_id": ask.body["commit_id"],
        "html_url": f"https://github.example/{ask.repo.full_name}/pull/{number}#pullrequestreview-1",
        "author_association": "NONE",
    }
    ask.state.reviews.setdefault(number, []).append({**review, "comments": ask.body.get("comments", [])})
    return Reply(review)


def _ranges(patch: str) -> list[range]:
    return [range(int(m[1]), int(m[1]) + int(m[2] or 1)) for m in _HUNK.finditer(patch)]


_REPO = "/repos/{owner}/{repo}"
_WRITE = ("pull_requests", "write")

ROUTES = [
    Route("GET", f"{_REPO}/issues/{{issue_number}}/comments", _comments, ("pull_requests", "read")),
    Route("POST", f"{_REPO}/issues/{{issue_number}}/comments", _create_comment, _WRITE),
    Route("GET", f"{_REPO}/issues/comments/{{comment_id}}", _comment, ("pull_requests", "read")),
    Route("PATCH", f"{_REPO}/issues/comments/{{comment_id}}", _update_comment, _WRITE),
    Route("DELETE", f"{_REPO}/issues/comments/{{comment_id}}", _delete_comment, _WRITE),
    Route("POST", f"{_REPO}/issues/comments/{{comment_id}}/reactions", _react, _WRITE),
    Route("POST", f"{_REPO}/pulls/{{pull_number}}/reviews", _review, _WRITE),
]
