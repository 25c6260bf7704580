"""`autofix replay`: play a run again from its record, and say whether the model would be asked the same."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from autofix.cli.compose import restage
from autofix.cli.composing import TRANSCRIPT_FILE
from autofix.cli.running import resume
from autofix.cli.standing import state_directory
from autofix.errors import UsageError
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.journal import Event, Journal, read
from autofix.world.clock import SystemClock
from autofix.world.no_room import NoRoom
from autofix.world.replay_model import ReplayModel
from autofix.world.run_directory import RunDirectory

DIFFERS = 1
"""Exit code where a request is not the recorded one."""


@click.command(name="replay")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="Judge the calls by this autofix.toml or settings.json."
)
@click.option("--from-turn", type=click.IntRange(min=1), metavar="N", help="Go on with the real model from turn N.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None, policy: Path | None, from_turn: int | None) -> int:
    """Play RUN again from its record: no model, no sandbox, nothing delivered.

    Every request to the model is compared with the recorded one, byte for byte. Exit code 0 where all are equal, 1
    where one differs: then its turn and place are named.

    With --policy, the run's calls go through another policy instead, and the verdicts that would change are printed.
    With --from-turn, a new run begins with what the model had said before turn N, and goes on with the real one, in a
    real sandbox; it delivers a patch at most. Exit codes as for `run`.
    """
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    if from_turn is not None:
        if policy is not None:
            raise UsageError("--policy calls no model, and --from-turn does: say one of them")
        from autofix.cli.replay_from import go_on_from
        from autofix.cli.run import View

        return go_on_from(directory, from_turn, taken, View())
    model = ReplayModel(directory.read_lines(TRANSCRIPT_FILE), strict=True)
    with tempfile.TemporaryDirectory(prefix="autofix-replay-") as place:
        copy = _copied(directory, Path(place))
        if policy is not None:
            return _judge(copy, model, Path(os.path.normpath(Path(taken.cwd) / policy)))
        _play(copy, model)
    if model.mismatch is not None:
        click.echo(str(model.mismatch))
        return DIFFERS
    turns = "1 turn" if model.turns == 1 else f"{model.turns} turns"
    click.echo(f"{directory.path.name}: {turns}, every request as recorded")
    return 0


def _judge(directory: RunDirectory, model: ReplayModel, policy: Path) -> int:
    from autofix.cli.replay_policy import changes, gate_of

    events = read(directory.journal).events
    composed = restage(directory, model, _room_of(directory, events))
    gate = gate_of(policy, composed.order.gate)
    changed = [str(one) for one in changes(composed, gate, events, directory.read_lines(TRANSCRIPT_FILE))]
    calls = sum(event.kind is Kind.TOOL_CALLED for event in events)
    click.echo("\n".join([*changed, f"{len(changed)} of {calls} verdicts would change"]))
    return DIFFERS if changed else 0


def _room_of(directory: RunDirectory, events: Sequence[Event]) -> NoRoom:
    if not events:
        raise UsageError(f"{directory.path.name} was stopped before it began: there is nothing to replay")
    return NoRoom.called(events[0].data["sandbox"])


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
        room = _room_of(directory, past.events)
        resume(restage(directory, model, room), journal, past, [], lambda: None)
    finally:
        journal.close()
