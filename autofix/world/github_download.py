"""Logs and artifacts from GitHub's storage: streamed over plain HTTP, without the token, never to another scheme.

The API answers 302 with a signed address on a host of its own; whoever followed it with the API's connection would
send the token there.
"""

import http.client
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from autofix.errors import ForgeError, ForgeNotFound, ForgeUnavailable
from autofix.ports.clock import Clock
from autofix.world.plain_http import plain_opener

_CHUNK = 64 * 1024
_TIMEOUT = 30.0
"""Seconds without a byte."""

_LONGEST = 300.0
"""Seconds for one download: 100 MB at 3 Mbit/s."""

_FAULTS = (OSError, http.client.HTTPException)


class Storage:
    """Reads signed addresses. `insecure` allows plain http, for a server that itself is reached so."""

    def __init__(self, clock: Clock, *, insecure: bool = False) -> None:
        self._clock = clock
        self._schemes = {"https", "http"} if insecure else {"https"}

    @contextmanager
    def stream(self, url: str) -> Iterator[Iterator[bytes]]:
        """The bytes at `url`, a piece at a time; the connection closes with the block.

        Raises:
            ForgeNotFound: it is gone (logs and artifacts expire).
            ForgeUnavailable: it cannot be read, also in the middle.
        """
        try:
            response = self._opened(url)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in {403, 404, 410}:  # a storage answers 403 for an address whose time is over
                raise ForgeNotFound(f"it is gone (status {error.code})") from None
            raise ForgeUnavailable(f"the storage answered {error.code}") from None
        except _FAULTS as error:
            raise ForgeUnavailable(f"the storage cannot be reached: {type(error).__name__}") from None
        with response:
            yield self._pieces(response)

    def save(self, url: str, into: Path, limit: int) -> None:
        """At most `limit` bytes to a new file; on any failure nothing is left of it."""
        done = False
        try:
            with self.stream(url) as pieces, into.open("xb") as file:
                size = 0
                for piece in pieces:
                    size += len(piece)
                    if size > limit:
                        raise ForgeError(f"it is larger than {limit} bytes")
                    file.write(piece)
            done = True
        finally:
            if not done:
                into.unlink(missing_ok=True)

    def _opened(self, url: str) -> http.client.HTTPResponse:
        if urlsplit(url).scheme not in self._schemes:
            raise ForgeError(f"the storage's address is no {' or '.join(sorted(self._schemes))} address")
        response: http.client.HTTPResponse | None = plain_opener().open(url, timeout=_TIMEOUT)
        if response is None:
            raise ForgeError("the storage's address cannot be opened")
        return response

    def _pieces(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        end = self._clock.monotonic() + _LONGEST
        promised = response.headers.get("Content-Length", "")
        left = int(promised) if promised.isdecimal() else None
        try:
            while piece := response.read(_CHUNK):
                left = left - len(piece) if left is not None else None
                yield piece
                if self._clock.monotonic() > end:
                    raise ForgeUnavailable(f"the download took longer than {_LONGEST:.0f} s")
        except _FAULTS as error:
            raise ForgeUnavailable(f"the download broke off: {type(error).__name__}") from None
        if left:  # a read of a piece does not tell a cut from an end
            raise ForgeUnavailable(f"the download broke off with {left} bytes to come")
