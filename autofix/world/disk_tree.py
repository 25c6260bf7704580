"""`ports.tree` on a disk: a checkout that a sandbox may do anything to, read and written beneath its own descriptor."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from autofix.errors import TreeError
from autofix.harness.names import plain_components
from autofix.ports.git import EntryType, Git, TreeEntry
from autofix.ports.tree import FileState, TreeChanges
from autofix.world import beneath
from autofix.world.tree_index import Tracked, TreeIndex, chunks

_OVERLAY_LIMIT = 1024 * 1024 * 1024  # bytes; what lies at the head is read once to be replaced
_SECOND = 1_000_000_000  # nanoseconds
_MODES = {EntryType.FILE: 0o644, EntryType.EXECUTABLE: 0o755}


class DiskTree:
    """`ports.tree.WorkTree` over a directory; made by `DiskTrees.open`."""

    def __init__(self, git: Git, path: Path, commit: str, tracked: Sequence[Tracked]) -> None:
        self._git = git
        self._path = path
        self._commit = commit
        self._index = TreeIndex(tracked)
        self._root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._dropped = False

    @property
    def path(self) -> Path:
        return self._path

    @property
    def commit(self) -> str:
        return self._commit

    def real_path(self, path: str) -> str:
        if "\0" in path:
            raise TreeError(f"{path!a} holds a NUL byte")
        root = str(self._path)
        if path == root or path.startswith(f"{root}/"):
            path = path[len(root) :].lstrip("/")
        elif path.startswith("/"):
            raise TreeError(f"{path} is not in the work tree")
        return beneath.resolve(self._root, path)

    def read(self, path: str, limit: int) -> FileState:
        with self._parent(path) as (parent, name), _closing(beneath.open_file(parent, name, path)) as descriptor:
            content = beneath.read_limited(descriptor, path, limit)
        return FileState(content, _token(content))

    def write(self, path: str, content: bytes, *, expected: str | None) -> None:
        if expected is None:
            self._create(path, content)
        else:
            self._replace(path, content, expected)
        self._look_again(path)

    def walk(self, path: str = "") -> Iterator[tuple[str, int]]:
        parts = _parts(path) if path else ()
        with beneath.directory(self._root, parts) as top:
            yield from _walk(top, f"{path}/" if path else "")

    def compare(self) -> TreeChanges:
        return self._index.compare(self._root)

    def restore(self, paths: Sequence[str]) -> None:
        wanted: list[TreeEntry] = []
        for path in paths:
            tracked = self._index.get(path)
            if tracked is None:
                raise TreeError(f"{path} is not a file of commit {self._commit}")
            tracked.look_again()
            wanted.append(tracked.entry)
        files = [entry for entry in wanted if entry.type is not EntryType.SUBMODULE]
        for entry, (_, content) in zip(files, self._git.blobs(entry.blob for entry in files), strict=True):
            self._put_back(entry, content)
        for entry in wanted:
            if entry.type is EntryType.SUBMODULE:
                self._put_back(entry, b"")

    def remove(self, paths: Sequence[str]) -> None:
        for path in paths:
            if self._index.get(path) is not None:
                raise TreeError(f"{path} belongs to commit {self._commit}; it is restored, not removed")
            _parts(path)
            self._delete(path)

    def digest(self, paths: Sequence[str]) -> str:
        whole = hashlib.sha256()
        for path in sorted(set(paths)):
            whole.update(os.fsencode(path) + b"\0" + self._digest_of(path) + b"\0")
        return whole.hexdigest()

    def overlay(self, files: Mapping[str, bytes | None]) -> None:
        """Lay files over the checkout: bytes replace what is there in its mode, None deletes.

        Raises:
            TreeError: a path is none that may be written, or a link.
        """
        for path, content in files.items():
            _parts(path)
            if content is None:
                self._delete(path)
            elif self._is_file(path):
                before = self.read(path, _OVERLAY_LIMIT)
                self.write(path, content, expected=before.token)
            else:
                self.write(path, content, expected=None)
            self._look_again(path)

    def drop(self) -> None:
        if self._dropped:
            return
        self._dropped = True
        os.close(self._root)
        remove_directory(self._path)

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        """The directory a path's last name is in, and that name."""
        parts = _parts(path)
        with beneath.directory(self._root, parts[:-1]) as parent:
            yield parent, parts[-1]

    def _owner(self) -> tuple[int, int]:
        root = os.fstat(self._root)
        return root.st_uid, root.st_gid

    def _create(self, path: str, content: bytes) -> None:
        parts, owner = _parts(path), self._owner()
        with (
            beneath.directory(self._root, parts[:-1], make=owner) as parent,
            _closing(beneath.create_file(parent, parts[-1], path, 0o644, owner)) as descriptor,
        ):
            try:
                beneath.write_all(descriptor, content)
            except OSError as error:
                os.unlink(parts[-1], dir_fd=parent)
                raise TreeError(f"{path} cannot be written: {error.strerror}") from error

    def _replace(self, path: str, content: bytes, expected: str) -> None:
        with (
            self._parent(path) as (parent, name),
            _closing(beneath.open_file(parent, name, path, os.O_RDWR)) as descriptor,
        ):
            status = os.fstat(descriptor)
            if status.st_nlink > 1:
                raise TreeError(f"{path} is a hard link: writing it would write another file too")
            before = beneath.read_limited(descriptor, path, status.st_size)
            if _token(before) != expected:
                raise TreeError(f"{path} changed since it was read; read it again")
            _overwrite(descriptor, path, before, content)
            _date_after(descriptor, status.st_mtime_ns)

    def _put_back(self, entry: TreeEntry, content: bytes) -> None:
        parts, owner = entry.path.split("/"), self._owner()
        try:
            with beneath.directory(self._root, tuple(parts[:-1]), make=owner, clear=True) as parent:
                changed = _time_of(parent, parts[-1])
                beneath.remove(parent, parts[-1])
                if entry.type is EntryType.SYMLINK:
                    os.symlink(content, os.fsencode(parts[-1]), dir_fd=parent)
                elif entry.type is EntryType.SUBMODULE:
                    os.mkdir(parts[-1], 0o755, dir_fd=parent)
                else:
                    mode = _MODES[entry.type]
                    with _closing(beneath.create_file(parent, parts[-1], entry.path, mode, owner)) as descriptor:
                        beneath.write_all(descriptor, content)
                        _date_after(descriptor, changed)
        except OSError as error:
            raise TreeError(f"{entry.path} cannot be restored: {error.strerror}") from error

    def _digest_of(self, path: str) -> bytes:
        try:
            with self._parent(path) as (parent, name):
                if beneath.kind_is_link(parent, name):
                    return b"link " + os.fsencode(os.readlink(name, dir_fd=parent))
                with _closing(beneath.open_file(parent, name, path)) as descriptor:
                    found = hashlib.sha256()
                    for data in chunks(descriptor):
                        found.update(data)
                    return found.digest()
        except TreeError:
            return b"no file"

    def _is_file(self, path: str) -> bool:
        try:
            with self._parent(path) as (parent, name), _closing(beneath.open_file(parent, name, path)):
                return True
        except TreeError:
            return False

    def _delete(self, path: str) -> None:
        """Unlink a file or link; nothing happens where there is none."""
        try:
            with self._parent(path) as (parent, name):
                os.unlink(name, dir_fd=parent)
        except (FileNotFoundError, TreeError):  # a directory on the way is gone or a link: there is no such file here
            return
        except OSError as error:
            raise TreeError(f"{path} cannot be removed: {error.strerror}") from error

    def _look_again(self, path: str) -> None:
        tracked = self._index.get(path)
        if tracked is not None:
            tracked.look_again()


