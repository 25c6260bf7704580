"""A person's answer to what a run of this machine waits for, given at a terminal."""

import os
import pwd
from pathlib import Path

from autofix.cli.resume import go_on
from autofix.cli.run import View
from autofix.cli.standing import standing, state_directory
from autofix.errors import UsageError
from autofix.harness.approval import Answer
from autofix.start import Taken
from autofix.world.clock import SystemClock
from autofix.world.run_directory import RunDirectory


def answered(taken: Taken, run: str, question: str, answer: Answer, *, state_dir: Path | None, view: View) -> int:
    """Give the answer, and go on with the run; its exit code.

    Raises:
        UsageError: the run does not ask this, or not any more.
    """
    directory = RunDirectory.find(state_directory(taken, state_dir), run)
    found = standing(directory)
    if found.expires is not None and not answer.ends and SystemClock().now() > found.expires:
        raise UsageError(
            f"{question} could be answered until {found.expires.isoformat(timespec='minutes')}: start a new run"
        )
    return go_on(directory, taken, view, {question: answer})


def person() -> str:
    """Who sits at the terminal, by the name this machine has for them."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user {os.getuid()}"
