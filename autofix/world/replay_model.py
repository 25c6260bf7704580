"""Models that answer from a transcript, and models that write one.

`ReplayModel` plays a recorded conversation in order; `RecordingModel` wraps any door and records what passes it. The
format is ports/transcript.py's.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from autofix.errors import ModelError, ReplayMismatch
from autofix.ports.model import JsonValue, Message, Model, ModelReply, ModelRequest, TextBlock, message_to_wire
from autofix.ports.transcript import Exchange, RecordedRequest, messages_kept, read_line, tool_to_wire, write_line


class RecordingModel:
    """`inner` with every exchange written to `sink` (one line a call) before it is handed on."""

    def __init__(self, inner: Model, sink: Callable[[str], None]) -> None:
        self._inner = inner
        self._sink = sink
        self._previous: ModelRequest | None = None
        self._lock = threading.Lock()

    def prepare(self) -> None:
        self._inner.prepare()

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        try:
            reply = self._inner.reply(request, on_text)
        except ModelError as error:
            self._record(request, error)
            raise
        self._record(request, reply)
        return reply

    def close(self) -> None:
        self._inner.close()

    def _record(self, request: ModelRequest, outcome: ModelReply | ModelError) -> None:
        with self._lock:
            self._sink(write_line(request, outcome, self._previous))
            self._previous = replace(request, messages=tuple(request.messages))  # the conversation's own list grows


class ResumedModel:
    """Gives once more the answers a run had been given (and the failures it met), then asks `inner`."""

    def __init__(self, lines: Iterable[str], inner: Model) -> None:
        self._before = _exchanges(lines)
        self._inner = inner
        self._lock = threading.Lock()

    def prepare(self) -> None:
        self._inner.prepare()

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        with self._lock:
            before = next(self._before, None)
        if before is None:
            return self._inner.reply(request, on_text)
        if isinstance(before.outcome, ModelError):
            raise before.outcome
        return before.outcome

    def close(self) -> None:
        self._inner.close()


class ReplayModel:
    """Answers from a transcript's lines, in order; what was recorded as failed fails again.

    With `strict`, each request is compared with the recorded one, and the first difference ends the replay. Lines
    without a request are never compared.

    Attributes:
        ended: more was asked than the transcript holds.
        mismatch: where the conversation left the transcript; None where it did not.
    """

    def __init__(self, lines: Iterable[str], *, strict: bool = False) -> None:
        """Lines are read as they are played; a damaged one raises UsageError then, with its number."""
        self._exchanges = _exchanges(lines)
        self._strict = strict
        self._turn = 0
        self.ended = False
        self.mismatch: ReplayMismatch | None = None
        self._recorded = _RecordedConversation()
        self._lock = threading.Lock()

    @property
    def turns(self) -> int:
        """How many requests were as recorded."""
        return self._turn - (self.ended or self.mismatch is not None)

    def prepare(self) -> None:
        """Nothing to load."""

    def close(self) -> None:
        """Nothing is open."""

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        """The transcript's next outcome.

        Raises:
            ReplayMismatch: the transcript has ended, or (strict) the request is not the recorded one.
        """
        with self._lock:
            self._turn += 1
            exchange = next(self._exchanges, None)
            if exchange is None:
                self.ended = True
                raise ReplayMismatch(
                    f"turn {self._turn}: the transcript ends after {self._turn - 1} turns, the run asks for another",
                    turn=self._turn,
                )
            if self._strict and exchange.request is not None:
                self._compare(request, exchange.request)
        if isinstance(exchange.outcome, ModelError):
            raise exchange.outcome
        for block in exchange.outcome.blocks:
            if isinstance(block, TextBlock):
                on_text(block.text)
        return exchange.outcome

    def _compare(self, request: ModelRequest, recorded: RecordedRequest) -> None:
        difference = self._recorded.difference(request, recorded)
        if difference is not None:
            path, what = difference
            told = f"turn {self._turn} differs at {path}: {what}"
            self.mismatch = ReplayMismatch(told, turn=self._turn, path=path)
            raise self.mismatch


class _RecordedConversation:
    """The recorded requests unfolded from their differences. What was found equal once is not compared again."""

    def __init__(self) -> None:
        self._system: JsonValue = None
        self._tools: JsonValue = None
        self._messages: list[JsonValue] = []
        self._equal: Sequence[Message] = ()

    def difference(self, request: ModelRequest, recorded: RecordedRequest) -> tuple[str, str] | None:
        """Where the request first differs from the recorded one, and how; None where it does not."""
        self._unfold(recorded)
        settings: tuple[tuple[str, JsonValue, JsonValue], ...] = (
            ("model", request.model, recorded.model),
            ("max_tokens", request.max_tokens, recorded.max_tokens),
            ("system", request.system, self._system),
            ("tools", [tool_to_wire(tool) for tool in request.tools], self._tools),
        )
        for path, mine, theirs in settings:
            found = first_difference(mine, theirs, path)
            if found is not None:
                return found
        return self._message_difference(request, recorded)

    def _message_difference(self, request: ModelRequest, recorded: RecordedRequest) -> tuple[str, str] | None:
        known = min(messages_kept(self._equal, request.messages), recorded.kept)
        for index in range(known, max(len(request.messages), len(self._messages))):
            mine: JsonValue = _ABSENT
            if index < len(request.messages):
                mine = message_to_wire(request.messages[index])
            theirs = self._messages[index] if index < len(self._messages) else _ABSENT
            found = first_difference(mine, theirs, f"messages[{index}]")
            if found is not None:
                return found
        self._equal = tuple(request.messages)
        return None

    def _unfold(self, recorded: RecordedRequest) -> None:
        if recorded.system is not None:
            self._system = recorded.system
        if recorded.tools is not None:
            self._tools = [dict(tool) for tool in recorded.tools]
        del self._messages[recorded.kept :]
        self._messages.extend(dict(message) for message in recorded.messages)


_ABSENT = "(absent)"
_SHOWN = 80  # characters of each side of a difference


def first_difference(mine: JsonValue, theirs: JsonValue, path: str) -> tuple[str, str] | None:
    """Path and description of the first place where two JSON values differ."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        pairs = ((f"{path}.{key}", mine.get(key, _ABSENT), theirs.get(key, _ABSENT)) for key in {**theirs, **mine})
    elif isinstance(mine, list) and isinstance(theirs, list):
        pairs = (
            (
                f"{path}[{index}]",
                mine[index] if index < len(mine) else _ABSENT,
                theirs[index] if index < len(theirs) else _ABSENT,
            )
            for index in range(max(len(mine), len(theirs)))
        )
    elif mine == theirs and type(mine) is type(theirs):
        return None
    else:
        return path, _both(mine, theirs)
    for inner_path, inner_mine, inner_theirs in pairs:
        found = first_difference(inner_mine, inner_theirs, inner_path)
        if found is not None:
            return found
    return None


def _both(mine: JsonValue, theirs: JsonValue) -> str:
    """Both sides, cut to a window that begins shortly before two texts part."""
    start = 0
    if isinstance(mine, str) and isinstance(theirs, str):
        common = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), None)
        parting = min(len(mine), len(theirs)) if common is None else common
        start = max(0, parting - _SHOWN // 4)
    return f"recorded {_window(theirs, start)}, now {_window(mine, start)}"


def _window(value: JsonValue, start: int) -> str:
    if isinstance(value, str):
        return ("..." if start else "") + repr(value[start : start + _SHOWN])
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _exchanges(lines: Iterable[str]) -> Iterator[Exchange]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield read_line(line, number)
