"""The runners autofix knows, by the name that `Check.runner` carries. In the order detection asks them."""

from autofix.checks.runners import exit_code, pytest
from autofix.checks.runners.runner import Runner

RUNNERS: dict[str, Runner] = {
    "pytest": pytest,
    "exit-code": exit_code,
}
