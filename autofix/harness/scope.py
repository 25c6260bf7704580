"""Scope: the paths a run may change, and the names no scope grants without a person's word.

Paths are relative, `/`-separated, exact; comparison for protected names is case-folded and NFC, so that a name that
only looks different on some file system is not a way around.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field


def folded(path: str) -> str:
    """The form in which two names that some file system takes for one are equal."""
    return unicodedata.normalize("NFC", path).casefold()


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be edited.

    Attributes:
        paths: exact paths of regular files that a fix may change or, where the pull request has them, create.
        excluded: path -> why it is not in scope although the pull request touches it (deleted, link, protected ...).
    """

    paths: frozenset[str]
    excluded: dict[str, str] = field(default_factory=dict)

    def __contains__(self, path: str) -> bool:
        return path in self.paths

    def narrowed(self, paths: Iterable[str]) -> "Scope":
        """The part of this scope that lies in `paths`; a scope never widens."""
        return Scope(self.paths & frozenset(paths), self.excluded)

    def why_not(self, path: str) -> str:
        """Why `path` may not be changed, for the model."""
        if path in self.excluded:
            return f"{path} is not in scope: {self.excluded[path]}"
        return f"{path} is not changed by this pull request. In scope: {', '.join(sorted(self.paths)) or 'nothing'}"
