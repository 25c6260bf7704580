"""Ending processes that left their command's process group (daemons), in a room without a process namespace.

This process becomes the one to which orphans below it are handed (prctl(2), PR_SET_CHILD_SUBREAPER). A child that we
did not expect, or whose start was interrupted, belongs to a sandbox when its environment holds the sandbox's scratch
directory, or when it stands in its tree. A daemon that both cleans its environment and leaves the tree is not found:
the host room promises no isolation.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_PASSES = 50  # a killed daemon hands us its own children, one generation a pass
_GROUP_SECONDS = 2.0  # for killed processes to be gone; they only wait for the kernel
_PAUSE_SECONDS = 0.001


def adopt_orphans() -> None:
    """Have orphans below this process handed to it; elsewhere than on Linux nothing happens."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_group(group: int) -> None:
    """Wait until a killed process group is gone, collecting those of it that were handed to us."""
    until = time.monotonic() + _GROUP_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-group, os.WNOHANG)
        try:
            os.killpg(group, 0)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(_PAUSE_SECONDS)


def end_orphans(scratch: Path, tree: Path) -> None:
    """End every process handed to us that belongs to the sandbox of `scratch` and `tree`."""
    for _ in range(_PASSES):
        found = [pid for pid in _children() if _belongs(pid, scratch, tree)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    found: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):  # proc(5): one list a thread
        with contextlib.suppress(OSError):
            found.extend(int(word) for word in task.read_text("ascii").split())
    return found


def _belongs(pid: int, scratch: Path, tree: Path) -> bool:
    mark = f"TMPDIR={scratch}".encode()
    try:
        if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            return True
        place = Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return False
    return place.is_relative_to(tree) or place.is_relative_to(scratch)
