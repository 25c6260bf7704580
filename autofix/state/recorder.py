"""Where a run's events go: onto the journal first, then to whoever watches.

The one place that writes events, so that no deed can be announced without the machine agreeing to it.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from autofix.ports.model import JsonObject, JsonValue
from autofix.state.events import Kind
from autofix.state.history import History
from autofix.state.journal import Event, Journal
from autofix.state.run_state import RunState

Watcher = Callable[[Event], None]
SHORT_TEXT = 120
"""Characters. Names of layers, rules and tools, and most reasons, come again with every call: scrubbed once each."""
KNOWN_TEXTS = 1024
_NO_TIME = datetime.fromtimestamp(0, UTC)


class Recorder:
    """Appends events to the journal, keeps the state they fold into, and tells the watchers.

    `scrub` is applied to every text that is written (redaction); what it returns is what the disk sees. A run that is
    resumed has a `history`: what stands there is told again instead of being written again.
    """

    def __init__(
        self,
        journal: Journal,
        watchers: Sequence[Watcher] = (),
        scrub: Callable[[str], str] = lambda text: text,
        history: History | None = None,
    ) -> None:
        self._journal = journal
        self._history = history or History()
        self._resumed_after = history.last if history else 0
        self._watchers = tuple(watchers)
        known = lru_cache(KNOWN_TEXTS)(scrub)
        self._scrub = lambda text: known(text) if len(text) <= SHORT_TEXT else scrub(text)
        self.state = RunState()
        self.plan = 0

    def record(self, event: Kind, /, **data: JsonValue) -> Event:
        """Announce or report something; returns once an announcement is durable.

        Raises:
            JournalError: it could not be written, or the machine has no such transition; then it must not be done.
            ResumeMismatch: a resumed run came to something else than its past holds.
        """
        past = self._history.take(event, self._take_in)
        if past is not None:
            return past
        if self._resumed_after:
            after, self._resumed_after = self._resumed_after, 0
            self._write(Kind.RESUMED, {"after": after, "torn": self._history.torn})
        return self._write(event, data)

    @property
    def recalling(self) -> bool:
        """Whether the run is still where it has been before."""
        return bool(self._history)

    def recall(self, event: Kind) -> Event | None:
        """What the run comes to next, where that has happened before and is of this kind."""
        return self._history.ahead(event)

    def recall_end(self, event: Kind) -> Event | None:
        """How a stretch ended that was played before; all that happened in it is told. None where it must be played."""
        return self._history.skip_to(event, self._take_in)

    def _write(self, event: Kind, data: JsonObject) -> Event:
        self.state.then(Event(self.state.events + 1, _NO_TIME, event, self.plan, data))  # illegal: nothing is written
        written = self._journal.append(event, _scrubbed(data, self._scrub), plan=self.plan)
        self._take_in(written)
        return written

    def _take_in(self, event: Event) -> None:
        self.state = self.state.then(event)
        for watch in self._watchers:
            self._tell(watch, event)

    def _tell(self, watch: Watcher, event: Event) -> None:
        try:
            watch(event)
        except Exception:  # noqa: BLE001 - a reader that fails (a closed terminal) must not end the run it reads about
            self._watchers = tuple(one for one in self._watchers if one is not watch)

    def note(self, text: str) -> None:
        self.record(Kind.NOTE, text=text)


def texts(items: Iterable[object]) -> list[JsonValue]:
    """The items as a list of text, for an event's data."""
    return [str(item) for item in items]


def _scrubbed(data: JsonObject, scrub: Callable[[str], str]) -> dict[str, JsonValue]:
    return {key: scrubbed_value(value, scrub) for key, value in data.items()}


def scrubbed_value(value: JsonValue, scrub: Callable[[str], str]) -> JsonValue:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, list):
        return [scrubbed_value(item, scrub) for item in value]
    if isinstance(value, dict):
        return {key: scrubbed_value(item, scrub) for key, item in value.items()}
    return value
