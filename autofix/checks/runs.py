"""Runs of checks for the baseline, each on the record: at the head, again, alone, in its file's order, at the base."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from autofix.checks.result import Check, CheckResult
from autofix.checks.run import run_check, run_known
from autofix.ports.sandbox import Sandbox


class Stage(Enum):
    """Why a check was run."""

    HEAD = "head"
    RERUN = "rerun"
    ALONE = "alone"
    """Only failing tests, without the others' company."""
    FILE_ORDER = "file order"
    """The whole file of a failing test, in the file's own order and without other files' company."""
    BASE = "base"
    """At the merge base."""


@dataclass(frozen=True, slots=True)
class BaselineEvent:
    """One run of one check; `result` is None when it starts."""

    stage: Stage
    check: str
    result: CheckResult | None = None


class Runs:
    """Runs checks at the head and at the merge base; opens the base's sandbox when it is first needed."""

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

    def in_file_order(self, check: Check, file: str) -> CheckResult:
        return self._run(Stage.FILE_ORDER, check, self.head, [file])

    @property
    def base(self) -> Sandbox:
        if self._base is None:
            assert self._open_base is not None, "there is no base to run at"
            self._base = self._open_base()
        return self._base

    def at_base(self, check: Check, tests: Sequence[str] = ()) -> CheckResult:
        return self._run(Stage.BASE, check, self.base, tests)

    def close(self) -> None:
        if self._base is not None:
            self._base.close()

    def _run(self, stage: Stage, check: Check, sandbox: Sandbox, tests: Sequence[str] = ()) -> CheckResult:
        self._record(BaselineEvent(stage, check.name))
        result = run_known(check, sandbox, tests) if tests else run_check(check, sandbox)
        self._record(BaselineEvent(stage, check.name, result))
        return result
