"""`ports.github.Conversation`: comments, reactions, reviews and annotations."""

from collections.abc import Sequence

from autofix.ports.github import Annotation, Comment, Reaction, ReviewComment
from autofix.world import github_values as values
from autofix.world.github_pulls import Endpoints

_ANNOTATIONS_A_CALL = 50
"""https://docs.github.com/rest/checks/runs#update-a-check-run: more go in later calls, which append."""


class ConversationEndpoints(Endpoints):
    def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple(values.comment(one) for one in self._rest.pages(self._at("issues", number, "comments")))

    def comment(self, comment_id: int) -> Comment:
        return values.comment(self._rest.get(self._at("issues", "comments", comment_id)))

    def create_comment(self, number: int, body: str) -> Comment:
        return values.comment(self._rest.send("POST", self._at("issues", number, "comments"), {"body": body}))

    def update_comment(self, comment_id: int, body: str) -> Comment:
        where = self._at("issues", "comments", comment_id)
        return values.comment(self._rest.send("PATCH", where, {"body": body}, repeatable=True))

    def react(self, comment_id: int, reaction: Reaction) -> None:
        where = self._at("issues", "comments", comment_id, "reactions")
        self._rest.send("POST", where, {"content": reaction}, repeatable=True)  # the same reaction twice is one

    def review(self, number: int, head: str, body: str, comments: Sequence[ReviewComment]) -> str:
        wire = {
            "commit_id": head,
            "body": body,
            "event": "COMMENT",
            "comments": [_review_comment(comment) for comment in comments],
        }
        return self._rest.send("POST", self._at("pulls", number, "reviews"), wire).text("html_url")

    def annotate(self, head: str, name: str, summary: str, annotations: Sequence[Annotation]) -> str:
        wire = [_annotation(one) for one in annotations]
        first, later = wire[:_ANNOTATIONS_A_CALL], wire[_ANNOTATIONS_A_CALL:]
        output = {"title": name, "summary": summary}
        made = self._rest.send(
            "POST",
            self._at("check-runs"),
            {
                "name": name,
                "head_sha": head,
                "status": "completed",
                "conclusion": "neutral",
                "output": {**output, "annotations": first},
            },
        )
        for at in range(0, len(later), _ANNOTATIONS_A_CALL):
            some = later[at : at + _ANNOTATIONS_A_CALL]
            where = self._at("check-runs", made.number("id"))
            self._rest.send("PATCH", where, {"output": {**output, "annotations": some}})
        return made.maybe_text("html_url") or ""


def _review_comment(comment: ReviewComment) -> dict[str, object]:
    wire: dict[str, object] = {
        "path": comment.path,
        "line": comment.line,
        "side": "RIGHT",
        "body": comment.body,
    }
    if comment.start_line != comment.line:
        wire |= {"start_line": comment.start_line, "start_side": "RIGHT"}
    return wire


def _annotation(one: Annotation) -> dict[str, object]:
    wire: dict[str, object] = {
        "path": one.path,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "annotation_level": one.level,
        "message": one.message,
    }
    return {**wire, "title": one.title} if one.title else wire
