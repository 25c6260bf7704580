"""The sandbox's door: a room that opens sandboxes, and a sandbox that runs one shell command at a time.

A sandbox sees one work tree and nothing else of the harness: no secret, no network, no git directory of ours. Its
answers are untrusted output. A broken sandbox raises; it is never reported as a failed command.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

TREE = "/workspace"
"""Where commands see the tree in rooms with a file system of their own."""
MIB = 1024 * 1024
Files = Literal["auto", "mount", "copy"]
"""How an engine's containers get at a tree: `auto` copies where mounting cannot work, and only there."""


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What a sandbox may use.

    Attributes:
        run_id: labels everything the sandbox leaves on the machine, so that leftovers can be found.
        image: container image, or None for the room's default.
        setup_command: shell text run once, with network and without secrets, before any sandbox opens; or "".
        setup_files: paths (relative to the tree) whose content decides whether a kept setup is still good.
        setup_depends_on: what else decides it; the head's tree where nobody names the files, since a setup command
            may run any of them, and one pull request's setup must not serve another.
        network: "none", "bridge" (the engine's default bridge), or the name of a job's network.
        environment: names and values every command sees besides the room's own few.
        hidden: host paths that must not be visible in rooms that share the host's file system.
        memory_bytes, cpus, pids, tmp_bytes, file_bytes: limits; `file_bytes` is the largest file a command may write.
    """

    run_id: str
    image: str | None = None
    setup_command: str = ""
    setup_files: tuple[str, ...] = ()
    setup_depends_on: str = ""
    setup_timeout: float = 600.0
    network: str = "none"
    environment: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()
    memory_bytes: int = 2048 * MIB
    cpus: float = 2.0
    pids: int = 256
    tmp_bytes: int = 512 * MIB
    file_bytes: int = 1024 * MIB


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One script for a fresh shell at the tree's root.

    Attributes:
        script: run as `bash --noprofile --norc -c script` (or `sh -c` where there is no bash); may hold newlines.
        timeout: seconds of wall clock, enforced from outside the sandbox.
        environment: further variables of this command alone.
        output_limit: bytes of merged stdout and stderr kept; the first and the last halves when there is more.
    """

    script: str
    timeout: float
    environment: Mapping[str, str] = field(default_factory=dict)
    output_limit: int = MIB


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command did.

    Attributes:
        exit_code: the shell's; 128 + n after signal n; meaningless when `timed_out`.
        head, tail: kept output; `tail` is empty unless `output_bytes` exceeds the limit.
        output_bytes: how much there was.
        seconds: wall clock.
    """

    exit_code: int
    head: bytes
    tail: bytes
    output_bytes: int
    timed_out: bool
    seconds: float

    @property
    def text(self) -> str:
        """The kept output, decoded; a cut is marked."""
        head = self.head.decode("utf-8", "replace")
        if not self.tail:
            return head
        lost = self.output_bytes - len(self.head) - len(self.tail)
        return f"{head}\n[... {lost} bytes cut ...]\n{self.tail.decode('utf-8', 'replace')}"


class Sandbox(Protocol):
    """One tree, one environment; commands of one sandbox run one after the other."""

    @property
    def root(self) -> str:
        """Where commands see the tree."""
        ...

    @property
    def scratch(self) -> str:
        """A writable directory outside the tree, private to this sandbox, as commands see it (for reports)."""
        ...

    def run(self, command: ShellCommand) -> CommandResult:
        """Run one script; whatever it left running is ended.

        Raises:
            SandboxBroken: the sandbox itself failed.
        """
        ...

    def read(self, path: str, limit: int) -> bytes | None:
        """A regular file below `scratch`, at most `limit` bytes of it; None where there is none."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file below `scratch`; nothing happens where there is none."""

    def close(self) -> None:
        """End every process and remove what the sandbox left on the machine; safe to call twice."""


class Room(Protocol):
    """A kind of sandbox on this machine."""

    @property
    def name(self) -> Literal["docker", "bubblewrap", "host"]: ...

    def unavailable(self) -> str | None:
        """Why this room cannot be used here, with what to do; None when it can."""
        ...

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        """Run the setup command with `tree`, a checkout of the head, as working directory.

        What it leaves in the tree is the caller's to spread; what it installs elsewhere is kept by the room. A kept
        setup is used again where all that it depends on is the same and it left nothing in its tree.

        Raises:
            SandboxUnavailable: no image, no engine.
            SandboxBroken: the setup command failed; the message ends with its last lines.
        """

    def open(self, spec: SandboxSpec, tree: Path) -> Sandbox:
        """Start a sandbox over `tree` (a path of this machine's file system, owned by the harness).

        Raises:
            SandboxUnavailable: it cannot be started.
        """
        ...

    def sweep(self) -> int:
        """Remove what runs that died left behind (by label, when their process is gone); how many were removed."""
        ...
