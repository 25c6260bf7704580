"""`autofix result`: how a run ended, asked from another process."""

import json
from pathlib import Path

import click

from autofix.cli.standing import standing, state_directory
from autofix.errors import AutofixError, UsageError
from autofix.pipeline.order import RESULT_FILE
from autofix.start import Taken
from autofix.world.run_directory import RunDirectory


@click.command(name="result")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--json", "machine", is_flag=True, help="The whole document; its schema: `autofix schema result`.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None, machine: bool) -> int:
    """Print the result of RUN. Exit code: the run's own; 2 where it has none."""
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    place = directory.path / RESULT_FILE
    try:
        content = place.read_text(encoding="utf-8")
        told = json.loads(content)
        code, line = int(told["exit_code"]), f"{told['outcome']}: {told['reason']}"
    except FileNotFoundError:
        raise UsageError(f"{directory.path.name} has no result: {standing(directory).line}") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise AutofixError(f"{place} is not a result: {error}") from error
    click.echo(content.rstrip("\n") if machine else f"{line}\nresult: {place}")
    return code
