"""The only place that starts processes: argument lists, a clean environment, a deadline, bounded output.

Each program runs in a session of its own, so that the deadline can end all of its group. Nothing of this process's
environment is inherited: the caller names every variable.
"""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

from autofix.ports.program import ProgramResult
from autofix.world.capture import Beginning
from autofix.world.pump import Deadline, pump

NOT_FOUND = 127  # a shell's exit code for a program that is not there
NOT_STARTED = 126  # and for one that cannot be started


def start(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: str = "/",
    merge_stderr: bool = False,
    stdin: bool = True,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own with pipes; OSError or ValueError (a NUL) where it cannot be started.

    `merge_stderr` sends its stderr where its stdout goes; without `stdin` it reads /dev/null.
    """
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
        env=dict(environment),
        cwd=cwd,
        start_new_session=True,
        close_fds=True,
        pass_fds=pass_fds,
    )


def kill_group(pid: int) -> None:
    """End a session leader's whole process group; nothing happens where it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def why_not_started(error: OSError | ValueError, program: str) -> tuple[int, str]:
    """Exit code and line that a shell would give for a program that could not be started."""
    if isinstance(error, FileNotFoundError):
        return NOT_FOUND, f"{program}: not found"
    if isinstance(error, OSError):
        return NOT_STARTED, f"{program}: {error.strerror}"
    return NOT_STARTED, f"{program}: {error}"


class ProcessPrograms:
    """`ports.program.Programs` with real processes."""

    def run(
        self,
        argv: Sequence[str],
        stdin: bytes,
        *,
        timeout: float,
        environment: Mapping[str, str],
        cwd: str = "/",
        output_limit: int = 1024 * 1024,
    ) -> ProgramResult:
        try:
            process = start(argv, environment=environment, cwd=cwd)
        except (OSError, ValueError) as error:
            code, line = why_not_started(error, argv[0])
            return ProgramResult(code, b"", line.encode())
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = Beginning(output_limit), Beginning(output_limit)
        sinks = {process.stdout.fileno(): out.feed, process.stderr.fileno(): err.feed}
        try:
            late = pump(process, stdin, sinks, Deadline.after(timeout))
        finally:
            kill_group(process.pid)
            process.wait()
            close_pipes(process)
        return ProgramResult(
            process.returncode,
            bytes(out.kept),
            bytes(err.kept),
            timed_out=late,
            overflowed=out.lost or err.lost,
        )
