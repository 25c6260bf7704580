"""Ending processes that outlive their command or their harness, in a room without a process namespace.

While we live, this process is the one to which orphans below it are handed (prctl(2), PR_SET_CHILD_SUBREAPER). A child
that we did not expect, or whose start was interrupted, belongs to a sandbox when its environment holds the sandbox's
scratch directory, or when it stands in its tree. A daemon that both cleans its environment and leaves the tree is not
found: the host room promises no isolation.

Of a harness that was killed nothing is handed to anybody. What its sandbox left running is known by the name of the
scratch directory, which is random and never given twice, and by the session of its commands: no process number is
believed that another process can have taken since.
"""

import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from autofix.world.owner import living_pid

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


def end_left_behind(scratch: Path, leader: str) -> None:
    """End what the sandbox of a dead harness left running.

    Args:
        scratch: its scratch directory.
        leader: the identity (`owner`) of the shell of its last command; "" where it is not known.
    """
    if sys.platform != "linux":
        return
    for _ in range(_PASSES):
        found = _left_behind(scratch, leader)
        if not found:
            return
        for pid, state in found.items():
            _kill_held(pid, state)
        time.sleep(_PAUSE_SECONDS)


def _left_behind(scratch: Path, leader: str) -> dict[int, "_State"]:
    """Processes with the scratch directory in their environment, and all of their sessions."""
    every = {pid: state for pid in _processes() if (state := _state(pid)) is not None}
    marked = {pid for pid in every if _is_marked(pid, scratch)}
    sessions = {every[pid].session for pid in marked}
    shell = living_pid(leader)
    if shell is not None:
        sessions.add(shell)
    user = _user_of(scratch)
    return {
        pid: state
        for pid, state in every.items()
        if (pid in marked or state.session in sessions) and state.user == user and state.session != os.getsid(0)
    }


@dataclass(frozen=True, slots=True)
class _State:
    """What identifies a process, and where it belongs."""

    started: int
    session: int
    user: int


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names only


def _state(pid: int) -> _State | None:
    """None where there is no such process, or only its exit code is left."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
        user = Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return None
    fields = line[line.rindex(b")") + 2 :].split()  # proc(5): from the third on
    return None if fields[0] in (b"Z", b"X") else _State(int(fields[19]), int(fields[3]), user)


def _kill_held(pid: int, state: _State) -> None:
    """Kill the process that was seen, which is held before it is looked at again: never one with its number."""
    try:
        held = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if _state(pid) == state:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(held, signal.SIGKILL)
    finally:
        os.close(held)


def _user_of(scratch: Path) -> int | None:
    try:
        return scratch.lstat().st_uid
    except OSError:
        return None


def _is_marked(pid: int, scratch: Path) -> bool:
    try:
        return f"TMPDIR={scratch}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _children() -> list[int]:
    found: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):  # proc(5): one list a thread
        with contextlib.suppress(OSError):
            found.extend(int(word) for word in task.read_text("ascii").split())
    return found


def _belongs(pid: int, scratch: Path, tree: Path) -> bool:
    if _is_marked(pid, scratch):
        return True
    try:
        place = Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return False
    return place.is_relative_to(tree) or place.is_relative_to(scratch)
