"""The work tree's door: files beneath one directory, never through a link, and what changed since we looked.

Paths are relative, with `/`, as git names them. Every access resolves component by component beneath the tree's
descriptor; a link on the way, an absolute path or `..` above the root is a TreeError that says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileState:
    """What `read` saw, so that a later `write` can refuse a file that changed in between."""

    content: bytes
    token: str


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """How the tree differs from the commit it was made from. Sorted paths."""

    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """Untracked regular files that are not ignored build output (see `WorkTree.compare`)."""
    mode_changed: tuple[str, ...] = ()
    type_changed: tuple[str, ...] = ()
    """Tracked paths that are now a link, a hard link, a directory or a special file."""
    strange: tuple[str, ...] = ()
    """Untracked ones of these kinds, and directories too deep to look into: nothing the commit could put back."""

    @property
    def tracked(self) -> tuple[str, ...]:
        return tuple(sorted({*self.modified, *self.deleted, *self.mode_changed, *self.type_changed}))

    def __bool__(self) -> bool:
        return bool(self.tracked or self.added or self.strange)


class WorkTree(Protocol):
    """A disposable checkout of one commit for one attempt."""

    @property
    def path(self) -> Path: ...

    @property
    def commit(self) -> str: ...

    def real_path(self, path: str) -> str:
        """The path as the file system would resolve it beneath the root (links followed while they stay inside).

        Raises:
            TreeError: it leaves the tree, is absolute elsewhere, or holds NUL.
        """
        ...

    def read(self, path: str, limit: int) -> FileState:
        """A regular file's bytes.

        Raises:
            TreeError: no such file, a link, a directory, a special file, or larger than `limit`.
        """
        ...

    def write(self, path: str, content: bytes, *, expected: str | None) -> None:
        """Replace a file's bytes in place (mode and owner stay), or create it with 0644 where `expected` is None.

        Raises:
            TreeError: the file changed since `expected` (a FileState's token), exists although None was expected,
                or cannot be reached without following a link.
        """

    def walk(self, path: str = "") -> Iterator[tuple[str, int]]:
        """Regular files below `path` with their sizes, sorted, `.git` left out, links not followed."""
        ...

    def compare(self) -> TreeChanges:
        """What differs from the commit. Costs one stat per tracked file; contents are read only where a stat moved."""
        ...

    def restore(self, paths: Sequence[str]) -> None:
        """Put tracked paths back as the commit has them: bytes, mode, type; whatever stands in the way goes."""

    def remove(self, paths: Sequence[str]) -> None:
        """Delete untracked files or links by name."""

    def digest(self, paths: Sequence[str]) -> str:
        """One hash over the present contents of `paths`: equal contents, equal hash."""
        ...

    def drop(self) -> None:
        """Delete the checkout; safe to call twice."""


class WorkTrees(Protocol):
    """Opens work trees of one run."""

    def open(
        self,
        commit: str,
        name: str,
        files: Mapping[str, bytes | None] | None = None,
        *,
        leftovers_of: WorkTree | None = None,
    ) -> WorkTree:
        """A fresh checkout of `commit` at `<run>/trees/<name>`.

        Args:
            commit: what is checked out.
            name: of the directory.
            files: laid over the checkout (None deletes).
            leftovers_of: a tree in which a setup command ran: what it left there besides the commit's own files
                (installed modules, build output) is copied, never linked, into the new tree.
        """
        ...

    def drop_all(self) -> None:
        """Delete every tree of the run."""
