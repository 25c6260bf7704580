"""What bubblewrap says of its own work, apart from the command's output, and when its process namespace is gone."""

import contextlib
import json
import os
import select
from typing import Self

_BYTES = 4096  # two short lines come
_END_SECONDS = 5.0  # for the kernel to end a process namespace


class Status:
    """The pipe behind `--json-status-fd`: `{"child-pid": n}` at the start, `{"exit-code": n}` at the end."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._said: dict[str, object] = {}
        self._ran = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reading)
        os.close(self.writing)

    @property
    def failed(self) -> bool:
        """It was started and did not get to the command's end."""
        return self._ran and "exit-code" not in self._said

    def await_end(self) -> None:
        """Called once bubblewrap itself has ended: wait until the last process of its namespace is gone too."""
        self._ran = True
        with contextlib.suppress(BlockingIOError, ValueError):
            for line in os.read(self._reading, _BYTES).splitlines():
                self._said |= json.loads(line)
        first = self._said.get("child-pid")
        if isinstance(first, int):
            _await_exit(first)


def _await_exit(pid: int) -> None:
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return  # gone already
    try:
        select.select([descriptor], [], [], _END_SECONDS)
    finally:
        os.close(descriptor)
