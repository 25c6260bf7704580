"""Keeping a bounded part of a stream of any length."""


class Capture:
    """The first and the last half of `limit` bytes; nothing is lost while there is no more than that."""

    def __init__(self, limit: int) -> None:
        self._first = max(0, limit - limit // 2)
        self._last = max(0, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, data: bytes | memoryview) -> None:
        self.total += len(data)
        room = self._first - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) and self._last:
            self._tail += data[-self._last :]
            if len(self._tail) > 2 * self._last:  # amortised: each byte is moved at most once
                del self._tail[: -self._last]

    def parts(self) -> tuple[bytes, bytes]:
        """Head and tail; the tail is empty when nothing was lost."""
        tail = bytes(self._tail[-self._last :]) if self._last else b""
        if len(self._head) + len(tail) == self.total:
            return bytes(self._head) + tail, b""
        return bytes(self._head), tail


class Beginning:
    """The first `limit` bytes, and whether there were more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.kept = bytearray()
        self.lost = False

    def feed(self, data: bytes | memoryview) -> None:
        room = max(0, self._limit - len(self.kept))
        self.lost = self.lost or len(data) > room
        self.kept += data[:room]
