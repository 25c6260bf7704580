"""The picture on the untouched head commit: what fails, and which of that is the pull request's to fix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from autofix.checks.result import CaseKey, Check, CheckResult
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
    base: Callable[[], Sandbox],
    *,
    reruns: int = 3,
    fix_preexisting: bool = False,
    record: Callable[[BaselineEvent], None] = lambda _: None,
) -> Baseline:
    """Run every check at the head, then decide each failing case.

    `base` opens a sandbox over the merge base's tree; it is called at most once, only when something fails, and what it
    opened is closed here. `head` stays the caller's.

    Raises:
        SandboxUnavailable, SandboxBroken: a sandbox failed, which says nothing about the checks.
    """
    raise NotImplementedError
