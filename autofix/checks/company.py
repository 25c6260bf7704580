"""Which steadily failing cases pass without other tests' company, and who disturbs them: their own file, or others.

They fail whenever the check runs whole, so they are real failures and stay in the goal; but whoever mends them looks at
the tests that run before them, not at what they test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autofix.checks.result import Case, Check, CheckResult, Outcome, outcome_of
from autofix.checks.run import runner_of
from autofix.checks.runs import Runs

PROBES = 8
"""Tests of a check that are run each alone. A runner takes 0.3 s to start; whoever broke more than these broke code."""
FILES = 3
"""Files that are run each in their own order: enough to tell a test's own file from the others."""

_ORDERED = {"pytest": ("PYTEST_ADDOPTS", "-p no:randomly -p no:random_order")}
"""Runner -> variable and value that keep plug-ins from shuffling a file's tests."""


@dataclass(frozen=True, slots=True)
class Company:
    """What the probe found.

    Attributes:
        dependent: cases that pass alone.
        notes: who disturbs them, and what was not looked at.
    """

    dependent: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def probe_company(check: Check, result: CheckResult, tests: Sequence[str], runs: Runs) -> Company:
    """Run failing `tests` without company: all of them together, then each alone, then the files of those that pass.

    `tests` are ids of real cases, in the report's order.
    """
    if not tests or len(result.cases) == 1:
        return Company()
    if not runner_of(check).narrows:
        return Company(
            notes=(f"check {check.name}: its runner takes no single tests, so their order was not looked at",)
        )
    together = runs.alone(check, tests) if len(tests) < len(result.cases) else result
    dependent = _passing(together, tests)
    left = [test for test in tests if test not in dependent] if len(tests) > 1 else []
    for test in left[:PROBES]:
        dependent += _passing(runs.alone(check, [test]), [test])
    notes = [f"check {check.name}: {len(left) - PROBES} failing tests were not run each alone"] * (len(left) > PROBES)
    return Company(frozenset(dependent), (*_disturbers(check, result, dependent, runs), *notes))


def _passing(result: CheckResult, tests: Sequence[str]) -> list[str]:
    return [test for test in tests if outcome_of(result, test) is Outcome.PASSED]


def _disturbers(check: Check, result: CheckResult, dependent: Sequence[str], runs: Runs) -> list[str]:
    """One line for each test that passes alone: whether its own file in its own order lets it pass."""
    files = dict.fromkeys(_file(result.cases[test]) for test in dependent)
    in_order = {file: runs.in_file_order(_ordered(check), file) for file in list(files)[:FILES] if file}
    return [_told(test, _file(result.cases[test]), in_order.get) for test in dependent]


def _file(case: Case) -> str:
    """The file as the runner takes it; "" where its ids do not name one."""
    file, separator, _ = case.id.partition("::")
    return file if separator else ""


def _ordered(check: Check) -> Check:
    name, value = _ORDERED.get(check.runner, ("", ""))
    if not name:
        return check
    said = f"{check.environment.get(name, '')} {value}".strip()
    return replace(check, environment={**check.environment, name: said})


def _told(test: str, file: str, in_order: Callable[[str], CheckResult | None]) -> str:
    ran = in_order(file)
    if ran is None or ran.not_run is not None:
        return f"{test} passes alone, but not in the company of the other tests"
    if outcome_of(ran, test) is Outcome.PASSED:
        return f"{test} passes alone and in the order of its own file: tests of other files make it fail"
    return f"{test} passes alone, but not behind the other tests of its file"
