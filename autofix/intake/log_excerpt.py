"""The part of a CI log that says why a step failed, from a stream of any length in bounded memory.

A job's log is its steps' output in a row, each line with a timestamp. A step opens with `##[group]Run COMMAND`, and
one that fails ends with `##[error]`. Kept is the failing step from its command to its error, both ends of it where it
is long; where no step can be told, both ends of the log. It is untrusted text: a forged mark moves the cut, no more.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from autofix.ports.github_checks import Step

_OPENING = b" ##[group]Run "
_ERROR = b" ##[error]"
_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_STAMP_LENGTH = len("2026-01-31T23:59:59")
_STAMPED_LINE = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?", re.MULTILINE)

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # titles, links
    r"|[ -/]*[0-~])"  # the short ones
)
_RUNNER_MARK = re.compile(r"^##\[(?:group|endgroup|error|warning|notice|command|section|debug)\]", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_MAX_MARKS = 10_000
"""Openings looked at; a log with more prints them itself, and both its ends say enough."""

_MAX_FALSE_ERRORS = 64
"""Error marks inside lines that are passed over in one piece of the log."""

_KEPT_FAILURES = 6
"""Failing steps kept until the end tells which one is meant: most jobs have one, `continue-on-error` adds some."""

_CLOCK_SLACK = timedelta(seconds=2)
"""The API gives a step's times in whole seconds."""


@dataclass(frozen=True, slots=True)
class LogExcerpt:
    """Readable text: no escape sequences, no timestamps, no runner marks; lines end in a line feed.

    Attributes:
        command: the failing step's first line, "" where no step could be told.
        cut: bytes of the part (or of the log) that are left out of the middle.
        total: bytes of the whole log.
    """

    command: str
    text: str
    cut: int
    total: int


class _Ends:
    """The first and the last `half` bytes of what is fed, and how much that was."""

    __slots__ = ("_half", "head", "tail", "total")

    def __init__(self, half: int) -> None:
        self._half = half
        self.head = bytearray()
        self.tail = bytearray()
        self.total = 0

    def feed(self, data: memoryview) -> None:
        self.total += len(data)
        room = self._half - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if len(data) >= self._half:
            self.tail[:] = data[len(data) - self._half :]
        elif data:
            self.tail += data
            if len(self.tail) > 2 * self._half:
                del self.tail[: -self._half]

    def frozen(self) -> "_Part":
        tail = bytes(self.tail[-self._half :])
        return _Part(bytes(self.head), tail, self.total - len(self.head) - len(tail))


@dataclass(frozen=True, slots=True)
class _Part:
    head: bytes
    tail: bytes
    cut: int

    def opened_at(self) -> datetime | None:
        stamp = _STAMP.search(self.head[:64])
        if stamp is None:
            return None
        try:
            return datetime.fromisoformat(stamp[0][:_STAMP_LENGTH].decode("ascii")).replace(tzinfo=UTC)
        except ValueError:
            return None


def excerpt(log: Iterable[bytes], failed: Iterable[Step] = (), limit: int = 32 * 1024) -> LogExcerpt:
    """Cut a job's log.

    Args:
        log: pieces of any size.
        failed: the job's failing steps by the API; the first of them is meant.
        limit: bytes kept of the part, before it is made readable.
    """
    reader = _Reader(limit)
    for piece in log:
        reader.feed(piece)
    return reader.finish(next(iter(failed), None))


