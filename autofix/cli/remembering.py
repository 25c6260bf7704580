"""What is remembered of cases from one run to the next, and what decides whether it still holds."""

import hashlib
import json
from dataclasses import asdict, replace

from autofix import __version__
from autofix.checks.case_memory import CaseMemory
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Git
from autofix.ports.sandbox import Room, SandboxSpec
from autofix.world.disk_shelf import DiskShelf
from autofix.world.run_directory import RunDirectory

SHELF = "cases"
"""The memory's directory, below the state directory."""
_SETUP_FILE_LIMIT = 64 * 1024 * 1024
"""Bytes; as much as the rooms read of a file that a setup depends on."""
_NO_MATTER = ("run_id", "hidden")
"""Parts of a sandbox's description that differ from run to run and change no test's outcome."""


def case_memory(
    directory: RunDirectory, git: Git, pull_request: PullRequest, room: Room, spec: SandboxSpec
) -> CaseMemory | None:
    """The memory of runs with this merge base and such sandboxes; None in the host room.

    There the code under test runs as the user who keeps the state directory, and could write what it likes into it.
    """
    if room.name == "host":
        return None
    bare = spec if spec.setup_command else replace(spec, setup_files=(), setup_depends_on="")
    made_of = {name: value for name, value in asdict(bare).items() if name not in _NO_MATTER}
    setup = [_digest(git.read(pull_request.head, path, _SETUP_FILE_LIMIT)) for path in bare.setup_files]
    place = [__version__, git.tree_of(pull_request.merge_base), room.name, made_of, setup]
    return CaseMemory(DiskShelf(directory.state / SHELF), json.dumps(place, sort_keys=True, default=str))


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
