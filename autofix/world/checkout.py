"""Writes a commit's files into a fresh directory: the blobs' bytes as they are, no filter, no line-ending conversion.

The directory is new and nobody else's yet. A hostile commit can hold names that git itself would refuse; they are left
out. Directories come first, then files, symbolic links last, so that nothing is ever written through a link.
"""

import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from threading import Event

from autofix.errors import TreeError
from autofix.harness.names import is_plain_path
from autofix.ports.git import EntryType, Git, TreeEntry
from autofix.world.beneath import DEEPEST, write_all
from autofix.world.blob_cache import BlobCache
from autofix.world.tree_index import Tracked, seen_fresh

_MODES = {EntryType.FILE: 0o644, EntryType.EXECUTABLE: 0o755}
_THREADS = (
    2  # copying is the kernel's work: a second thread nearly halves it, a third waits for the same directory locks
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Owner = tuple[int, int]


def can_be_written(entry: TreeEntry) -> bool:
    """Whether the name is one git would check out, and not too deep to be walked."""
    return is_plain_path(entry.path) and entry.path.count("/") < DEEPEST


class Checkout:
    """Fills directories from git, or from what an earlier checkout kept."""

    def __init__(self, git: Git, cache: BlobCache, owner: Owner | None) -> None:
        self._git = git
        self._cache = cache
        self._owner = owner

    def fill(self, root: Path, entries: Sequence[TreeEntry], stop: Event) -> tuple[list[Tracked], list[os.stat_result]]:
        """Write all entries; what is known of each, and its stat, in the entries' order.

        Raises:
            TreeError: two entries want the same place, the disk does not take them, or `stop` was set.
        """
        try:
            self._make_directories(root, entries)
            files = [entry for entry in entries if entry.type in _MODES]
            self._copy(root, [entry for entry in files if entry.blob in self._cache], stop)
            self._fetch(root, [entry for entry in files if entry.blob not in self._cache], stop)
            self._link(root, [entry for entry in entries if entry.type is EntryType.SYMLINK])
            return self._look(root, entries)
        except OSError as error:
            raise TreeError(f"the work tree cannot be written: {error}") from error

    def _make_directories(self, root: Path, entries: Iterable[TreeEntry]) -> None:
        made = {""}
        for entry in entries:
            wanted = entry.path if entry.type is EntryType.SUBMODULE else os.path.dirname(entry.path)  # noqa: PTH120
            for directory in _missing(wanted, made):
                path = f"{root}/{directory}"
                os.mkdir(path)  # noqa: PTH102 - thousands of them: a Path each would cost more than the directory
                os.chmod(path, 0o755)  # noqa: PTH101, S103 - whatever the umask; git's own mode for directories
                self._give(path)

    def _copy(self, root: Path, entries: Sequence[TreeEntry], stop: Event) -> None:
        if not entries:
            return
        share = -(-len(entries) // _THREADS)
        with ThreadPoolExecutor(_THREADS) as pool:
            parts = [entries[at : at + share] for at in range(0, len(entries), share)]
            list(pool.map(lambda part: self._copy_part(root, part, stop), parts))

    def _copy_part(self, root: Path, entries: Iterable[TreeEntry], stop: Event) -> None:
        for entry in entries:
            _unless(stop)
            descriptor = self._create(root, entry)
            try:
                self._cache.copy(entry.blob, descriptor)
            finally:
                os.close(descriptor)

    def _fetch(self, root: Path, entries: Sequence[TreeEntry], stop: Event) -> None:
        waiting = iter(entries)
        for blob, content in self._git.blobs(entry.blob for entry in entries):
            _unless(stop)
            (entry,) = islice(waiting, 1)
            descriptor = self._create(root, entry)
            try:
                write_all(descriptor, content)
            finally:
                os.close(descriptor)
            self._cache.keep(blob, content)

    def _create(self, root: Path, entry: TreeEntry) -> int:
        descriptor = os.open(f"{root}/{entry.path}", _NEW, _MODES[entry.type])
        if self._owner is not None:
            os.fchown(descriptor, *self._owner)
        return descriptor

    def _link(self, root: Path, entries: Sequence[TreeEntry]) -> None:
        waiting = iter(entries)
        for _, target in self._git.blobs(entry.blob for entry in entries):
            (entry,) = islice(waiting, 1)
            path = f"{root}/{entry.path}"
            os.symlink(target, os.fsencode(path))  # noqa: PTH211 - bytes, as git has them
            self._give(path)

    def _give(self, path: str) -> None:
        if self._owner is not None:
            os.chown(path, *self._owner, follow_symlinks=False)

    def _look(self, root: Path, entries: Sequence[TreeEntry]) -> tuple[list[Tracked], list[os.stat_result]]:
        now = time.time_ns()
        found = [os.lstat(f"{root}/{entry.path}") for entry in entries]
        tracked = [seen_fresh(entry, status.st_size, status, now) for entry, status in zip(entries, found, strict=True)]
        return tracked, found


def _unless(stop: Event) -> None:
    if stop.is_set():
        raise TreeError("the checkout was stopped")


def _missing(directory: str, made: set[str]) -> list[str]:
    """The directory and its parents that are not made yet, outermost first; they are counted as made."""
    missing = []
    while directory not in made:
        made.add(directory)
        missing.append(directory)
        directory = os.path.dirname(directory)  # noqa: PTH120 - names of git, as text
    return missing[::-1]
