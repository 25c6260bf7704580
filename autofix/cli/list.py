"""`autofix list`: the runs of this machine."""

import json
from pathlib import Path

import click

from autofix.cli.standing import standing, state_directory
from autofix.cli.status import as_json
from autofix.start import Taken
from autofix.world.run_directory import RunDirectory


@click.command(name="list")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--json", "machine", is_flag=True, help="One JSON document a line.")
@click.pass_obj
def command(taken: Taken, /, *, state_dir: Path | None, machine: bool) -> int:
    """List the runs that left something, the oldest first."""
    for directory in RunDirectory.all(state_directory(taken, state_dir)):
        found = standing(directory)
        click.echo(json.dumps(as_json(found)) if machine else f"{found.name}  {found.line}")
    return 0
