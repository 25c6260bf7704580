"""The bytes of a run's first checkout, kept in one file so that every later checkout is a copy inside the kernel.

The file lies in the run's directory, outside every work tree. It is a cache: what is not in it is read from git.
"""

import os
from pathlib import Path
from threading import Lock

from autofix.world.beneath import write_all

_LIMIT = 2 * 1024 * 1024 * 1024  # bytes kept; a larger checkout is read from git beyond that


class BlobCache:
    """Blob id -> bytes, append-only; threads may read and write at once."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a name the file is nobody's to find, and gone with this process however it ends.
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        path.unlink()
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._lock = Lock()

    def __contains__(self, blob: str) -> bool:
        return blob in self._places

    def size(self, blob: str) -> int:
        return self._places[blob][1]

    def keep(self, blob: str, content: bytes) -> None:
        """Remember a blob, if there is room for it."""
        with self._lock:
            if blob in self._places or self._end + len(content) > _LIMIT:
                return
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            write_all(self._descriptor, content)
            self._places[blob] = (self._end, len(content))
            self._end += len(content)

    def copy(self, blob: str, target: int) -> None:
        """Write a kept blob to a descriptor."""
        offset, left = self._places[blob]
        while left > 0:
            sent = os.sendfile(target, self._descriptor, offset, left)
            offset += sent
            left -= sent

    def close(self) -> None:
        os.close(self._descriptor)
