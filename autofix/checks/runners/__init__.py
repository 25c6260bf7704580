"""The runners autofix knows, by the name that `Check.runner` carries. In the order detection asks them."""

from autofix.checks.runners import exit_code, node_test, pytest, python_unittest
from autofix.checks.runners.runner import Runner

RUNNERS: dict[str, Runner] = {
    "pytest": pytest,
    "unittest": python_unittest,
    "node:test": node_test,
    "exit-code": exit_code,
}
