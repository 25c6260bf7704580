"""What rooms share about a command: its environment, its limits, its argument list, its run as one child process."""

import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence

from autofix.errors import SandboxBroken, UsageError
from autofix.ports.sandbox import CommandResult, SandboxSpec, ShellCommand
from autofix.world.capture import Capture
from autofix.world.process import close_pipes, kill_group, start, why_not_started
from autofix.world.pump import Deadline, pump

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BASH = ("bash", "--noprofile", "--norc", "-c")
_SH = ("sh", "-c")
_SYSTEM_BINARIES = "/bin:/usr/bin:/usr/local/bin"
_BLOCK = 512  # bytes; the unit of a POSIX shell's `ulimit -f`
_LIMITED = 'ulimit -c 0; ulimit -f "$0"; exec "$@"'
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def base_environment(*, path: str, home: str) -> dict[str, str]:
    """The few names that every command sees; `home` is the sandbox's scratch directory."""
    return {"PATH": path, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "CI": "true"}


def checked(environment: Mapping[str, str]) -> Mapping[str, str]:
    """The same variables, if a shell can set them.

    Raises:
        UsageError: a name is no shell name, or a value holds a NUL.
    """
    for name, value in environment.items():
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} cannot be an environment variable: use letters, digits and underscores")
        if "\0" in value:
            raise UsageError(f"the environment variable {name} holds a NUL byte: remove it")
    return environment


def shell_argv(script: str, file_bytes: int) -> list[str]:
    """A fresh shell for `script` under the file size limit and without core dumps; bash where this machine has it."""
    bash = shutil.which("bash", path=_SYSTEM_BINARIES)
    shell = (bash, *BASH[1:]) if bash else _SH
    return ["/bin/sh", "-c", _LIMITED, str(max(1, file_bytes // _BLOCK)), *shell, script]


def not_run(code: int, line: str) -> CommandResult:
    """What a script comes to that no shell can be given."""
    data = line.encode()
    return CommandResult(code, data, b"", len(data), timed_out=False, seconds=0.0)


def run_child(
    argv: Sequence[str],
    command: ShellCommand,
    environment: Mapping[str, str],
    *,
    cwd: str,
    pass_fds: Sequence[int] = (),
    started: Callable[[int], None] = lambda _: None,
    clean_up: Callable[[int], None] = kill_group,
) -> CommandResult:
    """Run one shell in a process of its own; `started(pid)` is told of it, `clean_up(pid)` ends what it left running.

    Raises:
        SandboxBroken: the program that holds the shell, or the working directory, is gone.
    """
    began = time.monotonic()
    try:
        process = start(argv, environment=environment, cwd=cwd, merge_stderr=True, stdin=False, pass_fds=pass_fds)
    except FileNotFoundError as error:
        raise SandboxBroken(f"{error.filename} is gone: no command can be started") from error
    except (OSError, ValueError) as error:  # the script is too long for an argument, or holds a NUL
        return not_run(*why_not_started(error, "the command"))
    assert process.stdout is not None
    capture = Capture(command.output_limit)
    try:
        started(process.pid)
        late = pump(process, b"", {process.stdout.fileno(): capture.feed}, Deadline.after(command.timeout))
    finally:
        kill_group(process.pid)
        process.wait()
        clean_up(process.pid)
        close_pipes(process)
    head, tail = capture.parts()
    code = process.returncode
    return CommandResult(
        128 - code if code < 0 else code, head, tail, capture.total, timed_out=late, seconds=time.monotonic() - began
    )


def setup_failure(result: CommandResult, spec: SandboxSpec) -> SandboxBroken | None:
    """The error a setup command's result stands for; None where it succeeded."""
    if result.timed_out:
        how = f"did not end within {spec.setup_timeout:g} s"
    elif result.exit_code != 0:
        how = f"ended with exit code {result.exit_code}"
    else:
        return None
    lines = result.text.strip().splitlines()[-_SETUP_LINES:]
    return SandboxBroken("\n".join([f"the setup command {how}: {spec.setup_command}", *lines]))


_SETUP_LINES = 20  # of a failed setup's output: enough for the error, short enough for a comment
