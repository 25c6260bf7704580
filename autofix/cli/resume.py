"""`autofix resume`: a run whose process is gone goes on where it was."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from autofix.cli.compose import recompose
from autofix.cli.composing import Composed
from autofix.cli.run import STREAM, View, printed
from autofix.cli.running import cancelled_by_signals, resume
from autofix.cli.standing import ask_for, state_directory
from autofix.cli.tracing import traced
from autofix.errors import UsageError
from autofix.harness.approval import Answer
from autofix.pipeline.order import RESULT_FILE
from autofix.report.facts import RunReport
from autofix.start import Taken
from autofix.state.journal import Event, Journal
from autofix.state.machine import Phase
from autofix.state.run_state import fold
from autofix.world.clock import SystemClock
from autofix.world.run_directory import RunDirectory


@click.command(name="resume")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--output-format", type=click.Choice(["text", "json", STREAM]), default="text", show_default=True)
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None, output_format: str, quiet: bool) -> int:
    """Go on with a run that was killed: RUN is its name, the beginning of it, or `last`.

    What the run has paid for is not paid again: its conversation goes on where it was. A tool call that was under way
    is told to the model as one of unknown outcome. Exit codes as for `run`.
    """
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    return go_on(directory, taken, View(output_format, quiet=quiet), {})


def go_on(directory: RunDirectory, taken: Taken, view: View, answers: Mapping[str, Answer]) -> int:
    """Play the rest of a run and print how it ended; its exit code. Arguments and errors as for `played_on`."""
    report, composed = played_on(directory, taken, view, answers)
    printed(report, composed, view.output_format)
    return report.outcome.exit_code


def played_on(
    directory: RunDirectory, taken: Taken, view: View, answers: Mapping[str, Answer]
) -> tuple[RunReport, Composed]:
    """Play the rest of a run. `answers` are what people have said to what it waits for.

    Raises:
        UsageError: it cannot go on, or not with these answers; it is as it was.
    """
    name = directory.path.name
    with cancelled_by_signals() as ending:
        journal, past = Journal.reopen(directory.journal, SystemClock())
        try:
            _check(name, past.events, directory, answers)
            composed = recompose(directory, taken, lambda _text: None)
            composed = replace(composed, world=replace(composed.world, answers=answers))
            with traced(composed.order, taken.environ) as tracers:
                return resume(composed, journal, past, [*view.watchers(), *tracers], ending), composed
        finally:
            journal.close()


def _check(name: str, events: tuple[Event, ...], directory: RunDirectory, answers: Mapping[str, Answer]) -> None:
    if not events:
        raise UsageError(f"{name} was stopped before it began: start a new run")
    now = fold(events)
    if now.phase.ended and (directory.path / RESULT_FILE).exists():
        raise UsageError(f"{name} has ended: {now.outcome}")
    waits = now.phase is Phase.WAITING_FOR_APPROVAL
    if waits and now.question not in answers:
        word = f"the answer is to {next(iter(answers))}, and " if answers else ""
        raise UsageError(f"{word}{name} waits for a person: {ask_for(name, now.question)}")
    if answers and not waits:
        raise UsageError(f"{name} asks nothing now")
