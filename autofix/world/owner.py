"""Who made a thing that may outlive its maker: a process's identity as text, and whether that process still lives.

A process number alone is taken again by another process; with the machine's boot, the process namespace and the start
time it is not. Where one of these differs from ours in a way that hides the process from us, we do not judge.
"""

import os
import re
import select
import signal
from functools import lru_cache
from pathlib import Path

_IDENTITY = re.compile(r"([0-9a-f]+)\.(\d+)\.(\d+)\.(\d+)")


@lru_cache(maxsize=1)
def _here() -> tuple[str, str]:
    """This boot and this process namespace; constants where the kernel does not say (not Linux)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip().replace("-", "")
        namespace = str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        return "0", "0"
    return boot[:12], namespace


def identity(pid: int | None = None) -> str:
    """`<boot>.<namespace>.<pid>.<start>` of a process, this one by default; safe in file names and labels."""
    boot, namespace = _here()
    number = os.getpid() if pid is None else pid
    return f"{boot}.{namespace}.{number}.{_started(number) or 0}"


def alive(text: str) -> bool:
    """False only when the process that `text` names is certainly gone."""
    match = _IDENTITY.fullmatch(text)
    if match is None:
        return True
    boot, namespace, pid, started = match.groups()
    here = _here()
    if boot != here[0]:
        return False
    if namespace != here[1]:
        return True  # another container's process: invisible from here
    if here == ("0", "0"):
        return _exists(int(pid))
    return _started(int(pid)) == int(started)


def living_pid(text: str) -> int | None:
    """The number of the process that `text` names, where it certainly lives and can be seen from here."""
    match = _IDENTITY.fullmatch(text)
    if match is None or match.groups()[:2] != _here() or not alive(text):
        return None
    return int(match.group(3))


def end(text: str, number: int, seconds: float) -> bool:
    """Signal the process that `text` names, and wait for its end; whether it came within this time.

    The process is held by a descriptor before its identity is looked at, so that the signal reaches no other one that
    has taken its number since.

    Raises:
        ProcessLookupError: it is gone.
        PermissionError: it is another user's, or not to be seen from here: another container's, another machine's.
    """
    match = _IDENTITY.fullmatch(text)
    if match is None or (alive(text) and match.groups()[:2] != _here()):
        raise PermissionError("its process cannot be reached from here")
    held = os.pidfd_open(int(match.group(3)))
    try:
        if not alive(text):
            raise ProcessLookupError("its process is gone")
        signal.pidfd_send_signal(held, number)
        ended, _, _ = select.select([held], [], [], seconds)
        return bool(ended)
    finally:
        os.close(held)


def _started(pid: int) -> int | None:
    """Clock ticks after boot at which the process started (proc(5), field 22 of stat); None where there is none."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    fields = line[line.rindex(b")") + 2 :].split()  # the name before may hold blanks and brackets
    return None if fields[0] == b"Z" else int(fields[19])


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
