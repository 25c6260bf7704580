"""What is asked for a runner's version, and of whom nothing is asked."""

import pytest

from autofix.checks.result import Check
from autofix.checks.runner_version import runner_version
from tests.fakes.sandbox import FakeSandbox, answered


@pytest.mark.parametrize(
    ("check", "asked"),
    [
        (Check("c", "python -m pytest -q tests", "pytest"), "python -m pytest --version"),
        (Check("c", "make deps && PYTHONPATH=src 'py.test' -x", "pytest"), "PYTHONPATH=src 'py.test' --version"),
        (Check("c", "npx jest --ci", "jest", directory="web"), "cd 'web' && npx jest --version"),
    ],
)
def test_the_program_itself_is_asked(check: Check, asked: str):
    sandbox = FakeSandbox().on("--version$", answered("pytest 8.4.1\n"))

    assert runner_version(check, sandbox) == "pytest 8.4.1\n"
    assert sandbox.scripts == [asked]


@pytest.mark.parametrize(
    "check",
    [
        Check("c", "./run-the-tests.sh"),
        Check("c", "pytest $(cat files)", "pytest"),
        Check("c", "make test", "pytest"),
    ],
)
def test_a_command_that_cannot_be_read_is_not_started_for_its_version(check: Check):
    assert runner_version(check, FakeSandbox()) == ""
