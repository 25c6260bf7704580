"""`autofix cancel`: end a run that another process plays, as Ctrl-C there would."""

import signal
from pathlib import Path

import click

from autofix.cli.answering import person
from autofix.cli.resume import played_on
from autofix.cli.run import View
from autofix.cli.standing import Life, Standing, standing, state_directory
from autofix.errors import UsageError
from autofix.harness.approval import Answer
from autofix.start import Taken
from autofix.state.outcome import Outcome
from autofix.world.owner import end
from autofix.world.run_directory import RunDirectory

WAIT = 30.0
"""Seconds, by default: a run writes its end within 10; the rest is for a machine that is busy."""


@click.command(name="cancel")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--wait", type=click.FloatRange(min=0), default=WAIT, show_default=True, help="Seconds for its end.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None, wait: float) -> int:
    """Cancel RUN and wait for its outcome. A run that has ended, or whose process was killed, stays as it is.

    One that waits for a person is ended, too, and says so wherever it asked.

    Exit codes: 0 it does not run any more; 1 it did not end in time.
    """
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    found = standing(directory)
    if found.life is Life.WAITING:
        answer = Answer(approved=False, by=person(), ends=True)
        played_on(directory, taken, View(quiet=True), {found.state.question: answer})
    in_time = found.life is not Life.RUNNING or _ended(found, wait)
    found = standing(directory)
    if not in_time:
        click.echo(f"{found.name} has been told to end, and has not within {wait:g} s: {found.line}", err=True)
        return Outcome.ERROR.exit_code
    click.echo(f"{found.name}  {found.line}")
    return 0


def _ended(found: Standing, seconds: float) -> bool:
    try:
        return end(found.directory.owner, signal.SIGTERM, seconds)
    except ProcessLookupError:
        return True
    except PermissionError as error:
        raise UsageError(f"{found.name} cannot be cancelled: {error}") from error
