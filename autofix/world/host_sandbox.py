"""The room without walls: commands run as this user, on this machine, with a scrubbed environment and nothing else.

Used only when asked for by name; the report says so.
"""

import os
from pathlib import Path
from typing import Literal

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import CommandResult, SandboxSpec, ShellCommand
from autofix.world.orphans import adopt_orphans, end_group, end_orphans
from autofix.world.scratch import Scratch, sweep
from autofix.world.shell import DEFAULT_PATH, base_environment, checked, run_child, setup_failure, shell_argv


class HostSandbox:
    """`ports.sandbox.Sandbox` over plain processes."""

    def __init__(self, spec: SandboxSpec, tree: Path, path: str) -> None:
        self._spec = spec
        self._tree = tree.resolve()
        self._scratch = Scratch()
        self._environment = {**base_environment(path=path, home=self.scratch), **checked(spec.environment)}
        self._closed = False

    @property
    def root(self) -> str:
        return str(self._tree)

    @property
    def scratch(self) -> str:
        return str(self._scratch.path)

    def run(self, command: ShellCommand) -> CommandResult:
        if self._closed:
            raise SandboxBroken("the sandbox is closed")
        return run_child(
            shell_argv(command.script, self._spec.file_bytes),
            command,
            {**self._environment, **checked(command.environment)},
            cwd=self.root,
            started=self._scratch.remember_leader,
            clean_up=self._end_leftovers,
        )

    def _end_leftovers(self, group: int) -> None:
        end_group(group)
        end_orphans(self._scratch.path, self._tree)

    def read(self, path: str, limit: int) -> bytes | None:
        return self._scratch.read(path, limit)

    def remove(self, path: str) -> None:
        self._scratch.remove(path)

    def close(self) -> None:
        self._closed = True
        end_orphans(self._scratch.path, self._tree)  # a command whose start a signal interrupted is nobody's yet
        self._scratch.close()


class HostRoom:
    """`ports.sandbox.Room`: `path` is the PATH of commands, this process's own by default."""

    name: Literal["host"] = "host"

    def __init__(self, path: str | None = None) -> None:
        self._path = os.environ.get("PATH", DEFAULT_PATH) if path is None else path

    def unavailable(self) -> str | None:
        return None if os.name == "posix" else "commands need a POSIX system: choose docker"

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        """Runs the setup command each time; only what it leaves in the tree is kept."""
        if not spec.setup_command:
            return
        sandbox = self.open(spec, tree)
        try:
            failure = setup_failure(sandbox.run(ShellCommand(spec.setup_command, spec.setup_timeout)), spec)
        finally:
            sandbox.close()
        if failure is not None:
            raise failure

    def open(self, spec: SandboxSpec, tree: Path) -> HostSandbox:
        if not tree.is_dir():
            raise SandboxUnavailable(f"the work tree {tree} is no directory")
        adopt_orphans()
        return HostSandbox(spec, tree, self._path)

    def sweep(self) -> int:
        return sweep()
