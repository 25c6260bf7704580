"""The picture on the untouched head commit: what fails, and which of that is the pull request's to fix."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from autofix.checks.case_memory import CaseMemory
from autofix.checks.company import Company, probe_company
from autofix.checks.flaky import is_flaky
from autofix.checks.missing_modules import missing_modules
from autofix.checks.older import Standing, selectable, standing_at_base
from autofix.checks.result import CHECK_DID_NOT_RUN, CaseKey, Check, CheckResult, Outcome, outcome_of
from autofix.checks.runs import BaselineEvent, Runs, Stage
from autofix.errors import UsageError
from autofix.ports.sandbox import Sandbox

__all__ = ["Baseline", "BaselineEvent", "BaselineVerdict", "Stage", "take_baseline"]


NOTHING_RENAMED: Mapping[str, str] = MappingProxyType({})


class BaselineVerdict(Enum):
    """How a baseline ends; only FAILING goes on to a model."""

    FAILING = "failing"
    NOTHING_FAILS = "nothing fails"
    ALL_FLAKY = "all failures are flaky"
    ALL_PREEXISTING = "all failures are older than the pull request"
    INFRASTRUCTURE = "the checks cannot run"


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the head commit shows before any edit.

    Attributes:
        results: the first run of each check at the head, in the order given.
        goal: failing and to be fixed.
        flaky: failed first, passed in a re-run under the same conditions; out of the goal.
        preexisting: failing at the merge base too; out of the goal (unless asked for).
        order_dependent: part of the goal that passes without the other tests' company.
        unsteady: part of the goal that has been seen to pass on an unchanged tree, too: in an earlier run, or at the
            merge base. One pass of such a case proves nothing.
        reason: one line that explains the verdict.
    """

    verdict: BaselineVerdict
    results: tuple[CheckResult, ...]
    goal: frozenset[CaseKey] = frozenset()
    flaky: frozenset[CaseKey] = frozenset()
    preexisting: frozenset[CaseKey] = frozenset()
    order_dependent: frozenset[CaseKey] = frozenset()
    reason: str = ""
    notes: tuple[str, ...] = ()
    unsteady: frozenset[CaseKey] = frozenset()

    def result(self, check: str) -> CheckResult | None:
        """The first run of the named check."""
        return next((result for result in self.results if result.check == check), None)

    def tolerated(self, check: str) -> frozenset[str]:
        """The named check's failing cases that are nobody's to mend in this run."""
        return _of(check, self.flaky | self.preexisting)

    def wanted(self, check: str) -> frozenset[str]:
        """The named check's part of the goal."""
        return _of(check, self.goal)

    def doubtful(self, check: str) -> frozenset[str]:
        """Those of the goal whose single pass would prove nothing."""
        return _of(check, self.goal & (self.unsteady | self.order_dependent))


def _of(check: str, keys: Iterable[CaseKey]) -> frozenset[str]:
    return frozenset(key.case for key in keys if key.check == check)


def take_baseline(
    checks: Sequence[Check],
    head: Sandbox,
    base: Callable[[], Sandbox] | None,
    *,
    reruns: int = 3,
    fix_preexisting: bool = False,
    record: Callable[[BaselineEvent], None] = lambda _: None,
    memory: CaseMemory | None = None,
    renamed: Mapping[str, str] = NOTHING_RENAMED,
) -> Baseline:
    """Run every check at the head, then decide each failing case.

    `base` opens a sandbox over the merge base's tree; it is called at most once, only when something fails, and what it
    opened is closed here; None where there is no base to compare with: then nothing counts as older. `head` stays the
    caller's. `memory` knows what earlier runs found out; None finds out everything anew. `renamed` are files of other
    names at the base: path now -> path before.

    Raises:
        SandboxUnavailable, SandboxBroken: a sandbox failed, which says nothing about the checks.
        UsageError: there is no check, or one names a runner we do not know.
    """
    if not checks:
        raise UsageError("there is nothing to run: name a check, such as --check 'pytest -q'")
    runs = Runs(head, base, record)
    try:
        return _decide(checks, _Asked(runs, reruns, memory, renamed, fix_preexisting=fix_preexisting))
    finally:
        runs.close()


@dataclass(frozen=True, slots=True)
class _Asked:
    """How the failing cases are to be judged."""

    runs: Runs
    reruns: int
    memory: CaseMemory | None
    renamed: Mapping[str, str]
    fix_preexisting: bool


