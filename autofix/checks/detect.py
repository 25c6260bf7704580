"""Which checks a project has, when nobody says; and which runner a given command is."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from autofix.checks.command import simple_commands
from autofix.checks.result import Check
from autofix.checks.runners import RUNNERS
from autofix.checks.runners.runner import ProjectFiles
from autofix.errors import UsageError


@dataclass(frozen=True, slots=True)
class Detected:
    """A check and, in one line, why it was chosen."""

    check: Check
    why: str


def detect(paths: Collection[str], read: Callable[[str], bytes | None]) -> tuple[Detected, ...]:
    """The checks a project's files speak of, the surest first; empty where nothing is recognised.

    Args:
        paths: every file of the tree, relative, with `/`.
        read: a file's content, None where it cannot be read.
    """
    files = ProjectFiles(frozenset(paths), read)
    found: dict[str, Detected] = {}
    for name, runner in RUNNERS.items():
        guess = runner.detect(files)
        if guess is not None:
            command, why = guess
            found.setdefault(command, Detected(Check(name, command, name), why))
    return tuple(found.values())


def check_for_command(command: str, name: str = "", *, directory: str = ".", timeout: float = 600.0) -> Check:
    """A check from a command line such as `pytest -q`: the runner is recognised from the command's words.

    Of several simple commands the last one whose runner is known decides; of none the exit code does. Without a name
    the check is called after its runner, or after the command where only its exit code is read.

    Raises:
        UsageError: the command is empty.
    """
    if not command.strip():
        raise UsageError("a check needs a command, such as --check 'pytest -q'")
    runner = runner_for(command)
    return Check(name or (command if runner == "exit-code" else runner), command, runner, directory, timeout)


def runner_for(command: str) -> str:
    """The key of the runner a command starts; "exit-code" where we recognise none."""
    for words in reversed(simple_commands(command) or ()):
        for name, runner in RUNNERS.items():
            if name != "exit-code" and runner.recognises([word.value for word in words]):
                return name
    return "exit-code"
