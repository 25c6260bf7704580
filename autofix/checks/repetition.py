"""One pass may be luck: before a fix is believed, the cases it mends run again in the same fresh tree.

A case that failed in every run so far is looked at once more, alone, which is cheap. Where that fails, or where the
case is known to pass now and then without any fix, the whole check runs again until the case has passed `PASSES` times
in the company in which it failed. A look that shows nothing, because a case cannot run alone or time is up, speaks
against nobody who is not suspected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autofix.checks.passing import passes
from autofix.checks.result import CHECK_DID_NOT_RUN, Case, Check, CheckResult, Outcome
from autofix.checks.run import run_check, runner_of
from autofix.ports.sandbox import Sandbox

PASSES = 5
"""Passes in a row of a once-flaky case. One that still fails every other time gets through in 3 % of cases; one that
fails once in ten runs is below what any affordable number of runs tells from a mended one."""
_TWICE = 2
"""Passes of a case of which nothing speaks for luck, where only the whole check can be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What is known of a check's cases before its patched tree is run.

    Attributes:
        goal: cases that failed and are to be mended.
        unsteady: those of them that pass now and then on an unchanged tree, or by the company they run in.
        tolerated: failing cases that are not the patch's to mend.
        on_run: hears each further run.
    """

    check: Check
    goal: frozenset[str]
    unsteady: frozenset[str] = frozenset()
    tolerated: frozenset[str] = frozenset()
    on_run: Callable[[CheckResult], None] = lambda _result: None

    def believed(self, first: CheckResult, sandbox: Sandbox) -> CheckResult:
        """`first`, or the same with those of its passes taken back that did not come again."""
        if first.not_run is not None or not self.goal or self._failing(first):
            return first  # nothing is called fixed yet
        if self.unsteady:
            return self._repeated(first, sandbox, PASSES)
        if first.complaints:
            return first
        if self._only_whole:
            again = self._repeated(first, sandbox, _TWICE)
            return first if again.not_run else again
        return self._repeated(first, sandbox, PASSES) if self._fails_alone(sandbox) else first

    @property
    def _only_whole(self) -> bool:
        """Whether the runner cannot be asked for the mended cases alone."""
        return bool({CHECK_DID_NOT_RUN, self.check.name} & self.goal) or not runner_of(self.check).narrows

    def _failing(self, result: CheckResult) -> list[str]:
        return [id_ for id_ in sorted(self.goal) if not passes(result, id_, self.tolerated)]

    def _fails_alone(self, sandbox: Sandbox) -> bool:
        again = self._run(sandbox, sorted(self.goal))
        return again.not_run is None and any(id_ in again.cases for id_ in self._failing(again))

    def _repeated(self, first: CheckResult, sandbox: Sandbox, passes_wanted: int) -> CheckResult:
        """The whole check, again and again, until a mended case fails or has passed often enough."""
        for number in range(2, passes_wanted + 1):
            again = self._run(sandbox)
            if again.not_run is not None:
                return again
            relapsed = self._failing(again)
            if relapsed:
                return _taken_back(first, again, relapsed, number)
        names = ", ".join(sorted(self.unsteady or self.goal)[:3])
        note = f"{names}: passed {passes_wanted} times in a row in the patched tree"
        return first if passes_wanted == _TWICE else replace(first, notes=(*first.notes, note))

    def _run(self, sandbox: Sandbox, tests: Sequence[str] = ()) -> CheckResult:
        result = run_check(self.check, sandbox, tests=tests)
        self.on_run(result)
        return result


def _taken_back(first: CheckResult, again: CheckResult, relapsed: Sequence[str], number: int) -> CheckResult:
    cases = dict(first.cases)
    for id_ in relapsed:
        case = again.cases.get(id_, Case(id_, Outcome.FAILED))
        told = f"flaky: passed {_times(number - 1)}, then failed, in the same patched tree"
        outcome = case.outcome if case.outcome.failing else Outcome.FAILED
        cases[id_] = case._replace(outcome=outcome, message=f"{told}: {case.message}".removesuffix(": "))
    return replace(first, cases=cases, exit_code=again.exit_code, output=again.output)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
