"""The only place that starts processes: argument lists, a clean environment, a deadline, bounded output.

Each program runs in a session of its own, so that the deadline can end all of its group. Nothing of this process's
environment is inherited: the caller names every variable.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from autofix.ports.program import ProgramResult

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop waiting: absolute, by the monotonic clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        return max(0.0, self.at - time.monotonic())


class Capture:
    """Keeps the first and the last half of `limit` bytes of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data[-self._half :]
            if len(self._tail) > 2 * self._half:
                del self._tail[: -self._half]

    def parts(self) -> tuple[bytes, bytes]:
        """Head and tail; the tail is empty when nothing was lost."""
        tail = bytes(self._tail[-self._half :])
        if len(self._head) + len(tail) == self.total:
            return bytes(self._head) + tail, b""
        return bytes(self._head), tail


def kill_group(pid: int) -> None:
    """End a session leader's whole process group; nothing happens where it is gone."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def start(
    argv: Sequence[str], *, environment: Mapping[str, str], cwd: str = "/", stderr_to_stdout: bool = False
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own with pipes; OSError where it cannot be started."""
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if stderr_to_stdout else subprocess.PIPE,
        env=dict(environment),
        cwd=cwd,
        start_new_session=True,
        close_fds=True,
    )


def pump(
    process: subprocess.Popen[bytes],
    stdin: bytes,
    sinks: Mapping[int, Callable[[bytes], None]],
    deadline: Deadline,
) -> bool:
    """Feed `stdin` and drain outputs (file descriptor -> sink) until the program's exit or the deadline.

    A child that outlives the program and keeps its output open does not hold us up. True when the deadline passed.
    """
    pending = memoryview(stdin)
    with selectors.DefaultSelector() as selector:
        for descriptor in sinks:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            if pending:
                selector.register(process.stdin.fileno(), selectors.EVENT_WRITE)
            else:
                process.stdin.close()
        while True:
            exited = process.poll() is not None
            open_outputs = any(key.events & selectors.EVENT_READ for key in selector.get_map().values())
            if exited or not open_outputs:
                break
            left = deadline.left()
            if left <= 0:
                return True
            for key, _ in selector.select(min(left, 0.05)):
                if key.fd in sinks:
                    if not _drain(key.fd, sinks[key.fd]):
                        selector.unregister(key.fd)
                elif process.stdin is not None:
                    pending = _feed(key.fd, pending)
                    if not pending:
                        selector.unregister(key.fd)
                        process.stdin.close()
        for descriptor in [key.fd for key in selector.get_map().values() if key.events & selectors.EVENT_READ]:
            while _drain_now(descriptor, sinks[descriptor]):
                pass
    try:
        process.wait(timeout=max(0.001, deadline.left()))
    except subprocess.TimeoutExpired:
        return True
    return False


def _feed(descriptor: int, pending: memoryview) -> memoryview:
    try:
        return pending[os.write(descriptor, pending[:_CHUNK]) :]
    except BlockingIOError:
        return pending
    except (BrokenPipeError, OSError):  # the program does not want its input: not our fault
        return pending[len(pending) :]


def _drain(descriptor: int, sink: Callable[[bytes], None]) -> bool:
    """Read once; False at the end of the stream."""
    try:
        data = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    if data:
        sink(data)
    return bool(data)


def _drain_now(descriptor: int, sink: Callable[[bytes], None]) -> bool:
    """Read what lies ready after the program's exit; False when there is no more."""
    try:
        data = os.read(descriptor, _CHUNK)
    except OSError:
        return False
    if data:
        sink(data)
    return bool(data)


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue


class ProcessPrograms:
    """`ports.program.Programs` with real processes."""

    def run(
        self,
        argv: Sequence[str],
        stdin: bytes,
        *,
        timeout: float,
        environment: Mapping[str, str],
        cwd: str = "/",
        output_limit: int = 1024 * 1024,
    ) -> ProgramResult:
        try:
            process = start(argv, environment=environment, cwd=cwd)
        except OSError as error:
            code = 127 if isinstance(error, FileNotFoundError) else 126
            return ProgramResult(code, b"", f"{argv[0]}: {error.strerror}".encode())
        out, err = _Limited(output_limit), _Limited(output_limit)
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            late = pump(
                process,
                stdin,
                {process.stdout.fileno(): out.feed, process.stderr.fileno(): err.feed},
                Deadline.after(timeout),
            )
        finally:
            kill_group(process.pid)
            process.wait()
            close_pipes(process)
        return ProgramResult(
            process.returncode,
            bytes(out.kept),
            bytes(err.kept),
            timed_out=late,
            overflowed=out.lost or err.lost,
        )


class _Limited:
    """Keeps the first `limit` bytes and remembers that there were more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.kept = bytearray()
        self.lost = False

    def feed(self, data: bytes) -> None:
        room = self._limit - len(self.kept)
        self.lost = self.lost or len(data) > room
        self.kept += data[: max(0, room)]
