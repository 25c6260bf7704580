"""Git's door: the harness's own repository, which no sandbox ever sees.

Only plumbing, only by object names. Nothing here runs a hook, a filter, a diff driver or a signing program.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol


class ChangeKind(Enum):
    """How a path differs between two commits, in git's letters."""

    ADDED = "A"
    COPIED = "C"
    DELETED = "D"
    MODIFIED = "M"
    RENAMED = "R"
    TYPE_CHANGED = "T"


class EntryType(Enum):
    """What a tree entry is, by its mode."""

    FILE = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"


@dataclass(frozen=True, slots=True)
class Change:
    """One path of `git diff --raw -z`. Paths are str decoded with surrogateescape: git's bytes, whatever they are.

    Attributes:
        old_path: the name before a rename or copy, else None.
        old_type, new_type: None where the path does not exist on that side.
    """

    kind: ChangeKind
    path: str
    old_path: str | None
    old_type: EntryType | None
    new_type: EntryType | None
    old_blob: str | None
    new_blob: str | None


@dataclass(frozen=True, slots=True)
class TreeEntry:
    path: str
    type: EntryType
    blob: str


@dataclass(frozen=True, slots=True)
class CommitText:
    """Who and what a commit says. Built from templates only: no untrusted text (G23)."""

    subject: str
    body: str
    author_name: str
    author_email: str


class Git(Protocol):
    """The harness's repository of one run. Every method raises GitError with one clear line on failure."""

    def resolve(self, ref: str) -> str:
        """The commit id a ref, branch or abbreviated id of the source names."""
        ...

    def branch_of(self, ref: str) -> str | None:
        """The branch (without refs/heads/) that `ref` names in the source; HEAD: the checked-out one; else None."""
        ...

    def merge_base(self, one: str, other: str) -> str | None: ...

    def tree_of(self, commit: str) -> str:
        """The id of a commit's tree: the same for the same contents, whatever led to them."""
        ...

    def changes(self, base: str, head: str) -> tuple[Change, ...]:
        """Paths that differ, renames and copies detected."""
        ...

    def diff(self, base: str, head: str, paths: Sequence[str], limit: int, *, binary: bool = False) -> bytes:
        """Unified diff of `paths` alone, at most `limit` bytes; with `binary`, one that `git apply` takes whole."""
        ...

    def entries(self, commit: str) -> tuple[TreeEntry, ...]:
        """Every path of a commit's tree."""
        ...

    def read(self, commit: str, path: str, limit: int) -> bytes | None:
        """A file's bytes at a commit; None where there is no such regular file.

        Raises:
            GitError: it is larger than `limit`.
        """
        ...

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of many blobs, in the order asked, one at a time."""
        ...

    def commit(self, parent: str, files: Mapping[str, bytes | None], text: CommitText) -> str:
        """A commit on `parent` that differs in `files` alone (None deletes); modes stay, new files are 100644.

        Bytes enter as they are: no filter, no line-ending conversion.
        """
        ...

    def export_history(self, base: str, head: str, destination: Path, branch: str = "work") -> None:
        """Make `destination` a disposable `.git` holding the commits base..head and their trees: no remote, no hook.

        `branch` is its one local branch, at `head`.
        """
