"""Files beneath one directory, reached component by component: no link is ever followed, nothing above is reached.

A path is walked by descriptors (`openat` with O_NOFOLLOW), so that a link swapped in between a check and its use
changes nothing: the descriptor in hand is the directory that was checked.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from autofix.errors import TreeError

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LINKS = 40  # links followed for one path before it is called a loop; the kernel's own limit
_DEPTH = 64  # directories held open at once while removing; deeper ones are moved up first
DEEPEST = 256  # components of a path; each may cost a descriptor, of which a process has 1,024
CHUNK = 1024 * 1024  # bytes read or written at once


def parts_of(path: str) -> tuple[str, ...]:
    """The components of a relative path that names something below the root by itself.

    Raises:
        TreeError: it is absolute, empty, holds NUL, `.`, `..` or an empty component.
    """
    parts = tuple(path.split("/"))
    if "\0" in path:
        raise TreeError(f"{path!a} holds a NUL byte")
    if path.startswith("/"):
        raise TreeError(f"{path} is absolute; name paths relative to the work tree")
    if any(part in ("", ".", "..") for part in parts):
        raise TreeError(f"{path!a} is not a plain path below the work tree")
    if len(parts) > DEEPEST:
        raise TreeError(f"the path {path[:80]!a}... is more than {DEEPEST} directories deep")
    return parts


@contextmanager
def directory(
    root: int, parts: tuple[str, ...], *, make: tuple[int, int] | None = None, clear: bool = False
) -> Iterator[int]:
    """A descriptor of the directory `parts` names beneath `root`.

    Args:
        root: descriptor of the top directory.
        parts: checked components (`parts_of`).
        make: owner and group of directories to make where they are missing; None makes none.
        clear: whether what stands in the way of a directory (a link, a file) is removed.

    Raises:
        TreeError: a component is missing, a link, or no directory.
    """
    current = os.dup(root)
    try:
        for at, part in enumerate(parts):
            following = _enter(current, part, "/".join(parts[: at + 1]), make, clear=clear)
            os.close(current)
            current = following
        yield current
    finally:
        os.close(current)


def _enter(parent: int, name: str, shown: str, make: tuple[int, int] | None, *, clear: bool) -> int:
    try:
        return os.open(name, _DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        if make is None:
            raise TreeError(f"{shown} does not exist") from None
    except OSError as error:
        if make is None or not clear:
            raise TreeError(_complaint(shown, error, parent, name)) from error
        remove(parent, name)
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
        made = os.open(name, _DIRECTORY, dir_fd=parent)
    except OSError as error:
        raise TreeError(f"{shown} cannot be made: {error.strerror}") from error
    _give(made, make, 0o755)
    return made


def _complaint(shown: str, error: OSError, parent: int, name: str) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return f"{shown} is a symbolic link" if kind_is_link(parent, name) else f"{shown} is not a directory"
    return f"{shown}: {error.strerror}"


def kind_is_link(parent: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False


def open_file(parent: int, name: str, shown: str, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file; a FIFO does not make us wait, a link or device is refused.

    Raises:
        TreeError: there is none.
    """
    try:
        descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    except FileNotFoundError:
        raise TreeError(f"{shown} does not exist") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise TreeError(f"{shown} is a symbolic link") from error
        if error.errno == errno.EISDIR:
            raise TreeError(f"{shown} is a directory") from error
        raise TreeError(f"{shown}: {error.strerror}") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise TreeError(f"{shown} is {'a directory' if stat.S_ISDIR(mode) else 'not a regular file'}")
    return descriptor


