"""A case whose file the pull request moved: the same case, under the name that it has at the merge base."""

import posixpath
from collections.abc import Mapping

from autofix.checks.result import Check

_ENDS = ("::", " > ", ".", ": ")
"""What stands behind a file or its module in an id: pytest's, jest's kind, unittest's, a linter's."""


def name_before(check: Check, id_: str, renamed: Mapping[str, str]) -> str:
    """The id at the base of one at the head; the same where no file of `renamed` (path now -> before) begins it."""
    for paths in renamed.items():
        from_the_check = [_seen_from(check.directory, path) for path in paths]
        for now, before in (paths, from_the_check):  # a runner's root may lie above the check's directory
            for new, old in _beginnings(now, before):
                if new and old and (id_ == new or id_.startswith(tuple(f"{new}{end}" for end in _ENDS))):
                    return old + id_[len(new) :]
    return id_


def _seen_from(directory: str, path: str) -> str:
    """As the check names it; "" where it lies elsewhere."""
    place = posixpath.normpath(directory)
    if place == ".":
        return path
    return path.removeprefix(f"{place}/") if path.startswith(f"{place}/") else ""


def _beginnings(now: str, before: str) -> tuple[tuple[str, str], ...]:
    if not (now.endswith(".py") and before.endswith(".py")):
        return ((now, before),)
    return (now, before), (_module(now), _module(before))


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")
