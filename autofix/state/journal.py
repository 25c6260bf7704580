"""The journal: append-only, one JSON event a line, each line chained to the one before by a checksum.

An event is on the disk (written and synced) before the deed it announces; one that only reports is written at once, and
synced with the next announcement. A torn last line, which is what a crash in the middle of a write leaves, is cut and
reported; any other damage is an error that names the line.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from autofix.errors import JournalDamaged, JournalError
from autofix.ports.clock import Clock
from autofix.ports.model import JsonObject
from autofix.state.events import REPORTS, Kind
from autofix.state.migrations import VERSION, to_present

_CHECKSUM_LENGTH = 16
"""Hex digits of SHA-256 kept: against damage and reordering, not against a forger who can rewrite the file."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line. `plan` is the version of the plan in force, 0 before there is one."""

    number: int
    at: datetime
    kind: Kind
    plan: int
    data: JsonObject


class Journal:
    """Writes events. One process, one journal; `create` refuses a file that exists.

    The writer holds a lock on the file, which the kernel drops with the process: no lock is ever stale.
    """

    def __init__(self, path: Path, clock: Clock, *, descriptor: int, count: int, chain: str) -> None:
        self._path = path
        self._clock = clock
        self._descriptor = descriptor
        self._count = count
        self._chain = chain

    @classmethod
    def create(cls, path: Path, clock: Clock) -> Self:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
            _lock(descriptor, path)
            _sync_directory(path.parent)
        except OSError as error:
            raise JournalError(f"cannot create the journal {path}: {error.strerror}") from error
        return cls(path, clock, descriptor=descriptor, count=0, chain="")

    @classmethod
    def reopen(cls, path: Path, clock: Clock) -> tuple[Self, "Read"]:
        """Go on with a journal whose writer is gone; it, and what it holds. A torn last line is cut from the file.

        Raises:
            JournalDamaged, JournalError: as for `read`; it cannot be written; another process writes it.
        """
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        try:
            _lock(descriptor, path)
            past = read(path)
            os.ftruncate(descriptor, past.size)
            os.fsync(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from error
        except JournalError:
            os.close(descriptor)
            raise
        return cls(path, clock, descriptor=descriptor, count=len(past.events), chain=past.chain), past

    def append(self, kind: Kind, data: JsonObject, *, plan: int) -> Event:
        """Write one event; wait until the disk has it, unless it only reports.

        Where that fails, or a signal ends it halfway, what was written of the event is taken back, so that the events
        of the end still follow on a whole line.

        Raises:
            JournalError: the disk is full or gone. The deed must not be done then.
        """
        event = Event(self._count + 1, self._clock.now(), kind, plan, data)
        body = json.dumps(
            [VERSION, event.number, event.at.isoformat(), kind.value, plan, data],
            ensure_ascii=True,
            separators=(",", ":"),
        )
        chain = _checksum(self._chain, body)
        line = f"{chain} {body}\n".encode("ascii")
        try:
            with self._whole_or_not_at_all():
                _write_all(self._descriptor, line)
                if kind not in REPORTS:
                    os.fdatasync(self._descriptor)
                self._count, self._chain = event.number, chain
        except OSError as error:
            raise JournalError(f"cannot write the journal {self._path}: {error.strerror}") from error
        return event

    @contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        before = os.fstat(self._descriptor).st_size, self._count, self._chain
        try:
            yield
        except BaseException:
            size, self._count, self._chain = before
            with suppress(OSError):  # the disk is gone: then nothing follows
                os.ftruncate(self._descriptor, size)
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@dataclass(frozen=True, slots=True)
class Read:
    """A journal as read: its events, and what was cut from its end ("" when nothing was).

    Attributes:
        size: bytes of the whole lines.
        chain: the last line's checksum, which the next one goes on from.
        count: number of the last event.
    """

    events: tuple[Event, ...]
    torn: str = ""
    size: int = 0
    chain: str = ""
    count: int = 0


_NOTHING = Read(())


def read(path: Path) -> Read:
    """Read a whole journal and check every line.

    Raises:
        JournalDamaged: a line other than a torn last one is not what was written.
        JournalError: there is no journal to read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from error
    *lines, rest = content.split(b"\n")
    events = tuple(_events(path, lines))
    torn = f"the last line was torn and cut ({len(rest)} bytes)" if rest else ""
    chain = lines[-1].partition(b" ")[0].decode("ascii", "replace") if lines else ""
    return Read(events, torn, len(content) - len(rest), chain, len(events))


def read_on(path: Path, before: Read) -> Read:
    """What was written since `before`: those events alone, and where they end. For a journal that is being written.

    Raises:
        JournalDamaged, JournalError: as for `read`.
    """
    try:
        with path.open("rb") as file:
            file.seek(before.size)
            *lines, _torn = file.read().split(b"\n")
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from error
    events = tuple(_events(path, lines, before))
    size = before.size + sum(len(line) + 1 for line in lines)
    chain = lines[-1].partition(b" ")[0].decode("ascii", "replace") if lines else before.chain
    return Read(events, "", size, chain, before.count + len(events))


def is_being_written(path: Path) -> bool:
    """Whether a process holds the journal to write it, wherever on this machine that process lives."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _events(path: Path, lines: list[bytes], before: Read = _NOTHING) -> Iterator[Event]:
    chain = before.chain
    for number, line in enumerate(lines, start=before.count + 1):
        checksum, _, body = line.decode("ascii", "replace").partition(" ")
        if checksum != _checksum(chain, body):
            raise JournalDamaged(f"{path}, line {number}: not what was written (checksum)")
        chain = checksum
        yield _event(path, number, body)


def _event(path: Path, number: int, body: str) -> Event:
    match json.loads(body):
        case [version, int(count), str(at), str(kind), int(plan), dict(data)] if count == number:
            try:
                name, told = to_present(version, kind, data)
            except ValueError:
                unknown = "written by a version of autofix this one cannot read"
                raise JournalDamaged(f"{path}, line {number}: {unknown}") from None
            return Event(number, datetime.fromisoformat(at), Kind(name), plan, told)
    raise JournalDamaged(f"{path}, line {number}: not an event, or out of order")


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalError(f"{path} is being written by another process: the run is still going on") from None


def _checksum(chain: str, body: str) -> str:
    return hashlib.sha256(f"{chain}{body}".encode("ascii", "replace")).hexdigest()[:_CHECKSUM_LENGTH]


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _sync_directory(path: Path) -> None:
    """Make the new file's name itself durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
