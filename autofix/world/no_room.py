"""A room in which nothing runs: for a run that is played again from its record."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from autofix.errors import SandboxUnavailable, UsageError
from autofix.ports.sandbox import TREE, CommandResult, SandboxSpec, ShellCommand

RoomName = Literal["docker", "bubblewrap", "host"]


@dataclass(frozen=True, slots=True)
class NoRoom:
    """`ports.sandbox.Room` with the name of the room the run had."""

    name: RoomName

    @classmethod
    def called(cls, name: object) -> "NoRoom":
        """Raises UsageError where no room is called so."""
        for known in get_args(RoomName):
            if name == known:
                return cls(known)
        raise UsageError(f"the run's journal names a sandbox that is not known: {name!a}")

    def unavailable(self) -> str | None:
        return None

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        """Nothing runs here, so nothing has to be set up."""

    def open(self, spec: SandboxSpec, tree: Path) -> "EmptySandbox":  # noqa: ARG002 - the port's signature
        return EmptySandbox(str(tree) if self.name == "host" else TREE)

    def sweep(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class EmptySandbox:
    """`ports.sandbox.Sandbox` that runs nothing: what is asked of it is not on the record."""

    root: str
    scratch: str = "/nowhere"

    def run(self, command: ShellCommand) -> CommandResult:
        raise SandboxUnavailable(f"the record ends here: what came of {command.script[:80]!a} is not on it")

    def read(self, path: str, limit: int) -> bytes | None:  # noqa: ARG002 - the port's signature
        return None

    def remove(self, path: str) -> None:
        """There is nothing."""

    def close(self) -> None:
        """Nothing is open."""
