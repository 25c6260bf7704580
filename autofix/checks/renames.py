"""A case whose file the pull request moved: the same case, under the name that it has at the merge base."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from autofix.checks.result import Check

_END = re.compile(r"::| > |\.|: |#|$")
"""What stands behind a file or its module in an id: pytest's, jest's kind, unittest's, a linter's, a class's."""


def former_names(check: Check, renamed: Mapping[str, str]) -> Callable[[str], str]:
    """A case's id at the head -> its id at the base; the same where no file of `renamed` (now -> before) begins it."""
    before: dict[str, str] = {}
    for paths in renamed.items():
        from_the_check = [_seen_from(check.directory, path) for path in paths]
        for now, then in (from_the_check, paths):  # a runner's root may lie above the check's directory
            before |= {new: old for new, old in _beginnings(now, then) if new and old}

    def former(id_: str) -> str:
        ends = [match.start() for match in _END.finditer(id_)] if before else []
        longest_first = reversed(ends)  # a path before the module that it begins with
        return next((before[id_[:end]] + id_[end:] for end in longest_first if id_[:end] in before), id_)

    return former


def _seen_from(directory: str, path: str) -> str:
    """As the check names it; "" where it lies elsewhere."""
    place = posixpath.normpath(directory)
    if place == ".":
        return path
    return path.removeprefix(f"{place}/") if path.startswith(f"{place}/") else ""


def _beginnings(now: str, before: str) -> Iterator[tuple[str, str]]:
    """What ids of the file begin with, now and before: its path, or what its language makes of that."""
    yield now, before
    for ending, names in _NAMES.items():
        if now.endswith(ending) and before.endswith(ending):
            yield from zip(names(now), names(before), strict=True)


def _python(path: str) -> tuple[str, ...]:
    return (path.removesuffix(".py").replace("/", "."),)


def _jvm(path: str) -> tuple[str, ...]:
    """The class, alone and behind its module's directory, as `runners/surefire.py` names them."""
    source = _SOURCES.match(path)
    if source is None:
        return "", ""
    class_ = source[2].replace("/", ".")
    return class_, f"{source[1]}: {class_}" if source[1] else ""


def _rust(path: str) -> tuple[str, ...]:
    """The test program made of a file, as cargo names it."""
    return (f"{posixpath.basename(path).removesuffix('.rs')} ({path})",)


_SOURCES = re.compile(r"(?:(.*?)/)?src/[^/]+/(?:java|kotlin)/(.+)\.(?:java|kt)$")
_NAMES: dict[str, Callable[[str], tuple[str, ...]]] = {".py": _python, ".java": _jvm, ".kt": _jvm, ".rs": _rust}
