"""The room for machines without an engine: namespaces of the kernel, set up anew for every command by bubblewrap.

A command sees the view of `bubblewrap_view`, its tree at /workspace, its scratch directory at /tmp, no network but a
loopback of its own, and only its own processes. It is never root: where the harness is, bubblewrap sets up the mounts
as root and the command starts as the tree's new owner, without capabilities. Memory, processor and the number of
processes are not limited here (a control group would need the machine's consent): the docker room does that.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import TREE, CommandResult, SandboxSpec, ShellCommand
from autofix.world.bubblewrap_status import Status
from autofix.world.bubblewrap_view import View, view
from autofix.world.ownership import User, hand_over, user_for
from autofix.world.process import ProcessPrograms
from autofix.world.scratch import Scratch, sweep
from autofix.world.shell import (
    DEFAULT_PATH,
    base_environment,
    checked,
    run_child,
    setup_failure,
    shell_argv,
)

_SCRATCH = "/tmp"  # noqa: S108 - inside the sandbox, where it is private
_NO_CAPABILITIES = ("--inh-caps=-all", "--bounding-set=-all")
_TRIAL_SECONDS = 10.0  # for the first try; it takes milliseconds


class BubblewrapSandbox:
    """`ports.sandbox.Sandbox`: one process namespace a command."""

    def __init__(self, spec: SandboxSpec, tree: Path, seen: View, path: str, *, network: bool) -> None:
        self._tree = tree.resolve()
        self._user = user_for(self._tree)
        self._environment = {**base_environment(path=path, home=_SCRATCH), **checked(spec.environment)}
        hand_over(self._tree, self._user)
        self._scratch = Scratch()
        hand_over(self._scratch.path, self._user)
        self._walls = [*_walls(network=network), *_mounts(seen, spec, self._scratch.path, self._tree)]
        if network:
            self._walls += _resolver()
        self._walls += ["--remount-ro", "/"]
        self._file_bytes = spec.file_bytes
        self._closed = False

    @property
    def root(self) -> str:
        return TREE

    @property
    def scratch(self) -> str:
        return _SCRATCH

    def run(self, command: ShellCommand) -> CommandResult:
        if self._closed:
            raise SandboxBroken("the sandbox is closed")
        shell = shell_argv(command.script, self._file_bytes)
        with Status() as status:
            result = run_child(
                ["bwrap", "--json-status-fd", str(status.writing), *self._walls, "--", *_as(self._user), *shell],
                command,
                {**self._environment, **checked(command.environment)},
                cwd="/",
                pass_fds=(status.writing,),
                clean_up=lambda _: status.await_end(),
            )
        if status.failed and not result.timed_out:
            raise SandboxBroken(f"bubblewrap failed under the command: {result.text.strip()[-500:]}")
        return result

    def read(self, path: str, limit: int) -> bytes | None:
        return self._scratch.read(path, limit)

    def remove(self, path: str) -> None:
        self._scratch.remove(path)

    def close(self) -> None:
        self._closed = True
        self._scratch.close()


class BubblewrapRoom:
    """`ports.sandbox.Room`: `path` and `home` are this process's own by default."""

    name: Literal["bubblewrap"] = "bubblewrap"

    def __init__(self, path: str | None = None, home: Path | None = None) -> None:
        self._path = os.environ.get("PATH", DEFAULT_PATH) if path is None else path
        self._home = Path.home() if home is None else home
        self._reason: str | None = None
        self._tried = False

    def unavailable(self) -> str | None:
        """Tries it once, really."""
        if not self._tried:
            self._reason = _why_not()
            self._tried = True
        return self._reason

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        """Runs the setup command each time, with the machine's network; only what it leaves in the tree is kept."""
        if not spec.setup_command:
            return
        sandbox = self._open(spec, tree, network=True)
        try:
            failure = setup_failure(sandbox.run(ShellCommand(spec.setup_command, spec.setup_timeout)), spec)
        finally:
            sandbox.close()
        if failure is not None:
            raise failure

    def open(self, spec: SandboxSpec, tree: Path) -> BubblewrapSandbox:
        if spec.network != "none":
            raise SandboxUnavailable(
                f"bubblewrap cannot join the network {spec.network!r}: use docker, or network: none"
            )
        return self._open(spec, tree, network=False)

    def _open(self, spec: SandboxSpec, tree: Path, *, network: bool) -> BubblewrapSandbox:
        reason = self.unavailable()
        if reason is not None:
            raise SandboxUnavailable(reason)
        if not tree.is_dir():
            raise SandboxUnavailable(f"the work tree {tree} is no directory")
        return BubblewrapSandbox(spec, tree, view(self._path, self._home, spec.hidden), self._path, network=network)

    def sweep(self) -> int:
        return sweep()


