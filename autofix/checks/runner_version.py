"""What a check's runner says of its version: part of what decides whether an earlier run's result still holds.

The words come out of a sandbox: they choose which remembered result may be used and are never read otherwise.
"""

from autofix.checks.command import simple_commands
from autofix.checks.result import Check
from autofix.checks.run import runner_of
from autofix.ports.sandbox import Sandbox, ShellCommand

_TIMEOUT = 60.0
"""Seconds; asking a runner for its version takes one."""
_LIMIT = 4096
"""Bytes; a version is a line or two."""


def runner_version(check: Check, sandbox: Sandbox) -> str:
    """The answer to `--version` of the program that the check starts; "" where its command cannot be read."""
    program = _program(check)
    if not program:
        return ""
    directory = f"cd '{check.directory}' && " if _is_plain(check.directory) else ""
    asked = ShellCommand(f"{directory}{program} --version", _TIMEOUT, check.environment, _LIMIT)
    return sandbox.run(asked).text


def _program(check: Check) -> str:
    """The start of the command up to the runner's program, such as `python -m pytest`."""
    if check.runner == "exit-code":
        return ""  # it knows no program: the first word may be a script that runs the tests whatever it is asked
    runner = runner_of(check)
    for command in reversed(simple_commands(check.command) or ()):
        for number in range(1, len(command) + 1):
            words = command[:number]
            if runner.recognises([word.value for word in words]):
                return " ".join(word.raw for word in words)
    return ""


def _is_plain(directory: str) -> bool:
    return directory not in {"", "."} and "'" not in directory
