"""Runs what was composed to its end, whatever signal comes meanwhile."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import FrameType
from typing import TYPE_CHECKING

from autofix.cli.composing import Composed
from autofix.errors import Cancelled, UsageError
from autofix.pipeline.order import RESULT_FILE
from autofix.pipeline.run import run
from autofix.ports.clock import Clock
from autofix.report.tally import Tally
from autofix.state.history import History, replayable, seconds_spent
from autofix.state.journal import Journal, Read
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder, Watcher

if TYPE_CHECKING:
    from autofix.report.facts import RunReport


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""SIGHUP is a closed terminal or a lost connection: the run ends as if it had been cancelled."""


def start(composed: Composed, watchers: Sequence[Watcher], ending: Callable[[], None]) -> "RunReport":
    """Run to the end and drop what only the running needed."""
    journal = Journal.create(composed.directory.journal, composed.world.clock)
    return _played(composed, journal, watchers, ending)


def resume(
    composed: Composed, journal: Journal, past: Read, watchers: Sequence[Watcher], ending: Callable[[], None]
) -> "RunReport":
    """Go on where a killed process left a run. `journal` is open, `past` what it holds.

    Raises:
        UsageError: the run is not about these commits any more; nothing was done.
    """
    told = past.events[0].data
    pull_request = composed.order.pull_request
    if told["head"] != pull_request.head:
        raise UsageError(
            f"the run worked on {str(told['head'])[:12]}, and the branch is now at {pull_request.head[:12]}:"
            " start a new run"
        )
    (composed.directory.path / RESULT_FILE).unlink(missing_ok=True)  # of the pause: until its end, a run has none
    return _played(composed, journal, watchers, ending, past)


def _played(
    composed: Composed,
    journal: Journal,
    watchers: Sequence[Watcher],
    ending: Callable[[], None],
    past: Read | None = None,
) -> "RunReport":
    events = past.events if past else ()
    directory, tally = composed.directory, Tally()
    history = History(replayable(events), past.torn if past else "")
    recorder = Recorder(journal, [tally, *watchers], composed.world.redactor.text, history)
    world = replace(composed.world, clock=UnhurriedClock(composed.world.clock, recorder)) if events else composed.world
    try:
        return run(composed.order, world, recorder, tally, ending, spent=seconds_spent(events))
    finally:
        journal.close()
        composed.world.model.close()
        directory.remove_work()


@dataclass(frozen=True, slots=True)
class UnhurriedClock:
    """A clock that does not wait again for what a resumed run has waited for."""

    inner: Clock
    recorder: Recorder

    def now(self) -> datetime:
        return self.inner.now()

    def monotonic(self) -> float:
        return self.inner.monotonic()

    def sleep(self, seconds: float) -> None:
        if not self.recorder.recalling:
            self.inner.sleep(seconds)


@contextmanager
def cancelled_by_signals() -> Iterator[Callable[[], None]]:
    """SIGTERM, SIGINT and SIGHUP end the run with an outcome; another one while the end is written changes nothing.

    That is for runners, which send SIGINT and then SIGTERM. Two SIGINTs are a person at a terminal who does not want
    to wait: the process stops at once, as if killed, and the run can be resumed.

    Yields a function that says the run has ended: from then on a first signal changes nothing any more.
    """
    state = {"ending": False, "interrupted": False}

    def cancel(number: int, _frame: FrameType | None) -> None:
        again = number == signal.SIGINT and state["interrupted"]
        state["interrupted"] |= number == signal.SIGINT
        if state["ending"]:
            if again:
                os.write(2, b"autofix: stopped at once; what the run had come to is on its journal\n")
                os._exit(Outcome.CANCELLED.exit_code)
            return
        state["ending"] = True
        raise Cancelled(f"stopped by {signal.Signals(number).name}")

    def ending() -> None:
        state["ending"] = True

    before = {number: signal.signal(number, cancel) for number in ENDING}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
