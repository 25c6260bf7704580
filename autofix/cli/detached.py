"""A run in a session of its own: the command returns with the run's name, and the run goes on without a terminal.

The process is forked, not started anew: the secrets are in its memory already, and reach neither a command line nor an
environment on their way.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from autofix.state.outcome import Outcome

LOG_FILE = "run.log"
"""What the run would have shown, in its directory."""

Begun = Callable[[Path], None]
"""Told the run's directory once every input is parsed and the run begins."""


def detached(play: Callable[[Begun], int]) -> int:
    """Play in another process. Returns there with the run's code; here once the run has begun, its name printed.

    What is wrong with the inputs is said by the other process on this one's stderr, and its code is returned here.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        return play(lambda directory: _let_go(directory, writing))
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        name = pipe.read()
    if name:
        sys.stdout.write(f"{name}\n")
        return 0
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else Outcome.ERROR.exit_code


def _let_go(directory: Path, writing: int) -> None:
    """Say the name, and leave the caller's streams and session: until now Ctrl-C there ended this process too."""
    os.setsid()
    log = os.open(directory / LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    with suppress(BrokenPipeError):  # the caller is gone: the name is found by `list`
        os.write(writing, directory.name.encode())
    os.close(writing)
