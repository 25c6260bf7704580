"""One `docker exec` with an open stream: bytes in, frames out, a deadline on every wait."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from autofix.world.ownership import User
from autofix.world.pump import Deadline

_CHUNK = 64 * 1024
_HEADER = 8  # bytes: stream number, three zeros, length (the engine's API, "Stream format")
_STDOUT = 1


class Frames:
    """Takes the engine's multiplexed stream apart; what is not stdout is dropped."""

    def __init__(self) -> None:
        self._header = b""
        self._left = 0
        self._wanted = False

    def feed(self, data: bytes) -> bytes:
        """The stdout in the next piece of the stream."""
        kept = []
        while data:
            if self._left:
                part, data = data[: self._left], data[self._left :]
                self._left -= len(part)
                if self._wanted:
                    kept.append(part)
                continue
            missing = _HEADER - len(self._header)
            self._header, data = self._header + data[:missing], data[missing:]
            if len(self._header) == _HEADER:
                self._wanted = self._header[0] == _STDOUT
                self._left = int.from_bytes(self._header[4:], "big")
                self._header = b""
        return b"".join(kept)


class ExecStream:
    """A program started in a container, its stdin and stdout open.

    What the engine answers with an error is raised as the SDK raises it.
    """

    def __init__(
        self, api: Any, container: str, argv: Sequence[str], user: User, *, directory: str, stdin: bool = True
    ) -> None:
        self._api = api
        self.id: str = api.exec_create(
            container, list(argv), stdin=stdin, user=f"{user.uid}:{user.gid}", workdir=directory
        )["Id"]
        self._raw: Any = api.exec_start(self.id, socket=True)
        self._socket: Any = getattr(self._raw, "_sock", self._raw)  # the raw reader of a plain socket has no timeout
        self._early = _read_with_the_answer(self._raw, self._socket)
        self._frames = Frames()

    def send(self, data: bytes, deadline: Deadline) -> None:
        """OSError where the other end is gone, TimeoutError at the deadline."""
        self._socket.settimeout(_some(deadline))
        self._socket.sendall(data)

    def receive(self, deadline: Deadline) -> bytes | None:
        """Some output, which may be empty; None at the end of the stream.

        Raises:
            TimeoutError: the deadline passed.
        """
        self._socket.settimeout(_some(deadline))
        if self._early:
            early, self._early = self._early, b""
            return self._frames.feed(early)
        try:
            data = self._socket.recv(_CHUNK)
        except ConnectionError:
            return None
        return self._frames.feed(data) if data else None

    def exit_code(self) -> int | None:
        """Of the program, once the stream has ended."""
        code: int | None = self._api.exec_inspect(self.id)["ExitCode"]
        return code

    def close(self) -> None:
        """Closing its stdin ends the program, if it reads it."""
        open_parts: list[Any] = [getattr(self._raw, "_response", None), self._raw, self._socket]
        for part in open_parts:
            if part is not None:
                with contextlib.suppress(OSError, ValueError):  # ValueError: closed with the part before
                    part.close()


def _read_with_the_answer(raw: Any, socket: Any) -> bytes:
    """The beginning of the stream, where it came together with the engine's answer.

    The SDK's HTTP client reads ahead while it reads that answer, and hands out the socket below its buffer: what a
    program printed before we came to read would be lost.
    """
    reader = getattr(getattr(getattr(getattr(raw, "_response", None), "raw", None), "_fp", None), "fp", None)
    if reader is None:
        return b""
    socket.settimeout(0)  # what is there, and no waiting for more
    try:
        return bytes(reader.peek())
    except (OSError, ValueError):
        return b""


def _some(deadline: Deadline) -> float:
    """What is left, as a socket's timeout: never 0, which would mean "do not wait"."""
    left = deadline.left()
    if left <= 0:
        raise TimeoutError
    return left


def clean_argv(environment: Mapping[str, str], argv: Sequence[str]) -> list[str]:
    """`argv` with exactly this environment: nothing of the image's or the engine's own."""
    return ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *argv]
