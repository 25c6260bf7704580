"""A directory of this machine that one sandbox may write to, read back without trusting what lies in it.

It lies outside the tree and is readable by its owner alone. Its name carries the process that made it, so that a
later run can tell what a dead one left behind.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from autofix.world.owner import alive, identity

_PREFIX = "autofix-scratch-"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a planted FIFO must not hold us up


def plain_parts(path: str) -> tuple[str, ...]:
    """The components of a relative path that stays below where it starts; () for any other."""
    parts = PurePosixPath(path).parts
    outside = path.startswith("/") or ".." in parts or "\0" in path
    return () if outside else parts


class Scratch:
    """A private directory, removed by `close`."""

    def __init__(self, parent: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{identity()}-", dir=parent))

    def read(self, path: str, limit: int) -> bytes | None:
        return read_beneath(self.path, path, limit)

    def remove(self, path: str) -> None:
        with contextlib.suppress(OSError), _holding(self.path, path) as (directory, name):
            os.unlink(name, dir_fd=directory)

    def close(self) -> None:
        _remove_tree(self.path)


def read_beneath(root: Path, path: str, limit: int) -> bytes | None:
    """The first `limit` bytes of a regular file; None where there is none or a component of `path` is a link."""
    try:
        with _holding(root, path) as (directory, name):
            descriptor = os.open(name, _FILE, dir_fd=directory)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(limit)


@contextlib.contextmanager
def _holding(root: Path, path: str) -> Iterator[tuple[int, str]]:
    """The open directory that holds the path's last component; OSError where there is none beneath `root`."""
    parts = plain_parts(path)
    if not parts:
        raise FileNotFoundError(path)
    descriptor = os.open(root, _DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, _DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor, parts[-1]
    finally:
        os.close(descriptor)


def sweep(parent: Path | None = None) -> int:
    """Remove the directories of processes that are gone; how many."""
    removed = 0
    for path in (parent or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*"):
        owner = path.name.removeprefix(_PREFIX).rpartition("-")[0]
        if _may_remove(path) and not alive(owner):
            _remove_tree(path)
            removed += 1
    return removed


def _may_remove(path: Path) -> bool:
    """A directory of this user's; root's sandboxes give theirs away (`ownership`), so root may remove any."""
    if path.is_symlink() or not path.is_dir():
        return False
    return os.geteuid() in (0, path.stat().st_uid)


def _remove_tree(path: Path) -> None:
    """Remove all of it, also directories that were made unreadable; links are removed, never followed."""
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        path.chmod(stat.S_IRWXU)
        for directory, names, _ in os.walk(path):
            for name in names:
                below = Path(directory, name)
                if not below.is_symlink():
                    below.chmod(stat.S_IRWXU)
        shutil.rmtree(path, ignore_errors=True)
