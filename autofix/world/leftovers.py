"""What a setup command left in its checkout, copied into another: installed modules, build output, never the commit's.

Both trees are checkouts of one repository, though perhaps of two commits: whatever the target already has is its own
commit's and stays, and what only the source's commit has is no leftover. Links are copied as links and none is
followed; sockets, devices and hard links to the outside are nothing a tree needs.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from autofix.world.checkout import Owner

_CHUNK = 64 * 1024 * 1024  # bytes asked of the kernel at once; it copies without bringing them here


def copy_leftovers(source: Path, target: Path, tracked: Iterable[str], owner: Owner | None = None) -> None:
    """Copy every file, link and directory of `source` that `target` does not have; `.git` is each tree's own.

    `tracked` are the paths of the commit that `source` was made from: they are not copied, and neither is what lies in
    a directory that only this commit has.
    """
    committed = set(tracked)
    for path in list(committed):
        committed.update(str(parent) for parent in PurePosixPath(path).parents)
    for name, found in _below(source, target, committed):
        here, there = source / name, target / name
        if stat.S_ISDIR(found.st_mode):
            there.mkdir(mode=stat.S_IMODE(found.st_mode))
        elif stat.S_ISLNK(found.st_mode):
            there.symlink_to(os.readlink(here))  # noqa: PTH115 - the text of the link, not what it leads to
        elif stat.S_ISREG(found.st_mode):
            _copy(here, there, stat.S_IMODE(found.st_mode) & 0o777)
        else:
            continue
        if owner is not None:
            os.chown(there, *owner, follow_symlinks=False)


def _below(source: Path, target: Path, committed: set[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Names relative to the root that only `source` has, a directory before what is in it."""
    pending = [""]
    while pending:
        place = pending.pop()
        for entry in os.scandir(source / place):
            name = os.path.join(place, entry.name)  # noqa: PTH118 - many names; a Path each would cost more than the copy
            if name == ".git":
                continue
            known = os.path.lexists(target / name)
            if not known and name in committed:
                continue
            if not known:
                yield name, entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False) and (not known or _is_directory(target / name)):
                pending.append(name)


def _is_directory(path: Path) -> bool:
    return stat.S_ISDIR(os.lstat(path).st_mode)


def _copy(source: Path, target: Path, mode: int) -> None:
    reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            while os.copy_file_range(reading, writing, _CHUNK):
                pass
        finally:
            os.close(writing)
    finally:
        os.close(reading)
