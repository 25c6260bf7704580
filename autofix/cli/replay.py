"""`autofix replay`: play a run again from its record, and say whether the model would be asked the same."""

import os
import shutil
import tempfile
from pathlib import Path

import click

from autofix.cli.compose import restage
from autofix.cli.composing import TRANSCRIPT_FILE
from autofix.cli.run import default_state_directory
from autofix.cli.running import resume
from autofix.errors import UsageError
from autofix.start import Taken
from autofix.state.journal import Journal
from autofix.world.clock import SystemClock
from autofix.world.no_room import NoRoom
from autofix.world.replay_model import ReplayModel
from autofix.world.run_directory import RunDirectory

DIFFERS = 1
"""Exit code where a request is not the recorded one."""


@click.command(name="replay")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None) -> int:
    """Play RUN again from its record: no model, no sandbox, nothing delivered.

    Every request to the model is compared with the recorded one, byte for byte. Exit code 0 where all are equal, 1
    where one differs: then its turn and place are named.
    """
    state = Path(os.path.normpath(Path(taken.cwd) / state_dir)) if state_dir else default_state_directory(taken)
    directory = RunDirectory.find(state, run)
    model = ReplayModel(directory.read_lines(TRANSCRIPT_FILE), strict=True)
    with tempfile.TemporaryDirectory(prefix="autofix-replay-") as place:
        _play(_copied(directory, Path(place)), model)
    if model.mismatch is not None:
        click.echo(str(model.mismatch))
        return DIFFERS
    turns = "1 turn" if model.turns == 1 else f"{model.turns} turns"
    click.echo(f"{directory.path.name}: {turns}, every request as recorded")
    return 0


def _copied(directory: RunDirectory, place: Path) -> RunDirectory:
    """The record in a directory that may be written to; the original stays as it is."""
    copy = RunDirectory(place, place / "runs" / directory.path.name)
    left_out = shutil.ignore_patterns("trees", "repo.git", "owner")
    shutil.copytree(directory.path, copy.path, ignore=left_out)
    copy.comments.mkdir()
    return copy


def _play(directory: RunDirectory, model: ReplayModel) -> None:
    journal, past = Journal.reopen(directory.journal, SystemClock())
    try:
        if not past.events:
            raise UsageError(f"{directory.path.name} was stopped before it began: there is nothing to replay")
        room = NoRoom(past.events[0].data["sandbox"])  # type: ignore[arg-type]
        resume(restage(directory, model, room), journal, past, [], lambda: None)
    finally:
        journal.close()
