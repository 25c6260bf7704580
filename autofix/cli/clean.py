"""`autofix clean`: drop what dead runs left, and the records of old runs."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from autofix.cli.standing import Life, standing, state_directory
from autofix.start import Taken
from autofix.state.journal import is_being_written
from autofix.world.clock import SystemClock
from autofix.world.rooms import room
from autofix.world.run_directory import RunDirectory

LEAVING = ("docker", "host")
"""Rooms that leave something where a run is killed; bubblewrap's is found with the host's."""
BEGINNING = timedelta(minutes=1)
"""A run without journal and owner that is younger may just be about to write them."""


@click.command(name="clean")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option(
    "--older-than",
    type=click.IntRange(min=0),
    metavar="DAYS",
    help="Remove also the records of runs started longer ago; of one that goes on or waits for a person, never.",
)
@click.pass_obj
def command(taken: Taken, /, *, state_dir: Path | None, older_than: int | None) -> int:
    """Remove what runs whose process is gone left in use: trees, repositories, containers. Their records stay."""
    state = state_directory(taken, state_dir)
    RunDirectory.sweep(state)
    for name in LEAVING:
        candidate = room(name)
        if candidate.unavailable() is None:
            candidate.sweep()
    now = SystemClock().now()
    old = [] if older_than is None else _over(state, now - timedelta(days=older_than), now)
    for directory in old:
        directory.remove()
        click.echo(f"removed {directory.path.name}")
    return 0


def _over(state: Path, before: datetime, now: datetime) -> list[RunDirectory]:
    return [run for run in RunDirectory.all(state) if _is_over(run, before, now)]


def _is_over(run: RunDirectory, before: datetime, now: datetime) -> bool:
    try:
        started = run.started.astimezone(UTC)
    except ValueError:
        return False  # not a run of ours
    if started > before or (not run.journal.exists() and started > now - BEGINNING):
        return False
    found = standing(run)
    goes_on = found.life is Life.RUNNING or (found.expires is not None and found.expires > now)
    return not goes_on and not is_being_written(run.journal)