class _Reader:
    """Follows the steps of a log. Lines are looked at only where a mark may be: finding marks is the cost."""

    def __init__(self, limit: int) -> None:
        self._half = max(256, limit // 2)
        self._whole = _Ends(self._half)
        self._step: _Ends | None = None
        self._failure: _Part | None = None
        self._failures: list[_Part] = []
        self._marks = 0
        self._pending = b""

    def feed(self, piece: bytes) -> None:
        data = self._pending + piece
        whole_lines = data.rfind(b"\n") + 1
        if not whole_lines and len(data) <= self._half:
            self._pending = data
            return
        whole_lines = whole_lines or len(data)  # a line longer than what is kept may be split
        self._pending = data[whole_lines:]
        self._lines(data[:whole_lines])

    def finish(self, step: Step | None) -> LogExcerpt:
        self._lines(self._pending)
        self._close_step()
        part = self._chosen(step)
        if part is None:
            return _readable(self._whole.frozen(), "", self._whole.total)
        first = part.head[: part.head.find(b"\n") + 1 or None].decode("utf-8", "replace")
        command = _clean(first).strip().removeprefix("Run ")
        return _readable(part, command, self._whole.total)

    def _lines(self, block: bytes) -> None:
        """A block of whole lines."""
        view = memoryview(block)
        self._whole.feed(view)
        done = 0
        while self._marks < _MAX_MARKS:
            mark = block.find(_OPENING, done)
            if mark < 0:
                break
            self._marks += 1
            line = block.rfind(b"\n", 0, mark) + 1
            if line >= done and _is_stamp(block[line:mark]):
                self._inside(block, view, done, line)
                self._close_step()
                self._step = _Ends(self._half)
                done = line
            after = block.find(b"\n", mark) + 1 or len(block)
            self._inside(block, view, done, after)
            done = after
        self._inside(block, view, done, len(block))

    def _inside(self, block: bytes, view: memoryview, start: int, end: int) -> None:
        """Bytes of the present step; what is kept as its failure ends with its last error."""
        if self._step is None or start >= end:
            return
        error = _last_error(block, start, end)
        if error >= 0:
            stop = block.find(b"\n", error, end) + 1 or end
            self._step.feed(view[start:stop])
            self._failure = self._step.frozen()
            start = stop
        self._step.feed(view[start:end])

    def _close_step(self) -> None:
        if self._failure is not None:
            self._failures = [*self._failures, self._failure][-_KEPT_FAILURES:]
        self._failure = None
        self._step = None

    def _chosen(self, step: Step | None) -> _Part | None:
        """The failing step the API names, by its time and then by its name; else the last one."""
        if not self._failures:
            return None
        if step is not None:
            timed = [part for part in self._failures if _within(part.opened_at(), step)]
            named = [part for part in timed or self._failures if f"##[group]{step.name}\n".encode() in part.head]
            if named or timed:
                return (named or timed)[-1]
        return self._failures[-1]


def _last_error(block: bytes, start: int, end: int) -> int:
    """Where the last error mark that opens a line lies; -1 for none among the last few."""
    for _ in range(_MAX_FALSE_ERRORS):
        mark = block.rfind(_ERROR, start, end)
        if mark < 0:
            break
        end = block.rfind(b"\n", 0, mark) + 1
        if _is_stamp(block[end:mark]):
            return mark
    return -1


def _is_stamp(text: bytes) -> bool:
    return _STAMP.fullmatch(text.removeprefix(b"\xef\xbb\xbf")) is not None


def _within(moment: datetime | None, step: Step) -> bool:
    if moment is None or step.started_at is None or step.completed_at is None:
        return False
    return step.started_at - _CLOCK_SLACK <= moment <= step.completed_at + _CLOCK_SLACK


def _readable(part: _Part, command: str, total: int) -> LogExcerpt:
    text = _clean(part.head.decode("utf-8", "replace"))
    if part.cut:
        text += f"\n[... {part.cut} bytes of the log left out ...]\n"
    text += _clean(part.tail.decode("utf-8", "replace"))
    return LogExcerpt(command, text.strip("\n"), part.cut, total)


def _clean(text: str) -> str:
    """Without timestamps, escape sequences, marks and control characters; a progress line keeps its last state."""
    text = _STAMPED_LINE.sub("", text.replace("\r\n", "\n"))
    text = _RUNNER_MARK.sub("", _ANSI.sub("", text))
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", "\n".join(lines))
