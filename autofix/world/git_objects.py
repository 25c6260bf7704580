"""Objects of the harness's repository, read through one long-lived `git cat-file` instead of a process per object."""

import fcntl
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import IO

from autofix.errors import GitError
from autofix.world.git_process import GitProcess, end

# Requests in flight. One is at most 75 bytes, so that two batches (19 KB) always fit the pipe (64 KB) and writing
# them never waits for a git that itself waits for us to read.
_BATCH = 128
_PIPE = 1024 * 1024  # bytes; Linux's limit for users, and several source files at once


class ObjectReader:
    """One `cat-file --batch-command`; not shared between threads."""

    def __init__(self, git: GitProcess) -> None:
        self._process = git.start("cat-file", "--batch-command", "--buffer")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._ask: IO[bytes] = self._process.stdin
        self._answer: IO[bytes] = self._process.stdout
        with suppress(OSError):  # where a user may not have larger pipes, the two processes take turns more often
            fcntl.fcntl(self._answer, fcntl.F_SETPIPE_SZ, _PIPE)

    def size(self, object_id: str) -> int:
        self._send("info", [object_id])
        return self._header(object_id)

    def contents(self, object_ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each object's bytes, in the order asked. Must be read to its end, else the reader must be closed."""
        waiting = iter(object_ids)
        batch = list(islice(waiting, _BATCH))
        self._send("contents", batch)
        while batch:
            following = list(islice(waiting, _BATCH))
            self._send("contents", following)  # git works on these while we read the batch before
            for object_id in batch:
                size = self._header(object_id)
                content = self._answer.read(size + 1)
                if len(content) != size + 1:
                    raise GitError(f"git ended while it read object {object_id}")
                yield object_id, content[:-1]
            batch = following

    def close(self) -> None:
        end(self._process)

    def _send(self, command: str, object_ids: list[str]) -> None:
        try:
            lines = [f"{command} {object_id}\n" for object_id in object_ids]
            self._ask.write("".join([*lines, "flush\n"]).encode("ascii"))
            self._ask.flush()
        except OSError as error:
            raise GitError(f"git stopped answering for objects: {error.strerror}") from error

    def _header(self, object_id: str) -> int:
        fields = self._answer.readline().split()
        if len(fields) != 3:  # noqa: PLR2004 - "<id> <type> <size>"; a missing object has two fields
            raise GitError(f"object {object_id} is not in the repository (a shallow or partial clone lacks it)")
        return int(fields[2])


class ObjectStore:
    """Readers that wait for the next question, so that threads and half-read answers never share one."""

    def __init__(self, git: GitProcess) -> None:
        self._git = git
        self._idle: list[ObjectReader] = []
        # Readers end with their store, also where nobody closes it; git itself would end only with this process.
        self._finalizer = weakref.finalize(self, _close_all, self._idle)

    def read(self, object_id: str, limit: int) -> bytes:
        """One object's bytes.

        Raises:
            GitError: it is missing, or larger than `limit`.
        """
        with self._reader() as reader:
            size = reader.size(object_id)
            found = list(reader.contents([object_id])) if size <= limit else []
        if not found:
            raise GitError(f"object {object_id} is {size} bytes, more than the limit of {limit}")
        return found[0][1]

    def stream(self, object_ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each object's bytes, in the order asked, one at a time."""
        with self._reader() as reader:
            yield from reader.contents(object_ids)

    def close(self) -> None:
        self._finalizer()

    @contextmanager
    def _reader(self) -> Iterator[ObjectReader]:
        """A reader, kept for the next question unless this one was not read to its end."""
        reader = self._idle.pop() if self._idle else ObjectReader(self._git)
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        self._idle.append(reader)


def _close_all(readers: list[ObjectReader]) -> None:
    while readers:
        readers.pop().close()
