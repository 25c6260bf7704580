"""What `autofix gate` sees of a repository: a checkout, a list of tracked files, or, without either, a presumption.

The presumption errs towards denial: every path is taken for a tracked file, except

- everything under scratch/, and build output by its usual names (build/, dist/, __pycache__/, *.o, .coverage ...);
- a note in the top directory (notes.txt, out.log ...) without a project file's name (requirements.txt ...);
- what `--made` names.
"""

import os
import posixpath
import re
import struct
from collections.abc import Iterable
from pathlib import Path

from autofix.errors import TreeError, UsageError
from autofix.world import beneath

_OUTPUT = re.compile(
    r"(.*/)?(scratch|build|dist|htmlcov|__pycache__|node_modules|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|"
    r"\.hypothesis|\.venv|[^/]+\.egg-info|\.coverage[^/]*)(/.*)?|.*\.(pyc|pyo|o|so|a|class)"
)
_NOTE = re.compile(
    r"[^/]+\.(txt|log|out|tmp|bak|orig|rej)|(coverage|junit|report|results|test-results?)[^/]*\.(xml|json|html|lcov)"
)
_PROJECT_TEXT = re.compile(
    r"(requirements|constraints|CMakeLists|robots|LICENSE|NOTICE|AUTHORS|MANIFEST|runtime|version)[^/]*", re.IGNORECASE
)
_INDEX_HEAD = struct.Struct(">4sII")
_INDEX_ENTRY = 62  # bytes before the name in gitformat-index(5), version 2, SHA-1
_EXTENDED = 0x4000
_NAME_MASK = 0xFFF


class PresumedSight:
    """No repository at hand: paths lead where they say, and are tracked as the module's docstring has it."""

    def __init__(self, made: Iterable[str] = ()) -> None:
        self._made = frozenset(map(posixpath.normpath, made))

    def real_path(self, path: str) -> str:
        real = posixpath.normpath(path)
        if real.startswith(("/", "../")) or real == "..":
            raise TreeError(f"{path} leaves the work tree")
        return "" if real == "." else real

    def is_tracked(self, path: str) -> bool:
        name = posixpath.normpath(path)
        if _OUTPUT.fullmatch(name) or any(name == made or name.startswith(f"{made}/") for made in self._made):
            return False
        return not (_NOTE.fullmatch(name) and not _PROJECT_TEXT.fullmatch(name))

    def is_directory(self, path: str) -> bool:
        name = posixpath.normpath(path)
        return posixpath.splitext(name)[1] == "" and self.is_tracked(name)


class ListedSight(PresumedSight):
    """A list of tracked files is at hand; links are unknown."""

    def __init__(self, tracked: Iterable[str], made: Iterable[str] = ()) -> None:
        super().__init__(made)
        files = [posixpath.normpath(path) for path in tracked]
        self._directories = _directories_of(files)
        self._tracked = self._directories.union(files)

    def is_tracked(self, path: str) -> bool:
        return posixpath.normpath(path) in self._tracked

    def is_directory(self, path: str) -> bool:
        return posixpath.normpath(path) in self._directories


class CheckoutSight(ListedSight):
    """A checkout on disk: links are followed beneath it, and its git index is read (no git runs)."""

    def __init__(self, tree: Path, tracked: Iterable[str] | None, made: Iterable[str] = ()) -> None:
        made = tuple(made)
        listed = _index_names(tree) if tracked is None else list(tracked)
        super().__init__(_files_of(tree, made) if listed is None else listed, made)
        self._root = os.open(tree, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def real_path(self, path: str) -> str:
        return beneath.resolve(self._root, path)


def _directories_of(files: Iterable[str]) -> frozenset[str]:
    found = {"."}
    for file in files:
        name = posixpath.dirname(file)
        while name and name not in found:
            found.add(name)
            name = posixpath.dirname(name)
    return frozenset(found)


def _files_of(tree: Path, made: tuple[str, ...]) -> list[str]:
    """A directory without git: its files, by the same presumption."""
    presumption = PresumedSight(made)
    files = (path.relative_to(tree).as_posix() for path in tree.rglob("*") if not path.is_dir())
    return [path for path in files if not path.startswith(".git/") and presumption.is_tracked(path)]


def _index_names(tree: Path) -> list[str] | None:
    """Names in the index of an ordinary clone; None where there is no index."""
    try:
        content = (tree / ".git" / "index").read_bytes()
    except OSError:
        return None
    try:
        signature, version, count = _INDEX_HEAD.unpack_from(content)
        if signature != b"DIRC" or version not in {2, 3}:
            raise UsageError(f"{tree}: cannot read this git index; name the tracked files with --tracked FILE")
        names, position = [], _INDEX_HEAD.size
        for _ in range(count):
            if position + _INDEX_ENTRY > len(content):
                raise UsageError(f"{tree}: its git index is cut short; name the tracked files with --tracked FILE")
            flags = int.from_bytes(content[position + 60 : position + 62], "big")
            start = position + _INDEX_ENTRY + (2 if flags & _EXTENDED else 0)
            length = flags & _NAME_MASK
            end = start + length if length < _NAME_MASK else content.index(b"\0", start + length)
            names.append(os.fsdecode(content[start:end]))
            position += (end - position + 8) // 8 * 8
    except (struct.error, ValueError) as error:
        raise UsageError(f"{tree}: its git index is damaged; name the tracked files with --tracked FILE") from error
    return names
