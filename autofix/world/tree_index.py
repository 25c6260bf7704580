"""What the harness knows of a work tree's files, and what differs from it: one stat per tracked file.

A file's content is trusted while its inode number and change time stand still: the kernel sets the change time on every
write, rename, link and change of mode, and no program can set it back. The clock that stamps it is coarse, so a file
whose change time was younger than that coarseness when we looked is read again the next time. Nothing here follows a
link, and git is not asked: the tree is a sandbox's.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from autofix.errors import TreeError
from autofix.ports.git import EntryType, TreeEntry
from autofix.ports.tree import TreeChanges
from autofix.world.beneath import CHUNK, DEEPEST, open_file

# The kernel's clock for file times ticks every 1 to 10 ms; twice that, and a margin for slow machines.
_RIGHTS = 0o755  # of a directory as it is made
_COARSE = 25_000_000  # nanoseconds
_MAX_UNTRACKED = 100_000  # files; a tree with more of them is not one a fix came from
_EXECUTABLE = 0o100  # the one permission bit git keeps

# Build output that is not listed as added although nobody has ignored it by name. Short on purpose: it is not read from
# .gitignore, which a pull request could write, and what is missing here is only listed, never delivered.
IGNORED_DIRECTORIES = frozenset(
    {".git", "__pycache__", ".pytest_cache", "node_modules", "build", "dist", ".mypy_cache", ".ruff_cache", ".tox",
     ".venv", "target"}
)  # fmt: skip
_IGNORED_DIRECTORY_PATTERN = "*.egg-info"
_IGNORED_FILES = frozenset({".coverage"})
_IGNORED_FILE_PATTERN = "*.pyc"


@dataclass(slots=True)
class Tracked:
    """A file of the commit, and when it was last seen to be just that.

    Attributes:
        size: of the commit's content; None where it is not known.
        changed_ns, inode: the stat it was seen with; 0 where it must be looked at again.
        same: whether it then had the commit's content, mode and type.
    """

    entry: TreeEntry
    size: int | None
    changed_ns: int = 0
    inode: int = 0
    same: bool = False

    def look_again(self) -> None:
        self.changed_ns = 0


@dataclass(slots=True)
class _Directory:
    files: dict[str, Tracked] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Found:
    """The lists of one comparison as they grow."""

    modified: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    mode_changed: list[str] = field(default_factory=list)
    type_changed: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)

    def changes(self) -> TreeChanges:
        return TreeChanges(
            modified=tuple(sorted(self.modified)),
            deleted=tuple(sorted(self.deleted)),
            added=tuple(sorted(self.added)),
            mode_changed=tuple(sorted(self.mode_changed)),
            type_changed=tuple(sorted(self.type_changed)),
            strange=tuple(sorted(self.strange)),
        )

    def add_untracked(self, path: str) -> None:
        self.added.append(path)
        if len(self.added) > _MAX_UNTRACKED:
            raise TreeError(f"the work tree holds more than {_MAX_UNTRACKED} new files (the last was {path})")


class TreeIndex:
    """The tracked files of one work tree."""

    def __init__(self, tracked: Iterable[Tracked]) -> None:
        self._directories: dict[str, _Directory] = {"": _Directory()}
        for file in tracked:
            parent, _, name = file.entry.path.rpartition("/")
            self._directory(parent).files[name] = file

    def get(self, path: str) -> Tracked | None:
        parent, _, name = path.rpartition("/")
        directory = self._directories.get(parent)
        return directory.files.get(name) if directory else None

    def compare(self, root: int) -> TreeChanges:
        """What differs beneath the directory `root` is a descriptor of."""
        found = _Found()
        now = time.time_ns()
        try:
            _Comparison(self._directories, found, now).walk(root, "", 0)
        except FileNotFoundError as error:
            raise TreeError(
                f"{error.filename} vanished while the work tree was compared: something still runs in it"
            ) from error
        return found.changes()

    def _directory(self, path: str) -> _Directory:
        known = self._directories.get(path)
        if known is None:
            known = self._directories[path] = _Directory()
            parent, _, name = path.rpartition("/")
            self._directory(parent).directories.add(name)
        return known


@dataclass(slots=True)
class _Comparison:
    directories: dict[str, _Directory]
    found: _Found
    now: int

    def walk(self, fd: int, prefix: str, depth: int) -> None:
        """Compare one directory; `prefix` is its path with a trailing `/`, or ""."""
        known = self.directories.get(prefix[:-1]) or _NOTHING
        files, inside = known.files, known.directories
        names = os.listdir(fd)
        seen = 0
        for name in names:
            file = files.get(name)
            if file is not None:
                seen += 1
                status = os.stat(name, dir_fd=fd, follow_symlinks=False)
                if status.st_ctime_ns != file.changed_ns or status.st_ino != file.inode or not file.same:
                    self._changed(fd, name, file, status, depth)
            elif name in inside:
                self._directory(fd, name, prefix, depth)
            else:
                self._untracked(fd, name, prefix, depth)
        if seen != len(files):
            present = set(names)
            self.found.deleted += [prefix + name for name in files if name not in present]
        for name in inside.difference(names):
            self._gone(prefix + name)

    def _directory(self, fd: int, name: str, prefix: str, depth: int) -> None:
        """A directory that has tracked files, if it still is one."""
        child = _open_own_directory(fd, name)
        if child is None:
            self._gone(prefix + name)
            self._untracked(fd, name, prefix, depth)
            return
        try:
            self.walk(child, f"{prefix}{name}/", depth + 1)
        finally:
            os.close(child)

    def _gone(self, directory: str) -> None:
        below = self.directories[directory]
        self.found.deleted += [f"{directory}/{name}" for name in below.files]
        for name in below.directories:
            self._gone(f"{directory}/{name}")

    def _untracked(self, fd: int, name: str, prefix: str, depth: int) -> None:
        path = prefix + name
        if path == ".git":  # disposable, whatever it has become
            return
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            if not _is_build_output(name):
                self._new_directory(fd, name, prefix, depth)
        elif not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            self.found.strange.append(path)
        elif name not in _IGNORED_FILES and not fnmatchcase(name, _IGNORED_FILE_PATTERN):
            self.found.add_untracked(path)

    def _new_directory(self, fd: int, name: str, prefix: str, depth: int) -> None:
        child = _open_directory(fd, name) if depth < DEEPEST else None
        if child is None:
            self.found.strange.append(prefix + name)
            return
        try:
            self.walk(child, f"{prefix}{name}/", depth + 1)
        finally:
            os.close(child)

    def _changed(self, fd: int, name: str, file: Tracked, status: os.stat_result, depth: int) -> None:
        """A file whose stat moved, or that was not the commit's when it was last looked at."""
        path = file.entry.path
        if not _has_type(file.entry.type, status):
            file.look_again()
            self.found.type_changed.append(path)
            if stat.S_ISDIR(status.st_mode):
                self._new_directory(fd, name, path[: len(path) - len(name)], depth)
            return
        if file.entry.type is EntryType.SUBMODULE:
            return
        same_mode = _has_mode(file.entry.type, status)
        if not same_mode:
            self.found.mode_changed.append(path)
        same_content = self._has_content(fd, name, file, status)
        if not same_content:
            self.found.modified.append(path)
        file.same = same_content and same_mode
        settled = status.st_ctime_ns < self.now - _COARSE
        file.changed_ns, file.inode = (status.st_ctime_ns, status.st_ino) if settled else (0, 0)

    def _has_content(self, fd: int, name: str, file: Tracked, status: os.stat_result) -> bool:
        if file.entry.type is EntryType.SYMLINK:
            target = os.fsencode(os.readlink(name, dir_fd=fd))
            return _blob_id(file.entry.blob, len(target), [target]) == file.entry.blob
        if file.size is not None and status.st_size != file.size:
            return False
        try:
            descriptor = open_file(fd, name, file.entry.path)
        except TreeError:  # what cannot be read any more is not what it was
            return False
        try:
            return _blob_id(file.entry.blob, status.st_size, chunks(descriptor)) == file.entry.blob
        finally:
            os.close(descriptor)


