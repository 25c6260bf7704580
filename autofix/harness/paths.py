"""Where a path lies, by its text alone: in the work tree, and under which name; links are the tree's business."""

import posixpath
from dataclasses import dataclass
from typing import Protocol

from autofix.harness.names import plain_components


class Places(Protocol):
    """The directories that are the work tree."""

    @property
    def workspace(self) -> str: ...

    @property
    def workspace_aliases(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class OutsideTree:
    """The path does not lie in the work tree; `path` is its absolute form."""

    path: str


def inside(path: str, places: Places) -> str | OutsideTree:
    """The path relative to the work tree ("" for its root), with `..` resolved by text."""
    absolute = posixpath.normpath(posixpath.join(places.workspace, path))
    if absolute.startswith("//"):  # POSIX keeps two leading slashes
        absolute = absolute[1:]
    for root in (places.workspace, *places.workspace_aliases):
        if absolute == root:
            return ""
        if absolute.startswith(root.rstrip("/") + "/"):
            return absolute[len(root.rstrip("/")) + 1 :]
    return OutsideTree(absolute)


def loosely(path: str) -> str:
    """The form for protected names: folded, without what some file systems drop (`names.plain_components`)."""
    return ("/" if path.startswith("/") else "") + "/".join(plain_components(path))
