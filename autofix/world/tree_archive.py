"""A work tree as a tar archive: what changed here goes out in one, and what comes back is laid over the tree.

What comes back was made by hostile code. Every entry is reached component by component beneath the tree and never
through a link; links are made as links, whatever they say; devices, sockets and names that leave the tree are left out;
and what it all comes to is bounded. `.git` of a tree goes out and never comes back: it is disposable, and not ours.
"""

import contextlib
import os
import stat
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from autofix.errors import SandboxBroken, TreeError
from autofix.ports.sandbox import MIB
from autofix.world import beneath
from autofix.world.ownership import User

MOST_BYTES = 4096 * MIB
"""Of all files that one command may leave; a checkout with its installed modules rarely passes one GiB."""
MOST_ENTRIES = 500_000

_PERMISSIONS = 0o777  # no set-uid, no sticky bit: git knows none of them
_GIT = ".git"

Seen = tuple[int, ...]
"""What tells whether an entry is what it was: all that changes with it. Of a directory its kind alone."""


def look(root: Path, *, with_git: bool = False) -> dict[str, Seen]:
    """Everything below the tree's root by its relative name, a directory before what is in it; no link is followed."""
    return dict(_below(str(root), "", with_git=with_git))


def seen(root: Path, path: str) -> Seen | None:
    """One entry; None where there is none."""
    try:
        return _seen(os.lstat(root / path))
    except OSError:
        return None


def _below(root: str, place: str, *, with_git: bool) -> Iterator[tuple[str, Seen]]:
    pending = [place]
    while pending:
        at = pending.pop()
        with os.scandir(f"{root}/{at}") as entries:
            for entry in entries:
                name = f"{at}/{entry.name}" if at else entry.name
                if name == _GIT and not with_git:
                    continue
                found = entry.stat(follow_symlinks=False)
                yield name, _seen(found)
                if stat.S_ISDIR(found.st_mode):
                    pending.append(name)


def _seen(found: os.stat_result) -> Seen:
    if stat.S_ISDIR(found.st_mode):
        return (stat.S_IFMT(found.st_mode),)
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def pack(root: Path, names: Iterable[str], user: User, out: IO[bytes], *, below: str = "") -> None:
    """Write an archive of these entries, which are then `user`'s; `below` is what their names are put below.

    An entry that has gone in the meantime is left out.
    """
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        if below:
            archive.addfile(_header(below, os.lstat(root), user))
        for name in names:
            shown = f"{below}/{name}" if below else name
            try:
                _add(archive, root / name, shown, user)
            except FileNotFoundError:
                continue


def _add(archive: tarfile.TarFile, path: Path, shown: str, user: User) -> None:
    found = os.lstat(path)
    if stat.S_IFMT(found.st_mode) not in _KINDS:
        return
    header = _header(shown, found, user)
    if stat.S_ISLNK(found.st_mode):
        header.linkname = os.readlink(path)  # noqa: PTH115 - the text of the link, not what it leads to
    if not stat.S_ISREG(found.st_mode):
        archive.addfile(header)
        return
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        header.size = os.fstat(file.fileno()).st_size
        archive.addfile(header, file)


_KINDS = {
    stat.S_IFDIR: tarfile.DIRTYPE,
    stat.S_IFLNK: tarfile.SYMTYPE,
    stat.S_IFIFO: tarfile.FIFOTYPE,
    stat.S_IFREG: tarfile.REGTYPE,
}


def _header(name: str, found: os.stat_result, user: User) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.type = _KINDS[stat.S_IFMT(found.st_mode)]
    header.mode = found.st_mode & _PERMISSIONS
    header.mtime = found.st_mtime_ns / 1e9
    header.uid, header.gid = user.uid, user.gid
    return header


