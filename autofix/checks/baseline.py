"""The picture on the untouched head commit: what fails, and which of that is the pull request's to fix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from autofix.checks.flaky import Steadiness, steadiness
from autofix.checks.missing_modules import missing_modules
from autofix.checks.result import CHECK_DID_NOT_RUN, CaseKey, Check, CheckResult, Outcome, is_inside
from autofix.checks.run import run_check, run_known, runner_of
from autofix.errors import UsageError
from autofix.ports.sandbox import Sandbox


class BaselineVerdict(Enum):
    """How a baseline ends; only FAILING goes on to a model."""

    FAILING = "failing"
    NOTHING_FAILS = "nothing fails"
    ALL_FLAKY = "all failures are flaky"
    ALL_PREEXISTING = "all failures are older than the pull request"
    INFRASTRUCTURE = "the checks cannot run"


class Stage(Enum):
    """Why a check was run."""

    HEAD = "head"
    RERUN = "rerun"
    ALONE = "alone"
    """Only the failing tests, without the others' company."""
    BASE = "base"
    """At the merge base."""


@dataclass(frozen=True, slots=True)
class BaselineEvent:
    """One run of one check; `result` is None when it starts."""

    stage: Stage
    check: str
    result: CheckResult | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the head commit shows before any edit.

    Attributes:
        results: the first run of each check at the head, in the order given.
        goal: failing and to be fixed.
        flaky: failed first, passed in a re-run under the same conditions; out of the goal.
        preexisting: failing at the merge base too; out of the goal (unless asked for).
        order_dependent: part of the goal that passes without the other tests' company.
        reason: one line that explains the verdict.
    """

    verdict: BaselineVerdict
    results: tuple[CheckResult, ...]
    goal: frozenset[CaseKey] = frozenset()
    flaky: frozenset[CaseKey] = frozenset()
    preexisting: frozenset[CaseKey] = frozenset()
    order_dependent: frozenset[CaseKey] = frozenset()
    reason: str = ""
    notes: tuple[str, ...] = field(default=())

    def result(self, check: str) -> CheckResult | None:
        """The first run of the named check."""
        return next((result for result in self.results if result.check == check), None)


def take_baseline(
    checks: Sequence[Check],
    head: Sandbox,
    base: Callable[[], Sandbox] | None,
    *,
    reruns: int = 3,
    fix_preexisting: bool = False,
    record: Callable[[BaselineEvent], None] = lambda _: None,
) -> Baseline:
    """Run every check at the head, then decide each failing case.

    `base` opens a sandbox over the merge base's tree; it is called at most once, only when something fails, and what it
    opened is closed here; None where there is no base to compare with: then nothing counts as older. `head` stays the
    caller's.

    Raises:
        SandboxUnavailable, SandboxBroken: a sandbox failed, which says nothing about the checks.
        UsageError: there is no check, or one names a runner we do not know.
    """
    if not checks:
        raise UsageError("there is nothing to run: name a check, such as --check 'pytest -q'")
    runs = _Runs(head, base, record)
    try:
        return _decide(checks, runs, reruns, fix_preexisting=fix_preexisting)
    finally:
        runs.close()


def _decide(checks: Sequence[Check], runs: "_Runs", reruns: int, *, fix_preexisting: bool) -> Baseline:
    results = tuple(runs.at_head(check) for check in checks)
    failing = [(check, result) for check, result in zip(checks, results, strict=True) if result.failing]
    if not failing:
        return Baseline(BaselineVerdict.NOTHING_FAILS, results, reason="every check passes at the head commit")
    found = _Found()
    for check, result in failing:
        if result.not_run is not None:
            _judge_not_run(check, result, runs, found)
        else:
            _judge_failing(check, result, runs, reruns, found, fix_preexisting=fix_preexisting)
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
    )


@dataclass(slots=True)
class _Found:
    """What is known so far of the failing cases."""

    goal: set[CaseKey] = field(default_factory=set)
    flaky: set[CaseKey] = field(default_factory=set)
    preexisting: set[CaseKey] = field(default_factory=set)
    order_dependent: set[CaseKey] = field(default_factory=set)
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


def _judge_not_run(check: Check, result: CheckResult, runs: "_Runs", found: _Found) -> None:
    """A check without a picture: the machine's fault where the merge base cannot run it either, else the patch's."""
    message = result.cases[CHECK_DID_NOT_RUN].message
    if runs.has_base and runs.at_base(check).not_run is not None:
        found.infrastructure.append(f"check {check.name} cannot run, at the merge base neither: {message}")
    else:
        found.goal.add(CaseKey(check.name, CHECK_DID_NOT_RUN))


def _judge_failing(
    check: Check, result: CheckResult, runs: "_Runs", reruns: int, found: _Found, *, fix_preexisting: bool
) -> None:
    lacking = missing_modules(result, runs.head)
    if lacking:
        found.infrastructure.append(
            f"check {check.name} needs what is not installed: {', '.join(lacking)} (see setup-command)"
        )
        return
    flaky = _flaky(check, result, runs, reruns)
    steady = result.failing - flaky
    preexisting = frozenset[str]() if fix_preexisting else _failing_at_base(check, result, steady, runs)
    mine = steady - preexisting
    alone = _passing_alone(check, result, mine, runs)
    for kind, ids in (
        (found.flaky, flaky),
        (found.preexisting, preexisting),
        (found.goal, mine),
        (found.order_dependent, alone),
    ):
        kind.update(CaseKey(check.name, id_) for id_ in ids)


def _flaky(check: Check, result: CheckResult, runs: "_Runs", reruns: int) -> frozenset[str]:
    """Which failing cases pass in a re-run of the whole check; ends early once all are known to."""
    seen: dict[str, list[Outcome | None]] = {id_: [] for id_ in result.failing}
    flaky: frozenset[str] = frozenset()
    for _ in range(reruns):
        again = runs.again(check)
        for id_, outcomes in seen.items():
            outcomes.append(_outcome(again, id_))
        flaky = frozenset(id_ for id_, outcomes in seen.items() if steadiness(outcomes) is Steadiness.FLAKY)
        if flaky == result.failing:
            break
    return flaky


def _outcome(result: CheckResult, id_: str) -> Outcome | None:
    case = result.cases.get(id_)
    if case is not None:
        return case.outcome
    if result.complaints:
        return Outcome.PASSED
    passed = result.report and any(is_inside(other, id_) for other in result.cases)
    return Outcome.PASSED if passed or (id_ == result.check and result.passed) else None


def _failing_at_base(check: Check, result: CheckResult, ids: frozenset[str], runs: "_Runs") -> frozenset[str]:
    """Which cases fail at the merge base; what does not exist or does not run there does not count."""
    if not ids or not runs.has_base:
        return frozenset()
    tests = _selectable(result, ids)
    at_base = runs.at_base(check, tests)
    if at_base.not_run is not None:
        return frozenset()
    return ids & at_base.failing


def _passing_alone(check: Check, result: CheckResult, ids: frozenset[str], runs: "_Runs") -> frozenset[str]:
    """Which steadily failing cases pass once the other tests are left out (all of them together, in one run)."""
    tests = _selectable(result, ids)
    if not tests or len(tests) == len(result.cases) or not runner_of(check).narrows:
        return frozenset()
    alone = runs.alone(check, tests)
    return frozenset(id_ for id_ in tests if steadiness((), _outcome(alone, id_)) is Steadiness.ORDER_DEPENDENT)


def _selectable(result: CheckResult, ids: frozenset[str]) -> tuple[str, ...]:
    """The ids a runner can be asked for, in the report's order: those of real cases."""
    if not result.report:
        return ()
    return tuple(id_ for id_ in result.cases if id_ in ids and id_ != result.check)