def create_file(parent: int, name: str, shown: str, mode: int, owner: tuple[int, int]) -> int:
    """A descriptor of a new, empty regular file.

    Raises:
        TreeError: something of that name exists, or it cannot be made.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, mode, dir_fd=parent)
    except FileExistsError:
        raise TreeError(f"{shown} exists already; read it before you write it") from None
    except OSError as error:
        raise TreeError(f"{shown} cannot be made: {error.strerror}") from error
    _give(descriptor, owner, mode)
    return descriptor


def _give(descriptor: int, owner: tuple[int, int] | None, mode: int) -> None:
    """Set owner and mode whatever the umask; who may not give files away keeps them."""
    found = os.fstat(descriptor)
    if owner is not None and (found.st_uid, found.st_gid) != owner:
        with suppress(PermissionError):
            os.fchown(descriptor, *owner)
    if stat.S_IMODE(found.st_mode) != mode:
        os.fchmod(descriptor, mode)


def read_limited(descriptor: int, shown: str, limit: int) -> bytes:
    """The whole file.

    Raises:
        TreeError: it is larger than `limit`, or grows past it while it is read.
    """
    size = os.fstat(descriptor).st_size
    if size > limit:
        raise TreeError(f"{shown} is {size} bytes, more than the limit of {limit}")
    parts: list[bytes] = []
    left = limit + 1
    while left > 0 and (data := os.read(descriptor, min(CHUNK, left))):
        parts.append(data)
        left -= len(data)
    if left <= 0:
        raise TreeError(f"{shown} is larger than the limit of {limit} bytes")
    return b"".join(parts)


def write_all(descriptor: int, content: bytes | memoryview) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def resolve(root: int, path: str) -> str:
    """Where a relative path leads as the file system would walk it, while it stays beneath `root`; "" is the root.

    Links are read and followed by us, one component at a time; what does not exist resolves to itself.

    Raises:
        TreeError: it leaves the root, by `..` or by a link, or runs in circles.
    """
    pending = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    if len(pending) > DEEPEST:
        raise TreeError(f"the path {path[:80]!a}... is more than {DEEPEST} directories deep")
    done: list[str] = []
    links = 0
    while pending:
        part = pending.pop()
        if part == "..":
            if not done:
                raise TreeError(f"{path!a} leaves the work tree")
            done.pop()
            continue
        target = _link_target(root, (*done, part))
        if target is None:
            done.append(part)
            continue
        links += 1
        if links > _LINKS or len(pending) > DEEPEST:
            raise TreeError(f"{path!a} runs through too many symbolic links")
        if target.startswith("/"):
            raise TreeError(f"{path!a} leaves the work tree through the link {'/'.join((*done, part))!a}")
        pending.extend(step for step in reversed(target.split("/")) if step not in ("", "."))
    return "/".join(done)


def _link_target(root: int, parts: tuple[str, ...]) -> str | None:
    """What a link says; None where the path is no link or does not exist. All but the last are known to be no links."""
    try:
        with directory(root, parts[:-1]) as parent:
            return os.readlink(parts[-1], dir_fd=parent)
    except TreeError:
        return None
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return None
        raise TreeError(f"{'/'.join(parts)}: {error.strerror}") from error


def remove(parent: int, name: str) -> None:
    """Remove whatever bears this name, with all below it; nothing happens where there is nothing.

    Directories without permissions are opened up first. A chain deeper than the descriptors one may hold is taken
    apart from above: its deep part is moved up to `parent` and removed there.
    """
    spare = 0
    pending = [name]
    while pending:
        top = pending.pop()
        for fd, entry in _deep(parent, top):
            hoisted = f".autofix-removing-{spare}"
            spare += 1
            os.rename(entry, hoisted, src_dir_fd=fd, dst_dir_fd=parent)
            pending.append(hoisted)


def _deep(parent: int, name: str) -> Iterator[tuple[int, str]]:
    """Remove `name`; yields what lies too deep as (directory, entry) for the caller to move away."""
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        yield from _directory(parent, name, 0)


def _directory(parent: int, name: str, depth: int) -> Iterator[tuple[int, str]]:
    fd = _open_to_remove(parent, name)
    try:
        for entry in os.listdir(fd):  # noqa: PTH208 - by descriptor, which a Path cannot be
            try:
                os.unlink(entry, dir_fd=fd)
            except (IsADirectoryError, PermissionError):
                if depth >= _DEPTH:
                    yield fd, entry
                else:
                    yield from _directory(fd, entry, depth + 1)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=parent)


def _open_to_remove(parent: int, name: str) -> int:
    found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISDIR(found.st_mode) and not os.access(name, os.R_OK | os.W_OK | os.X_OK, dir_fd=parent):
        os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, _DIRECTORY, dir_fd=parent)
