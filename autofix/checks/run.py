"""One check in a sandbox: the report asked for, the command run, the report read, and the worse of the two believed."""

from collections.abc import Mapping, Sequence

from autofix.checks.result import Check, CheckResult
from autofix.ports.sandbox import Sandbox

REPORT_LIMIT = 64 * 1024 * 1024
"""Bytes of a report that are read: 100,000 cases take 49 MB; what is longer is cut and said."""


def run_check(check: Check, sandbox: Sandbox, *, tests: Sequence[str] = ()) -> CheckResult:
    """Run the check, or only the named cases of it.

    Raises:
        SandboxBroken: the sandbox failed, which says nothing about the check.
    """
    raise NotImplementedError


class ReportInjection:
    """Reports from commands that are not ours to change: the model's own test commands.

    Every command gets `environment`; `collect` then reads what runners left. Results are partial: only the tests that
    ran are in them.
    """

    def __init__(self, checks: Sequence[Check], sandbox: Sandbox) -> None:
        raise NotImplementedError

    @property
    def environment(self) -> Mapping[str, str]:
        raise NotImplementedError

    def collect(self) -> tuple[CheckResult, ...]:
        """Reports of the command just run, which are removed; empty when it ran no tests we could see."""
        raise NotImplementedError