_NOTHING = _Directory()


def seen_fresh(entry: TreeEntry, size: int, status: os.stat_result, now: int) -> Tracked:
    """A file that was just written with the commit's content."""
    if status.st_ctime_ns < now - _COARSE:
        return Tracked(entry, size, status.st_ctime_ns, status.st_ino, same=True)
    return Tracked(entry, size)


def chunks(descriptor: int) -> Iterator[bytes]:
    while data := os.read(descriptor, CHUNK):
        yield data


def _blob_id(like: str, size: int, content: Iterable[bytes]) -> str:
    """Git's name for this content, in the format of the id `like`."""
    digest = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)  # noqa: PLR2004 - hex of SHA-1
    digest.update(b"blob %d\0" % size)
    for data in content:
        digest.update(data)
    return digest.hexdigest()


def _has_type(type_: EntryType, status: os.stat_result) -> bool:
    """Whether it is the kind of thing the commit has; a file with a second name is not: writing it writes the other."""
    if type_ is EntryType.SYMLINK:
        return stat.S_ISLNK(status.st_mode)
    if type_ is EntryType.SUBMODULE:
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def _has_mode(type_: EntryType, status: os.stat_result) -> bool:
    if type_ is EntryType.SYMLINK:
        return True
    return bool(status.st_mode & _EXECUTABLE) == (type_ is EntryType.EXECUTABLE)


def _is_build_output(name: str) -> bool:
    return name in IGNORED_DIRECTORIES or fnmatchcase(name, _IGNORED_DIRECTORY_PATTERN)


def _open_own_directory(parent: int, name: str) -> int | None:
    """The same for a directory that has tracked files, with the rights it was made with, where a program took some.

    Git knows no rights of directories, and nobody could go on in a tree that is shut.
    """
    child = _open_directory(parent, name)
    if child is None and _unlocked(parent, name):
        child = _open_directory(parent, name)
    if child is not None and os.fstat(child).st_mode & _RIGHTS != _RIGHTS:
        with suppress(OSError):  # another user's: what is in it can be read at least
            os.fchmod(child, _RIGHTS)
    return child


def _unlocked(parent: int, name: str) -> bool:
    """Open up a shut directory that is ours; a link in its place is not followed."""
    try:
        place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError:
        return False
    try:
        os.chmod(f"/proc/self/fd/{place}", _RIGHTS)  # noqa: PTH101 - the descriptor itself, whatever has its name now
    except OSError:
        return False
    finally:
        os.close(place)
    return True


def _open_directory(parent: int, name: str) -> int | None:
    """A descriptor; None where it is no directory, a link to one, or shut: what is in it then counts as gone."""
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    except OSError:
        return None
