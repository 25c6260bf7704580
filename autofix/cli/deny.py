"""`autofix deny`: a person refuses what a run waits for, and the run goes on without it."""

from pathlib import Path

import click

from autofix.cli.answering import answered, person
from autofix.cli.run import STREAM, View
from autofix.harness.approval import Answer
from autofix.start import Taken


@click.command(name="deny")
@click.argument("run")
@click.argument("question", metavar="ID")
@click.argument("why", nargs=-1)
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--output-format", type=click.Choice(["text", "json", STREAM]), default="text", show_default=True)
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@click.pass_obj
def command(
    taken: Taken,
    /,
    *,
    run: str,
    question: str,
    why: tuple[str, ...],
    state_dir: Path | None,
    output_format: str,
    quiet: bool,
) -> int:
    """Refuse what RUN asks under ID, with WHY for the model, and go on with it. Exit codes as for `run`."""
    answer = Answer(approved=False, by=person(), why=" ".join(why))
    return answered(taken, run, question, answer, state_dir=state_dir, view=View(output_format, quiet=quiet))
