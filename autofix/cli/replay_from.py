"""`autofix replay RUN --from-turn N`: a new run, as the old one was until then, and from there with the real model."""

import shutil
from dataclasses import replace
from itertools import islice

from autofix.cli.compose import WORDS_FILE, kept_words
from autofix.cli.composing import TRANSCRIPT_FILE, run_id
from autofix.cli.resume import go_on
from autofix.cli.run import View
from autofix.cli.words import words_to_json
from autofix.errors import UsageError
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.history import replayable
from autofix.state.journal import Event, Journal, read
from autofix.world.clock import SystemClock
from autofix.world.run_directory import RunDirectory


def go_on_from(directory: RunDirectory, turn: int, taken: Taken, view: View) -> int:
    """Play a new run that shares the first `turn - 1` turns; its exit code. It pushes nothing: a patch is its top rung.

    Raises:
        UsageError: the run has no such turn, or cannot go on with what is here now.
    """
    words = replace(kept_words(directory), delivery="patch")
    kept, answered = before_turn(read(directory.journal).events, turn, directory.path.name)
    forked = RunDirectory.create(directory.state, run_id(SystemClock().now()))
    try:
        shutil.copytree(directory.path / "memory", forked.path / "memory", dirs_exist_ok=True)
        forked.keep(WORDS_FILE, words_to_json(words))
        lines = "".join(f"{line}\n" for line in islice(directory.read_lines(TRANSCRIPT_FILE), answered))
        forked.keep(TRANSCRIPT_FILE, lines.encode("utf-8", "surrogatepass"))
        _write(forked, kept)
        return go_on(forked, taken, view, {})
    except UsageError:
        forked.remove()
        raise


def before_turn(events: tuple[Event, ...], turn: int, name: str) -> tuple[tuple[Event, ...], int]:
    """The events in force before a turn's model call, and how many of the transcript's lines belong to them.

    Raises:
        UsageError: there is no such turn.
    """
    past = replayable(events)
    calls = [place for place, event in enumerate(past) if event.kind is Kind.MODEL_CALLED]
    if not 1 <= turn <= len(calls):
        have = f"{len(calls)} turns" if len(calls) != 1 else "one turn"
        raise UsageError(f"--from-turn {turn}: {name} has {have}")
    kept = past[: calls[turn - 1]]
    return kept, sum(event.kind in {Kind.MODEL_REPLIED, Kind.MODEL_RETRIED} for event in kept)


def _write(forked: RunDirectory, events: tuple[Event, ...]) -> None:
    journal = Journal.create(forked.journal, SystemClock())
    try:
        for event in events:
            data = {**event.data, "run": forked.path.name} if event.kind is Kind.RUN_STARTED else event.data
            journal.append(event.kind, data, plan=event.plan)
    finally:
        journal.close()
