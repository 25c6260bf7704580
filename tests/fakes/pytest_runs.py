"""Answers of a scripted sandbox that leave a pytest report, as a real run would."""

from collections.abc import Callable

from autofix.ports.sandbox import CommandResult, ShellCommand
from tests.fakes.sandbox import FakeSandbox, answered


def reporting(
    inner: str | bytes, exit_code: int = 0, output: str = ""
) -> Callable[[FakeSandbox, ShellCommand], CommandResult]:
    """A command that leaves a report where PYTEST_ADDOPTS asks for it: testcases, or the whole report's bytes."""

    def run_it(sandbox: FakeSandbox, command: ShellCommand) -> CommandResult:
        report = inner if isinstance(inner, bytes) else f"<testsuite>{inner}</testsuite>".encode()
        options = command.environment.get("PYTEST_ADDOPTS", "").split()
        path = next(word for word in options if word.startswith("--junitxml=")).partition("=")[2]
        sandbox.files[path.removeprefix(f"{sandbox.scratch}/")] = report
        return answered(output, exit_code)

    return run_it
