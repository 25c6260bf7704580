"""Scope: the paths a run may change, read from what the pull request changes.

Paths are relative, `/`-separated, exact, as git has them. Whether a path in scope still needs a person's word is
`harness.protected`'s answer, not this module's.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

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

    def can_grant(self, path: str) -> bool:
        """Whether a person may add `path`: a plain file's name that nothing stands against."""
        return path not in self.excluded and never_editable(path) is None and is_plain_path(path)

    def granting(self, path: str) -> "Scope":
        """This scope with a path that a person added. Raises ValueError where nobody may."""
        if not self.can_grant(path):
            raise ValueError(f"{path} cannot be granted")
        return Scope(self.paths | {path}, self.excluded, self.extra)

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
    Exact case: a pattern grants, so it must not mean more than it says. A trailing `/` means everything below. Takes
    time in proportion to pattern times path, whatever they are.
    """
    parts = pattern.strip("/").split("/")
    if pattern.endswith("/"):
        parts.append("**")
    if parts[-1] == "**":
        parts.append("*")  # what is below a directory, never the directory itself
    return _wildcard(parts, path.split("/"), "**", _name_matches)


def _name_matches(pattern: str, name: str) -> bool:
    return _wildcard(pattern, name, "*", lambda wanted, found: wanted in {"?", found})


def _wildcard(
    pattern: Sequence[str], found: Sequence[str], any_number: str, one_matches: Callable[[str, str], bool]
) -> bool:
    """Match with one kind of wildcard: on a misfit only the last one takes more, which is enough (and linear)."""
    at = place = 0
    star, resume = -1, 0
    while place < len(found):
        if at < len(pattern) and pattern[at] == any_number:
            star, resume = at, place
            at += 1
        elif at < len(pattern) and one_matches(pattern[at], found[place]):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(rest == any_number for rest in pattern[at:])
