"""The head's tests that a patch is held against: what they feed in and expect must not stand in the code as answers."""

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

from autofix.checks.measure import is_test_file
from autofix.ports.git import EntryType, Git, TreeEntry

FILES_LIMIT = 200
"""Files where no report names any: of more, those nearest to the changed paths."""
BYTES_LIMIT = 4 * 1024 * 1024
_DATA_FILES = 20
_DATA = ".json"


def head_tests(git: Git, commit: str, named: Collection[str], changed: Collection[str]) -> dict[str, bytes]:
    """Path -> content of the goal's test files and the data beside them; of the nearest tests where none is named.

    `named` are the files of the failing cases, as far as their reports say; `changed` is what the patch changes.
    """
    entries = [entry for entry in git.entries(commit) if entry.type in {EntryType.FILE, EntryType.EXECUTABLE}]
    tests = [entry for entry in entries if is_test_file(entry.path) or entry.path in named or _is_rust(entry.path)]
    goal = [entry for entry in tests if entry.path in named]
    if goal:
        places = {str(PurePosixPath(entry.path).parent) for entry in goal}
        beside = [entry for entry in tests if entry.path.endswith(_DATA) and _is_below(entry.path, places)]
        chosen = [*goal, *beside[:_DATA_FILES]]
    else:
        chosen = sorted(tests, key=lambda entry: (-_nearness(entry.path, changed), entry.path))
    return _read(git, chosen[:FILES_LIMIT])


def _is_rust(path: str) -> bool:
    """Rust keeps tests beside the code."""
    return path.endswith(".rs")


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(place == "." or path.startswith(f"{place}/") for place in places)


def _nearness(path: str, changed: Collection[str]) -> int:
    """How much of a path's directories and of its name it shares with a changed path."""
    parts, stem = PurePosixPath(path).parts[:-1], PurePosixPath(path).name.casefold()
    best = 0
    for other in changed:
        shared = len(set(parts) & set(PurePosixPath(other).parts[:-1]))
        named = PurePosixPath(other).stem.casefold()
        alike = 2 * PurePosixPath(path).suffix.startswith(PurePosixPath(other).suffix)
        best = max(best, shared + alike + 4 * (len(named) > 1 and named in stem))
    return best


def _read(git: Git, entries: Collection[TreeEntry]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = BYTES_LIMIT
    for entry, (_, content) in zip(entries, git.blobs([entry.blob for entry in entries]), strict=True):
        left -= len(content)
        if left < 0:
            break
        found[entry.path] = content
    return found