class Overlay:
    """Lays archives over one tree, as long as they keep within the limits.

    Args:
        owner: user and group of what is made here.
        most_bytes: of file contents in one archive.
    """

    def __init__(self, root: Path, owner: User, most_bytes: int = MOST_BYTES) -> None:
        self._root = root
        self._owner = (owner.uid, owner.gid)
        self._most_bytes = most_bytes

    def lay(self, stream: IO[bytes], named: Callable[[str], str | None], wanted: Callable[[str], bool]) -> set[str]:
        """Take over what an archive holds; every path it has, taken over or not.

        Args:
            stream: the archive, read once from its beginning.
            named: from an entry's name in the archive to its path in the tree; None for what is not of the tree.
            wanted: whether the entry of a path is taken over.

        Raises:
            SandboxBroken: it is no whole archive, or it is too large.
        """
        there: set[str] = set()
        size = 0
        try:
            with _open(self._root) as root, tarfile.open(fileobj=stream, mode="r|") as archive:
                while (entry := archive.next()) is not None:
                    archive.members = []  # type: ignore[attr-defined]  # it would keep every entry it has read
                    size += entry.size if entry.isreg() else 0
                    self._check(size, len(there))
                    path = named(entry.name)
                    if path is None or not _is_plain(path):
                        continue
                    there.add(path)
                    source = named(entry.linkname) if entry.islnk() else None
                    if wanted(path):
                        self._take(root, path, entry, archive, source)
        except (tarfile.TarError, TreeError, OSError, EOFError) as error:
            raise SandboxBroken(f"the tree cannot be copied out of the sandbox: {error}") from error
        return there

    def _check(self, size: int, entries: int) -> None:
        if size > self._most_bytes or entries >= MOST_ENTRIES:
            raise SandboxBroken(
                f"the sandbox's tree holds more than {self._most_bytes // MIB} MiB or {MOST_ENTRIES} entries:"
                " it is not copied out of the engine"
            )

    def make_directory(self, path: str) -> None:
        """With those above it; where something else stands in the way, that goes."""
        if _is_plain(path):
            with (
                _open(self._root) as root,
                beneath.directory(root, beneath.parts_of(path), make=self._owner, clear=True),
            ):
                pass

    def remove(self, path: str) -> None:
        """With all below it; nothing happens where there is nothing."""
        if not _is_plain(path):
            return
        *above, name = beneath.parts_of(path)
        with (
            contextlib.suppress(TreeError),  # what it was in has gone, or is no directory any more
            _open(self._root) as root,
            beneath.directory(root, tuple(above)) as parent,
        ):
            beneath.remove(parent, name)

    def _take(self, root: int, path: str, entry: tarfile.TarInfo, archive: tarfile.TarFile, source: str | None) -> None:
        """Make one entry anew, if it is of a kind that is taken over. `source` is what a hard link leads to."""
        *above, name = beneath.parts_of(path)
        if entry.isdir():
            with beneath.directory(root, (*above, name), make=self._owner, clear=True):
                return
        with beneath.directory(root, tuple(above), make=self._owner, clear=True) as parent:
            beneath.remove(parent, name)
            if entry.isreg():
                self._write(parent, name, entry, archive)
            elif entry.issym():
                os.symlink(entry.linkname, name, dir_fd=parent)
            elif entry.isfifo():
                os.mkfifo(name, 0o600, dir_fd=parent)
            elif entry.islnk():
                _link(root, source, parent, name)

    def _write(self, parent: int, name: str, entry: tarfile.TarInfo, archive: tarfile.TarFile) -> None:
        content = archive.extractfile(entry)
        assert content is not None  # a regular file has some
        descriptor = beneath.create_file(parent, name, entry.name, entry.mode & _PERMISSIONS, self._owner)
        try:
            while data := content.read(beneath.CHUNK):
                beneath.write_all(descriptor, data)
            with contextlib.suppress(OSError, OverflowError, ValueError):  # any number can be a file's time there
                when = int(entry.mtime * 1_000_000_000)
                os.utime(descriptor, ns=(when, when))
        finally:
            os.close(descriptor)


def _link(root: int, source: str | None, parent: int, name: str) -> None:
    """A second name for a regular file of this tree."""
    if source is None or not _is_plain(source):
        return
    *above, target = beneath.parts_of(source)
    with beneath.directory(root, tuple(above)) as held:
        if stat.S_ISREG(os.stat(target, dir_fd=held, follow_symlinks=False).st_mode):
            os.link(target, name, src_dir_fd=held, dst_dir_fd=parent, follow_symlinks=False)


def _is_plain(path: str) -> bool:
    try:
        return beneath.parts_of(path)[0] != _GIT
    except TreeError:
        return False


@contextlib.contextmanager
def _open(root: Path) -> Iterator[int]:
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