def _decide(checks: Sequence[Check], asked: _Asked) -> Baseline:
    runs = asked.runs
    results = tuple(runs.at_head(check) for check in checks)
    failing = [(check, result) for check, result in zip(checks, results, strict=True) if result.failing]
    if not failing:
        return Baseline(BaselineVerdict.NOTHING_FAILS, results, reason="every check passes at the head commit")
    found = _Found()
    for check, result in failing:
        if result.not_run is not None:
            _judge_not_run(check, result, runs, found)
        else:
            _judge_failing(check, result, asked, found)
    verdict, reason = _verdict(found)
    return Baseline(
        verdict,
        results,
        frozenset(found.goal),
        frozenset(found.flaky),
        frozenset(found.preexisting),
        frozenset(found.order_dependent & found.goal),
        reason,
        tuple(found.notes),
        frozenset(found.unsteady & found.goal),
    )


@dataclass(slots=True)
class _Found:
    """What is known so far of the failing cases."""

    goal: set[CaseKey] = field(default_factory=set)
    flaky: set[CaseKey] = field(default_factory=set)
    preexisting: set[CaseKey] = field(default_factory=set)
    order_dependent: set[CaseKey] = field(default_factory=set)
    unsteady: set[CaseKey] = field(default_factory=set)
    infrastructure: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _verdict(found: _Found) -> tuple[BaselineVerdict, str]:
    if found.infrastructure:
        return BaselineVerdict.INFRASTRUCTURE, "; ".join(found.infrastructure)
    if found.goal:
        return BaselineVerdict.FAILING, f"failing at the head commit: {len(found.goal)}"
    if found.preexisting:
        return BaselineVerdict.ALL_PREEXISTING, "what fails, fails at the merge base too" + (
            ", or is flaky" if found.flaky else ""
        )
    return BaselineVerdict.ALL_FLAKY, "what failed, passed when run again on the same tree"


def _judge_not_run(check: Check, result: CheckResult, runs: Runs, found: _Found) -> None:
    """A check without a picture: the machine's fault where the merge base cannot run it either, else the patch's."""
    message = result.cases[CHECK_DID_NOT_RUN].message
    if runs.has_base and runs.at_base(check).not_run is not None:
        found.infrastructure.append(f"check {check.name} cannot run, at the merge base neither: {message}")
    else:
        found.goal.add(CaseKey(check.name, CHECK_DID_NOT_RUN))


def _judge_failing(check: Check, result: CheckResult, asked: _Asked, found: _Found) -> None:
    runs, memory = asked.runs, asked.memory
    lacking = missing_modules(check, result, runs)
    if lacking:
        found.infrastructure.append(
            f"check {check.name} needs what is not installed: {', '.join(lacking)} (see setup-command)"
        )
        return
    flaky = _flaky(check, result, runs, asked.reruns)
    steady = result.failing - flaky
    at_base = (
        {}
        if asked.fix_preexisting
        else standing_at_base(check, result, steady, runs, memory=memory, renamed=asked.renamed)
    )
    preexisting = {id_ for id_, standing in at_base.items() if standing is Standing.OLDER}
    mine = steady - preexisting
    company = probe_company(check, result, selectable(result, mine), runs) if mine else Company()
    unsteady = {id_ for id_, standing in at_base.items() if standing is Standing.FLAKY}
    if memory:
        unsteady |= memory.once_flaky(check) & mine
        memory.keep_flaky(check, flaky | unsteady)
    for kind, ids in (
        (found.flaky, flaky),
        (found.preexisting, preexisting),
        (found.goal, mine),
        (found.order_dependent, company.dependent),
        (found.unsteady, unsteady),
    ):
        kind.update(CaseKey(check.name, id_) for id_ in ids)
    found.notes += company.notes
    found.notes += [f"{id_} has been seen to pass on an unchanged tree" for id_ in sorted(unsteady)]


def _flaky(check: Check, result: CheckResult, runs: Runs, reruns: int) -> frozenset[str]:
    """Which failing cases pass in a re-run of the whole check; ends early once all are known to."""
    seen: dict[str, list[Outcome | None]] = {id_: [] for id_ in result.failing}
    flaky: frozenset[str] = frozenset()
    for _ in range(reruns):
        again = runs.again(check)
        for id_, outcomes in seen.items():
            outcomes.append(outcome_of(again, id_))
        flaky = frozenset(id_ for id_, outcomes in seen.items() if is_flaky(outcomes))
        if flaky == result.failing:
            break
    return flaky
