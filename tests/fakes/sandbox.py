"""A scripted sandbox and its room: answers by script, records everything, refuses what nobody foresaw."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import CommandResult, SandboxSpec, ShellCommand

Answer = CommandResult | Callable[["FakeSandbox", ShellCommand], CommandResult] | Exception


def answered(output: str | bytes = b"", exit_code: int = 0, *, timed_out: bool = False) -> CommandResult:
    """What a quick command did."""
    data = output.encode() if isinstance(output, str) else output
    return CommandResult(exit_code, data, b"", len(data), timed_out=timed_out, seconds=0.01)


class FakeSandbox:
    """Answers a script by the first unspent rule whose pattern is found in it.

    `on(pattern, *answers)` adds a rule: its answers are given one after the other and the last one for ever. An answer
    may be a result, an error to raise, or a function that also changes `files` (the scratch directory) or the tree.
    """

    root = "/workspace"
    scratch = "/tmp"

    def __init__(self, tree: Path | None = None, files: Mapping[str, bytes] | None = None) -> None:
        self.tree = tree
        self.files: dict[str, bytes] = dict(files or {})
        self.ran: list[ShellCommand] = []
        self.removed: list[str] = []
        self.closed = 0
        self._rules: list[tuple[re.Pattern[str], list[Answer]]] = []

    def on(self, pattern: str, *answers: Answer) -> FakeSandbox:
        self._rules.append((re.compile(pattern), list(answers) or [answered()]))
        return self

    @property
    def scripts(self) -> list[str]:
        return [command.script for command in self.ran]

    def run(self, command: ShellCommand) -> CommandResult:
        if self.closed:
            raise SandboxBroken("the sandbox is closed")
        self.ran.append(command)
        for pattern, answers in self._rules:
            if pattern.search(command.script):
                return self._give(answers.pop(0) if len(answers) > 1 else answers[0], command)
        raise AssertionError(f"nobody said what this command does: {command.script!r}")

    def _give(self, answer: Answer, command: ShellCommand) -> CommandResult:
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, CommandResult) else answer(self, command)

    def read(self, path: str, limit: int) -> bytes | None:
        data = self.files.get(path)
        return None if data is None else data[:limit]

    def remove(self, path: str) -> None:
        self.removed.append(path)
        self.files.pop(path, None)

    def close(self) -> None:
        self.closed += 1


@dataclass
class FakeRoom:
    """Hands out the given sandboxes in order, or one that `make` builds for the tree."""

    sandboxes: list[FakeSandbox] = field(default_factory=list)
    make: Callable[[SandboxSpec, Path], FakeSandbox] | None = None
    name: Literal["docker", "bubblewrap", "host"] = "docker"
    reason: str | None = None
    setup_error: Exception | None = None
    prepared: list[tuple[SandboxSpec, Path]] = field(default_factory=list)
    opened: list[tuple[SandboxSpec, Path, FakeSandbox]] = field(default_factory=list)
    swept: int = 0

    def unavailable(self) -> str | None:
        return self.reason

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        self.prepared.append((spec, tree))
        if self.setup_error is not None:
            raise self.setup_error

    def open(self, spec: SandboxSpec, tree: Path) -> FakeSandbox:
        if self.reason is not None:
            raise SandboxUnavailable(self.reason)
        if self.make is not None:
            sandbox = self.make(spec, tree)
        elif self.sandboxes:
            sandbox = self.sandboxes.pop(0)
        else:
            raise AssertionError("nobody foresaw another sandbox")
        sandbox.tree = tree
        self.opened.append((spec, tree, sandbox))
        return sandbox

    def sweep(self) -> int:
        self.swept += 1
        return 0

    @property
    def left_open(self) -> list[FakeSandbox]:
        """Sandboxes nobody closed: what a leak test looks at."""
        return [sandbox for _, _, sandbox in self.opened if not sandbox.closed]
