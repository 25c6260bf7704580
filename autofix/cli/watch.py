"""`autofix watch`: the live view of a run that another process plays."""

import time
from collections.abc import Iterator
from pathlib import Path

import click

from autofix.cli.live import LiveView
from autofix.cli.standing import Life, is_running, standing, state_directory
from autofix.pipeline.order import RESULT_FILE
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.journal import Event, Read, read_on
from autofix.state.outcome import Outcome
from autofix.world.run_directory import RunDirectory

PAUSE = 0.2
"""Seconds between two looks at the journal: below what a person takes for a delay."""


@click.command(name="watch")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None) -> int:
    """Show RUN from its beginning, as `run` itself shows it, until it has ended.

    Exit code: the run's own; 11 where it waits for a person; 1 where its process is gone without an end. Ctrl-C ends
    the watching, not the run.
    """
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    view = LiveView()
    try:
        for event in followed(directory):
            view(event)
    finally:
        view.close()
    found = standing(directory)
    if found.life is Life.ENDED:
        return Outcome(found.state.outcome).exit_code
    click.echo(f"{found.name}  {found.line}", err=True)
    if found.life is Life.WAITING:
        return Outcome.AWAITING_APPROVAL.exit_code
    return Outcome.ERROR.exit_code


def followed(directory: RunDirectory) -> Iterator[Event]:
    """Each event as it comes, until the run has ended or no process goes on with it."""
    seen, ended = Read(()), False
    while True:
        over = not is_running(directory)  # before the reading: nothing follows what is read then
        if directory.journal.exists():
            seen = read_on(directory.journal, seen)
            yield from seen.events
            ended = seen.events[-1].kind is Kind.RUN_ENDED if seen.events else ended
        if over or (ended and (directory.path / RESULT_FILE).exists()):
            return
        time.sleep(PAUSE)
