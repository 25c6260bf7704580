"""The forge's door: where the pull request's branch and its comment live (a git remote and a folder, or GitHub)."""

from dataclasses import dataclass
from typing import Protocol

COMMENT_LIMIT = 65_536
"""Characters GitHub takes in a comment, on create and on update."""


@dataclass(frozen=True, slots=True)
class PushTarget:
    """The one place a run may push to, read by the harness, never chosen by the model."""

    remote: str
    branch: str


@dataclass(frozen=True, slots=True)
class PostedComment:
    """Where the comment lies: a path or a URL."""

    location: str


class Forge(Protocol):
    def target(self) -> PushTarget | None:
        """Where a fix can be pushed; None where it cannot (`why_not` says why)."""
        ...

    def why_not(self) -> str:
        """Why there is no target, in one line; "" when there is one."""
        ...

    def head(self) -> str | None:
        """The commit the pull request's branch is at now; None where it is gone."""
        ...

    def push(self, commit: str, expected: str) -> None:
        """Move the branch from `expected` to `commit`, a descendant of it: compare-and-swap, never forced.

        Raises:
            CannotPush: the branch moved (`moved`), or a rule of the remote refused.
        """

    def comment(self, body: str) -> PostedComment:
        """Write the run's one comment on this pull request, or update it in place.

        Raises:
            CannotComment: it could not be written.
        """
        ...
