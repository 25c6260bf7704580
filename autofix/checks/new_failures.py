"""A test that fails with a patch and did not at the head: the patch's fault, or one that fails now and then anyway?

Held against the patch unless both are seen: it passes in the same patched tree, and it fails in an untouched one.
"""

from collections.abc import Callable, Collection

from autofix.checks.result import Check, CheckResult, Outcome, outcome_of
from autofix.checks.run import run_check, runner_of
from autofix.ports.sandbox import Sandbox

HEAD_RUNS = 3
"""Runs of the untouched head in which such a test may fail there, too: as many as a baseline's re-runs."""

OnRun = Callable[[CheckResult], None]


def passing_again(check: Check, sandbox: Sandbox, new: Collection[str], on_run: OnRun) -> frozenset[str]:
    """Those of the new failures that pass when the check runs once more; a look alone tells the steady ones first."""
    single = [id_ for id_ in sorted(new) if id_ != check.name]
    left = set(new)
    if single and runner_of(check).narrows:
        left -= _run(check, sandbox, on_run, single).failing
    if not left:
        return frozenset()
    again = _run(check, sandbox, on_run)
    return frozenset(id_ for id_ in left if outcome_of(again, id_) is Outcome.PASSED)


def failing_at_head(check: Check, sandbox: Sandbox, suspects: Collection[str], on_run: OnRun) -> frozenset[str]:
    """Which of them fail at least once in a sandbox over the untouched head."""
    seen: set[str] = set()
    for _ in range(HEAD_RUNS):
        result = _run(check, sandbox, on_run)
        seen |= result.failing & set(suspects)
        if len(seen) == len(suspects):
            break
    return frozenset(seen)


def _run(check: Check, sandbox: Sandbox, on_run: OnRun, tests: Collection[str] = ()) -> CheckResult:
    result = run_check(check, sandbox, tests=tuple(tests))
    on_run(result)
    return result