def _walls(*, network: bool) -> list[str]:
    """The namespaces. Without root a user namespace is needed; with it, real rights are dropped instead (`_as`)."""
    common = ["--die-with-parent", "--new-session", "--hostname", "sandbox"]
    if os.geteuid() != 0:
        return [*common, "--unshare-all", *(["--share-net"] if network else [])]
    spaces = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    # What it takes to enter a tree that is another's and to become that other; both end with the change of user.
    kept = [
        word for name in ("SETUID", "SETGID", "SETPCAP", "DAC_READ_SEARCH") for word in ("--cap-add", f"CAP_{name}")
    ]
    return [*common, *spaces, "--cap-drop", "ALL", *kept, *([] if network else ["--unshare-net"])]


def _as(user: User) -> list[str]:
    """What starts the shell as the tree's owner, where we are root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user.uid}", f"--regid={user.gid}", "--clear-groups", *_NO_CAPABILITIES, "--"]


def _mounts(seen: View, spec: SandboxSpec, scratch: Path, tree: Path) -> list[str]:
    """The file system from the empty one up; what comes later lies on top, the tree on top of all."""
    arguments = ["--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--bind", str(scratch), _SCRATCH]
    for shared in ("/dev/shm", "/var/tmp"):  # noqa: S108 - fresh ones of the sandbox
        arguments += ["--perms", "1777", "--size", str(spec.tmp_bytes), "--tmpfs", shared]
    arguments += _read_only(seen.shown)
    for place in seen.hidden:
        arguments += ["--tmpfs", str(place)] if place.is_dir() else ["--ro-bind", "/dev/null", str(place)]
    arguments += _read_only(seen.shown_again)
    return [*arguments, "--bind", str(tree), TREE, "--chdir", TREE]


def _resolver() -> list[str]:
    """Name look-up with the machine's network: /etc/resolv.conf is often a link into /run, which is not shown."""
    target = Path("/etc/resolv.conf").resolve()
    return [] if target.is_relative_to("/etc") else ["--ro-bind-try", str(target), str(target)]


def _read_only(places: Sequence[Path]) -> list[str]:
    """Bind each at its own place; the folders above it are empty ones that anybody may pass (a home need not be)."""
    arguments: list[str] = []
    made: set[Path] = set()
    for place in places:
        for above in reversed(place.parents[:-1]):
            if above not in made:
                made.add(above)
                arguments += ["--perms", "0755", "--dir", str(above)]
        arguments += ["--ro-bind", str(place), str(place)]
    return arguments


def _why_not() -> str | None:
    needed = ["bwrap", "setpriv"] if os.geteuid() == 0 else ["bwrap"]
    for program in needed:
        if shutil.which(program, path=DEFAULT_PATH) is None:
            return f"{program} is not installed: install bubblewrap (and util-linux), or start a Docker engine"
    trial = ["bwrap", *_walls(network=False), "--ro-bind", "/", "/", "--proc", "/proc", "--", "true"]
    result = ProcessPrograms().run(trial, b"", timeout=_TRIAL_SECONDS, environment={"PATH": DEFAULT_PATH})
    if result.exit_code == 0:
        return None
    said = result.stderr.decode("utf-8", "replace").strip() or f"exit code {result.exit_code}"
    return f"bubblewrap cannot make its namespaces here ({said}): allow user namespaces, or start a Docker engine"
