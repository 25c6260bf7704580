"""`autofix resume`: a run whose process is gone goes on where it was."""

from pathlib import Path

import click

from autofix.cli.compose import recompose
from autofix.cli.run import STREAM, View, printed
from autofix.cli.running import cancelled_by_signals, resume
from autofix.cli.standing import state_directory
from autofix.errors import UsageError
from autofix.pipeline.order import RESULT_FILE
from autofix.start import Taken
from autofix.state.journal import Journal
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
    view = View(output_format, quiet=quiet)
    with cancelled_by_signals() as ending:
        journal, past = Journal.reopen(directory.journal, SystemClock())
        try:
            if not past.events:
                raise UsageError(f"{directory.path.name} was stopped before it began: start a new run")
            now = fold(past.events)
            if now.phase.ended and (directory.path / RESULT_FILE).exists():
                raise UsageError(f"{directory.path.name} has ended: {now.outcome}")
            composed = recompose(directory, taken, lambda _text: None)
            report = resume(composed, journal, past, view.watchers(), ending)
        finally:
            journal.close()
    printed(report, composed, output_format)
    return report.outcome.exit_code
