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

from autofix.world.orphans import end_left_behind
from autofix.world.owner import alive, identity

_PREFIX = "autofix-scratch-"
_LEADER = ".leader"
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
        self._leader = _leader_file(self.path)

    def remember_leader(self, pid: int) -> None:
        """A command's shell, so that it can be found where nobody is left to end it."""
        draft = self._leader.with_name(f"{self._leader.name}.new")
        draft.write_text(identity(pid), encoding="ascii")
        draft.replace(self._leader)

    def read(self, path: str, limit: int) -> bytes | None:
        return read_beneath(self.path, path, limit)

    def remove(self, path: str) -> None:
        with contextlib.suppress(OSError), _holding(self.path, path) as (directory, name):
            os.unlink(name, dir_fd=directory)

    def close(self) -> None:
        self._leader.unlink(missing_ok=True)
        _remove_tree(self.path)


def _leader_file(scratch: Path) -> Path:
    """Beside the directory, where no report of a command can have its name."""
    return scratch.with_name(f"{scratch.name}{_LEADER}")


def _leader_of(scratch: Path) -> str:
    file = _leader_file(scratch)
    try:
        return file.read_text("ascii") if file.lstat().st_uid == scratch.lstat().st_uid else ""
    except (OSError, UnicodeDecodeError):
        return ""


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
    """End what the sandboxes of processes that are gone left running, and remove their directories; how many."""
    removed = 0
    for path in (parent or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*"):
        owner = path.name.removeprefix(_PREFIX).rpartition("-")[0]
        if _may_remove(path) and not alive(owner):
            end_left_behind(path, _leader_of(path))
            _leader_file(path).unlink(missing_ok=True)
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
