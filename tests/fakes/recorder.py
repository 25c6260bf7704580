"""A recorder whose journal is a list, and a clock that only moves when told."""

from datetime import UTC, datetime, timedelta

from autofix.state.events import Kind
from autofix.state.history import History
from autofix.state.journal import Event
from autofix.state.recorder import Recorder


class ListJournal:
    """Keeps events in memory; refuses nothing."""

    def __init__(self, clock):
        self.events = []
        self._clock = clock

    def append(self, kind, data, *, plan):
        event = Event(len(self.events) + 1, self._clock.now(), kind, plan, data)
        self.events.append(event)
        return event

    def close(self):
        pass


class ManualClock:
    """`ports.clock.Clock`: sleeping moves it, nothing else does."""

    def __init__(self):
        self.seconds = 1000.0
        self.slept = []

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self):
        return self.seconds

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.seconds += seconds


def started_recorder(*watchers):
    """A recorder of a run that has begun; `recorder.events` lists what was recorded."""
    journal = ListJournal(ManualClock())
    recorder = Recorder(journal, watchers)
    recorder.record(Kind.RUN_STARTED, run="test", head="a" * 40, branch="feature", sandbox="docker")
    recorder.events = journal.events
    return recorder


def resumed_recorder(past):
    """A recorder of a run that goes on; `past` is what its journal holds, and the run has come to its start again."""
    journal = ListJournal(ManualClock())
    recorder = Recorder(journal, history=History(past))
    recorder.record(Kind.RUN_STARTED)
    recorder.events = journal.events
    return recorder


def of_kind(recorder, kind):
    return [event.data for event in recorder.events if event.kind is kind]
