"""GitHub's door: what autofix reads from and writes to one repository, as values and small Protocols.

Every text in these values is untrusted. Times are UTC. Listings are complete (every page) unless they say otherwise.
Errors, of any method:
    ForgeNotFound: there is no such thing, or the token may not see it.
    ForgeForbidden: the token may not do this.
    ForgeUnavailable: network, 5xx, or a rate limit that would take longer than we wait.
    ForgeError: any other refusal; the message carries GitHub's own words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from autofix.ports.github_checks import FailedChecks
from autofix.ports.github_names import Account, Permission, RepositoryName


@dataclass(frozen=True, slots=True)
class Repository:
    name: RepositoryName
    default_branch: str
    private: bool
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request as the API gives it now.

    Attributes:
        head_repository: None where the fork was deleted.
        merge_commit: GitHub's test merge of head into base, the commit CI ran on for `pull_request` events; or None.
        maintainer_can_modify: only a single pull request (not a listing) answers this.
    """

    number: int
    title: str
    body: str
    open: bool
    draft: bool
    author: Account
    head: str
    head_branch: str
    head_repository: RepositoryName | None
    base: str
    base_branch: str
    base_repository: RepositoryName
    merge_commit: str | None = None
    maintainer_can_modify: bool = False
    url: str = ""

    @property
    def from_fork(self) -> bool:
        return self.head_repository is None or self.head_repository.id != self.base_repository.id


@dataclass(frozen=True, slots=True)
class TextEdits:
    """When a pull request's words last changed; None for never."""

    body: datetime | None
    title: datetime | None


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file of a pull request. `patch` is None where GitHub leaves it out (binary, too large)."""

    path: str
    status: str
    previous_path: str | None
    patch: str | None


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """GitHub lists 3,000 files at most; `complete` is False where there may be more: unknown, not none."""

    files: tuple[ChangedFile, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """A commit of a pull request: enough to recognise our own. `committed_at` is what the commit claims."""

    sha: str
    message: str
    author_name: str
    author_email: str
    committed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Branch:
    name: str
    sha: str
    protected: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of the pull request's conversation."""

    id: int
    author: Account
    body: str
    created_at: datetime
    updated_at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A comment on lines of the head commit: `start_line`..`line`, or `line` alone where they are equal."""

    path: str
    start_line: int
    line: int
    body: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note on lines of a file, shown in the diff view."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A file of a commit made through the API; `content` is None for a deletion."""

    path: str
    content: bytes | None


Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


class PullRequests(Protocol):
    """Reading pull requests and the people around them."""

    def repository(self) -> Repository: ...

    def pull(self, number: int) -> Pull: ...

    def open_pulls(self, owner: str, branch: str) -> tuple[Pull, ...]:
        """Open pull requests whose head is `owner:branch`."""
        ...

    def pulls_with_commit(self, sha: str) -> tuple[Pull, ...]:
        """Pull requests, of any state, that hold a commit; for a fork's commits GitHub may know none."""
        ...

    def text_edits(self, number: int) -> TextEdits: ...

    def changed_files(self, number: int) -> ChangedFiles: ...

    def commits(self, number: int) -> tuple[CommitSummary, ...]:
        """At most 250, GitHub's limit, oldest first."""
        ...

    def branch(self, name: str, repository: str | None = None) -> Branch:
        """A branch of this repository, or of another (`owner/name`: a fork)."""
        ...

    def permission(self, login: str) -> Permission:
        """By the collaborator API; a login it does not know has none."""
        ...

    def whoami(self) -> str:
        """The login this token acts as (bots with their `[bot]`)."""
        ...


class Conversation(Protocol):
    """Comments, reviews, reactions and annotations. Ready text only: escaped, redacted, within GitHub's limits."""

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Oldest first."""
        ...

    def comment(self, comment_id: int) -> Comment: ...

    def create_comment(self, number: int, body: str) -> Comment:
        """Never repeated by the door: after ForgeUnavailable the caller looks for its marker before it tries again."""
        ...

    def update_comment(self, comment_id: int, body: str) -> Comment: ...

    def react(self, comment_id: int, reaction: Reaction) -> None: ...

    def review(self, number: int, head: str, body: str, comments: Sequence[ReviewComment]) -> str:
        """Post one review that neither approves nor requests changes; its URL.

        Raises:
            ForgeError: one line that is not in the diff refuses the whole review.
        """
        ...

    def annotate(self, head: str, name: str, summary: str, annotations: Sequence[Annotation]) -> str:
        """Report annotations as a neutral check run; its URL. Only an app's token (GITHUB_TOKEN is one) may."""
        ...


class Commits(Protocol):
    """Writing commits through the API, and pull requests of our own."""

    def commit_on_branch(self, branch: str, expected: str, subject: str, body: str, files: Sequence[FileWrite]) -> str:
        """A commit signed by GitHub on `branch`, which must be at `expected`; the new commit's id.

        Author is the token's account; every file becomes 100644 (`delivery` scans for what that would lose).

        Raises:
            CannotPush: `moved`, or a rule of the repository refused; the message is GitHub's.
        """
        ...

    def create_branch(self, name: str, sha: str) -> None: ...

    def delete_branch(self, name: str) -> None: ...

    def create_pull(self, *, title: str, body: str, head: str, base: str) -> Pull:
        """A pull request of `head` into `base`, both branches of this repository."""
        ...

    def modes(self, commit: str) -> Mapping[str, str]:
        """Path -> git mode of everything in a commit's tree that is no directory.

        Raises:
            ForgeError: the tree is too large for GitHub to list whole.
        """
        ...


class GitHub(PullRequests, FailedChecks, Conversation, Commits, Protocol):
    """All of it."""
