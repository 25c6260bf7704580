"""Whose rights a sandbox's commands have, and making the tree theirs.

Commands run as the tree's owner; where that is root they run as nobody, and the tree is handed over. So no command is
ever root, in no room that can help it.
"""

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_NOBODY = 65534  # the kernel's overflow uid: owns nothing anywhere (proc(5), overflowuid)


@dataclass(frozen=True, slots=True)
class User:
    uid: int
    gid: int


def user_for(tree: Path) -> User:
    """The tree's owner, or nobody where root owns it."""
    owner = tree.stat()
    return User(_NOBODY, _NOBODY) if owner.st_uid == 0 else User(owner.st_uid, owner.st_gid or _NOBODY)


def hand_over(tree: Path, user: User) -> None:
    """Give everything in the tree to `user`; nothing happens where we are not root.

    Links are changed themselves, never what they point to. A regular file with several names keeps its owner: it may
    be shared with a place the sandbox must not write to (git's object store hard-links its files).
    """
    if os.geteuid() != 0:
        return
    for _, directories, files, descriptor in os.fwalk(tree, follow_symlinks=False):
        _give(".", descriptor, user)
        for name in (*directories, *files):
            _give(name, descriptor, user)


def _give(name: str, directory: int, user: User) -> None:
    with contextlib.suppress(FileNotFoundError):
        state = os.stat(name, dir_fd=directory, follow_symlinks=False)
        shared = stat.S_ISREG(state.st_mode) and state.st_nlink > 1
        if not shared and (state.st_uid, state.st_gid) != (user.uid, user.gid):
            os.chown(name, user.uid, user.gid, dir_fd=directory, follow_symlinks=False)
