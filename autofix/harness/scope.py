"""Scope: the paths a run may change, read from what the pull request changes.

Paths are relative, `/`-separated, exact, as git has them. Whether a path in scope still needs a person's word is
`harness.protected`'s answer, not this module's.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from autofix.harness.names import folded, is_plain_path
from autofix.harness.protected import never_editable
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Change, ChangeKind, EntryType

__all__ = ["Scope", "folded", "matches", "scope_of"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be edited.

    Attributes:
        paths: exact paths of regular files that a fix may change or, where the pull request has them, create.
        excluded: path -> why it is not in scope although the pull request touches it (deleted, link, protected ...).
        extra: what the base's configuration grants besides: exact paths or patterns (`matches`).
    """

    paths: frozenset[str]
    excluded: dict[str, str] = field(default_factory=dict)
    extra: tuple[str, ...] = ()

    def __contains__(self, path: str) -> bool:
        if path in self.paths:
            return True
        if path in self.excluded or never_editable(path) is not None or not is_plain_path(path):
            return False
        return any(matches(pattern, path) for pattern in self.extra)

    def narrowed(self, paths: Iterable[str]) -> "Scope":
        """The part of this scope that lies in `paths`; a scope never widens."""
        return Scope(frozenset(path for path in paths if path in self), self.excluded)

    def why_not(self, path: str) -> str:
        """Why `path` may not be changed, for the model."""
        if path in self.excluded:
            return f"{path} is not in scope: {self.excluded[path]}"
        never = never_editable(path)
        if never is not None:
            return f"{path} is not in scope: {never}"
        allowed = ", ".join(sorted({*self.paths, *self.extra})) or "nothing"
        return f"{path} is not changed by this pull request. In scope: {allowed}"


def scope_of(pull_request: PullRequest, extra: Sequence[str] = (), lfs: frozenset[str] = frozenset()) -> Scope:
    """The scope of a pull request.

    Args:
        pull_request: its changes decide: files added, modified, renamed or copied (the new name), never deleted ones.
        extra: `scope.extra` of the base commit.
        lfs: changed paths whose content at the head is a Git LFS pointer; the file itself lies elsewhere.
    """
    paths: set[str] = set()
    excluded: dict[str, str] = {}
    for change in pull_request.changes:
        reason = _excluded(change, lfs)
        if reason is None:
            paths.add(change.path)
        else:
            excluded[change.path] = reason
        if change.kind is ChangeKind.RENAMED and change.old_path is not None:
            excluded[change.old_path] = f"the pull request renames it to {change.path}"
    return Scope(frozenset(paths), {path: why for path, why in excluded.items() if path not in paths}, tuple(extra))


def _excluded(change: Change, lfs: frozenset[str]) -> str | None:
    if change.kind is ChangeKind.DELETED:
        return "the pull request deletes it"
    if change.new_type is EntryType.SYMLINK:
        return "it is a symbolic link"
    if change.new_type is EntryType.SUBMODULE:
        return "it is a submodule"
    if change.new_type is None:
        return "it is not a regular file"
    if change.path in lfs:
        return "it is a Git LFS pointer"
    return never_editable(change.path)


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern relative to the root means this path.

    Component by component: `*` and `?` stay within one name, `**` stands for any number of whole names, `[` is itself.
    Exact case: a pattern grants, so it must not mean more than it says. A trailing `/` means everything below.
    """
    return bool(_compiled(pattern).fullmatch(path))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    whole = f"{pattern}**" if pattern.endswith("/") else pattern
    text = ""
    parts = whole.strip("/").split("/")
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == "**":
            text += r"[^\0]+" if last else r"(?:[^/\0]+/)*"
        else:
            text += "".join({"*": r"[^/\0]*", "?": r"[^/\0]"}.get(c, re.escape(c)) for c in part) + (
                "" if last else "/"
            )
    return re.compile(text)