def _parts(path: str) -> tuple[str, ...]:
    """Components of a path that may be read and written here.

    Raises:
        TreeError: it is no plain relative path, or lies in git's own directory.
    """
    parts = beneath.parts_of(path)
    if ".git" in plain_components(path):
        raise TreeError(f"{path} lies in git's own directory")
    return parts


def _token(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _overwrite(descriptor: int, path: str, before: bytes, content: bytes) -> None:
    """In place, so that mode and owner stay; on a full disk the old bytes come back."""
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        beneath.write_all(descriptor, content)
        os.ftruncate(descriptor, len(content))
    except OSError as error:
        os.lseek(descriptor, 0, os.SEEK_SET)
        beneath.write_all(descriptor, before)
        os.ftruncate(descriptor, len(before))
        raise TreeError(f"{path} cannot be written: {error.strerror}") from error


def _time_of(parent: int, name: str) -> int:
    """When a name's content was changed last, in nanoseconds; 0 where there is nothing."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_mtime_ns
    except FileNotFoundError:
        return 0


def _date_after(descriptor: int, before: int) -> None:
    """Give a file that was just written a time in a later second than `before`.

    Python takes its compiled form for current while size and second of the source are the same: two changes within a
    second, with a test run in between, and the next run would measure the first of them.
    """
    now = os.fstat(descriptor).st_mtime_ns
    if now // _SECOND <= before // _SECOND:
        os.utime(descriptor, ns=(now, (before // _SECOND + 1) * _SECOND))


def _walk(fd: int, prefix: str) -> Iterator[tuple[str, int]]:
    for name in sorted(os.listdir(fd)):
        if name.casefold() == ".git":
            continue
        try:
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            continue
        if stat.S_ISREG(status.st_mode):
            yield prefix + name, status.st_size
        elif stat.S_ISDIR(status.st_mode) and prefix.count("/") < beneath.DEEPEST:
            try:
                with beneath.directory(fd, (name,)) as child:
                    yield from _walk(child, f"{prefix}{name}/")
            except TreeError:  # shut, or swapped for a link since the stat: there is nothing to show
                continue


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove_directory(path: Path) -> None:
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        beneath.remove(parent, path.name)
    except OSError as error:
        raise TreeError(f"{path} cannot be removed: {error.strerror}") from error
    finally:
        os.close(parent)
