"""`autofix status`: where a run is, asked from another process."""

import json
from pathlib import Path

import click

from autofix.cli.standing import Standing, standing, state_directory
from autofix.ports.model import JsonValue
from autofix.start import Taken
from autofix.world.run_directory import RunDirectory


@click.command(name="status")
@click.argument("run")
@click.option("--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: as for `run`.")
@click.option("--json", "machine", is_flag=True, help="One JSON document.")
@click.pass_obj
def command(taken: Taken, /, *, run: str, state_dir: Path | None, machine: bool) -> int:
    """Say where RUN is: its name, the beginning of it, or `last`."""
    found = standing(RunDirectory.find(state_directory(taken, state_dir), run))
    click.echo(json.dumps(as_json(found)) if machine else _told(found))
    return 0


def as_json(found: Standing) -> dict[str, JsonValue]:
    state = found.state
    return {
        "run_id": found.name,
        "life": found.life.value,
        "phase": state.phase.value,
        "stage": state.stage or None,
        "outcome": state.outcome or None,
        "question": state.question or None,
        "failing": found.failing,
        "model_calls": state.model_calls,
        "tool_calls": state.tool_calls,
        "events": state.events,
        "last_event_at": found.last_at.isoformat() if found.last_at else None,
        "damage": found.damage or None,
        "run_directory": str(found.directory.path),
    }


def _told(found: Standing) -> str:
    state = found.state
    lines = [f"{found.name}  {found.line}", f"model calls: {state.model_calls}, tool calls: {state.tool_calls}"]
    if found.failing is not None:
        lines.append(f"failing at the last measurement: {found.failing}")
    if found.last:
        lines.append(f"last event: {found.last.kind.value} at {found.last.at.isoformat(timespec='seconds')}")
    lines.append(f"directory: {found.directory.path}")
    return "\n".join(lines)
