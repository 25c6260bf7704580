"""`ports.shelf.Shelf` in a directory that only this user may read, outside every work tree and sandbox.

One file a key, which begins with a digest of what follows: what is torn, damaged or of another key is as if it were
not there, and is written anew. The whole is bounded: the files that were written first go first.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

MOST_FILES = 500
MOST_BYTES = 256 * 1024
"""Of one value; together with the number of files, at most 128 MB on the disk."""
SECONDS_GOOD = 7 * 24 * 3600.0
"""After a week an image's tag or a tool of the machine may mean something else than when the value was found."""
_NAME_LENGTH = 64
_DIGEST = 32


class DiskShelf:
    """A shelf at `directory`, which is made when something is first kept."""

    def __init__(self, directory: Path, now: Callable[[], float] = time.time) -> None:
        self._directory = directory
        self._now = now

    def read(self, key: str) -> bytes | None:
        try:
            path = self._path(key)
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                age = self._now() - os.fstat(descriptor).st_mtime
                whole = file.read(_DIGEST + MOST_BYTES + 1)
        except OSError:
            return None
        digest, content = whole[:_DIGEST], whole[_DIGEST:]
        good = len(content) <= MOST_BYTES and digest == _digest(key, content) and abs(age) <= SECONDS_GOOD
        return content if good else None

    def keep(self, key: str, content: bytes) -> None:
        if len(content) > MOST_BYTES:
            return
        target = self._path(key)
        draft = target.with_name(f".{secrets.token_hex(8)}.new")
        try:
            self._directory.mkdir(parents=True, mode=0o700, exist_ok=True)
            self._make_room()
            draft.write_bytes(_digest(key, content) + content)
            draft.chmod(0o600)
            os.utime(draft, (self._now(), self._now()))
            draft.replace(target)
        except OSError:  # a full disk, a directory that is not ours: the value is found out again next time
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _make_room(self) -> None:
        files = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in os.scandir(self._directory)]
        for _, path in sorted(files)[: max(0, len(files) - MOST_FILES + 1)]:
            Path(path).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        if len(key) != _NAME_LENGTH or set(key) - set("0123456789abcdef"):
            raise ValueError(f"not a key of a shelf: {key!a}")
        return self._directory / key


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode("ascii") + content).digest()
