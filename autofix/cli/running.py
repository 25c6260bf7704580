"""Runs what was composed to its end, whatever signal comes meanwhile."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from autofix.cli.composing import Composed
from autofix.errors import Cancelled
from autofix.pipeline.run import run
from autofix.report.tally import Tally
from autofix.state.journal import Journal
from autofix.state.recorder import Recorder, Watcher

if TYPE_CHECKING:
    from autofix.report.facts import RunReport


ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""SIGHUP is a closed terminal or a lost connection: the run ends as if it had been cancelled."""


def start(composed: Composed, watchers: Sequence[Watcher], ending: Callable[[], None]) -> "RunReport":
    """Run to the end and drop what only the running needed."""
    directory, tally = composed.directory, Tally()
    journal = Journal.create(directory.journal, composed.world.clock)
    recorder = Recorder(journal, [tally, *watchers], composed.world.redactor.text)
    try:
        return run(composed.order, composed.world, recorder, tally, ending)
    finally:
        journal.close()
        composed.world.model.close()
        directory.remove_work()


@contextmanager
def cancelled_by_signals() -> Iterator[Callable[[], None]]:
    """SIGTERM, SIGINT and SIGHUP end the run with an outcome; another one while the end is written changes nothing.

    Yields a function that says the run has ended: from then on a first signal changes nothing any more.
    """
    state = {"ending": False}

    def cancel(number: int, _frame: FrameType | None) -> None:
        if state["ending"]:
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