class _Runs:
    """Runs checks at the head and at the merge base, each on the record; opens the base's sandbox when first needed."""

    def __init__(
        self, head: Sandbox, base: Callable[[], Sandbox] | None, record: Callable[[BaselineEvent], None]
    ) -> None:
        self.head = head
        self._open_base = base
        self._base: Sandbox | None = None
        self._record = record

    @property
    def has_base(self) -> bool:
        return self._open_base is not None

    def at_head(self, check: Check) -> CheckResult:
        return self._run(Stage.HEAD, check, self.head)

    def again(self, check: Check) -> CheckResult:
        return self._run(Stage.RERUN, check, self.head)

    def alone(self, check: Check, tests: Sequence[str]) -> CheckResult:
        return self._run(Stage.ALONE, check, self.head, tests)

    def at_base(self, check: Check, tests: Sequence[str] = ()) -> CheckResult:
        if self._base is None:
            assert self._open_base is not None, "there is no base to run at"
            self._base = self._open_base()
        return self._run(Stage.BASE, check, self._base, tests)

    def close(self) -> None:
        if self._base is not None:
            self._base.close()

    def _run(self, stage: Stage, check: Check, sandbox: Sandbox, tests: Sequence[str] = ()) -> CheckResult:
        self._record(BaselineEvent(stage, check.name))
        result = run_known(check, sandbox, tests) if tests else run_check(check, sandbox)
        self._record(BaselineEvent(stage, check.name, result))
        return result
