"""The runners autofix knows, by the name that `Check.runner` carries. In the order detection asks them."""

from autofix.checks.runners import exit_code, pytest, python_unittest
from autofix.checks.runners.runner import Runner

RUNNERS: dict[str, Runner] = {
    "pytest": pytest,
    "unittest": python_unittest,
    "exit-code": exit_code,
}
