"""Moving bytes between a child process and its callers until it exits or its time is up."""

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

_CHUNK = 64 * 1024
_POLL_SECONDS = 0.02  # only where the kernel has no pidfd
_LEFTOVER_BYTES = 1024 * 1024  # the largest pipe the kernel grants: what can lie ready after the exit

Sink = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop waiting: absolute, by the monotonic clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        return max(0.0, self.at - time.monotonic())


def pump(process: subprocess.Popen[bytes], stdin: bytes, sinks: Mapping[int, Sink], deadline: Deadline) -> bool:
    """Feed `stdin` and drain the outputs (file descriptor -> sink) until the program's exit or the deadline.

    A child that outlives the program and keeps its output open does not hold us up, however much it writes. True when
    the deadline passed first.
    """
    with _Pump(process, stdin, sinks) as pumping:
        late = not pumping.until_exit(deadline)
        pumping.take_what_lies_ready()
    return late


class _Pump:
    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, sinks: Mapping[int, Sink]) -> None:
        self._process = process
        self._pending = memoryview(stdin)
        self._sinks = dict(sinks)
        self._selector = selectors.DefaultSelector()
        self._exit = _pidfd(process.pid)

    def __enter__(self) -> Self:
        for descriptor in self._sinks:
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)
        if self._exit is not None:
            self._selector.register(self._exit, selectors.EVENT_READ)
        if self._process.stdin is not None:
            self._offer_input(self._process.stdin.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        if self._exit is not None:
            os.close(self._exit)

    def _offer_input(self, descriptor: int) -> None:
        if self._pending:
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_WRITE)
        else:
            self._close_input()

    def _close_input(self) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def until_exit(self, deadline: Deadline) -> bool:
        """True when the program ended before the deadline."""
        while self._process.poll() is None:
            left = deadline.left()
            if left <= 0:
                return False
            for key, _ in self._selector.select(left if self._exit is not None else min(left, _POLL_SECONDS)):
                self._serve(key.fd)
        return True

    def _serve(self, descriptor: int) -> None:
        if descriptor == self._exit:
            return  # poll() will see it
        if descriptor not in self._sinks:
            self._feed(descriptor)
        elif self._drain(descriptor) == 0:
            self._selector.unregister(descriptor)

    def _feed(self, descriptor: int) -> None:
        try:
            self._pending = self._pending[os.write(descriptor, self._pending[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # the program does not want its input: not our fault
            self._pending = self._pending[len(self._pending) :]
        if not self._pending:
            self._selector.unregister(descriptor)
            self._close_input()

    def _drain(self, descriptor: int) -> int | None:
        """Read once: how many bytes, 0 at the end of the stream, None when nothing is ready."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        if data:
            self._sinks[descriptor](data)
        return len(data)

    def take_what_lies_ready(self) -> None:
        for descriptor in self._sinks:
            taken = 0
            while taken < _LEFTOVER_BYTES and (count := self._drain(descriptor)):
                taken += count


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
