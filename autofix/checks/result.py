"""One vocabulary for every runner: a check, its cases, their outcomes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Outcome(Enum):
    """How one case ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """It could not run to its assertion: a fixture, a collection, an import."""
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    """Failed as its marker expects."""

    @property
    def failing(self) -> bool:
        return self in {Outcome.FAILED, Outcome.ERROR}


class NotRun(Enum):
    """Why a check gave no picture of its cases at all."""

    COMMAND_NOT_FOUND = "command not found"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out of memory"
    DISK_FULL = "no space left"
    COLLECTION = "collection failed"
    NOTHING_COLLECTED = "no tests collected"
    USAGE = "the runner refused its arguments"
    CRASHED = "the runner crashed"


class CaseKey(NamedTuple):
    """A case among all checks of a run: the check's name and the case's id. Sorts and prints in that order."""

    check: str
    case: str

    def __str__(self) -> str:
        return f"{self.check}: {self.case}"


@dataclass(frozen=True, slots=True)
class ReportForm:
    """What a check says it leaves, where its command starts no runner that we know.

    Attributes:
        format: key of `checks.runners.reported.FORMATS`.
        path: the file, from the check's directory; "" for what the command prints.
        pattern: of the format "pattern": an RE2 expression over one line, with the named groups `file` and `message`;
            `line`, `rule` and `level` are read, too.
    """

    format: str
    path: str = ""
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A command that says whether the code is right.

    Attributes:
        name: unique among a run's checks.
        command: shell text run at `directory` of the tree.
        runner: key of `checks.runners.RUNNERS`; decides how a report is asked for and read.
        timeout: seconds.
        report: read instead of a known runner's.
    """

    name: str
    command: str
    runner: str = "exit-code"
    directory: str = "."
    timeout: float = 600.0
    environment: Mapping[str, str] = field(default_factory=dict)
    report: ReportForm | None = None


class Case(NamedTuple):
    """One test. `id` is stable across runs; `message` is one line, `trace` the runner's own text, both untrusted.

    A tuple because there may be 100,000 of them: made three times as fast as a frozen dataclass.
    """

    id: str
    outcome: Outcome
    message: str = ""
    trace: str = ""
    file: str = ""
    line: int | None = None
    seconds: float = 0.0


THE_PLAN = "the plan"
"""The id of a run that ended before all it had announced; whatever runs next belongs to it."""
UNPLACED_FILE = " (file)"
"""Ends the id of a file that could not be loaded, of a runner whose tests' ids name no file."""
HOOKS = "(hooks)"
"""Ends the id of a suite whose hooks fail, so that its tests do not run; what stands before it begins their ids."""
_NUMBERED = re.compile(r"#\d+$")


def inside(whole: str, ids: Iterable[str]) -> list[str]:
    """Those of the ids that belong to what `whole` names: a file, class or suite that could not be run."""
    whole = _NUMBERED.sub("", whole)
    if whole == THE_PLAN or whole.endswith(UNPLACED_FILE):
        return list(ids)
    ends = ("",) if whole.endswith(HOOKS) else ("::", ".", " > ", "#")
    beginnings = tuple(f"{whole.removesuffix(HOOKS)}{end}" for end in ends)
    return [id_ for id_ in ids if id_.startswith(beginnings)]


CHECK_DID_NOT_RUN = "check did not run"
"""The id of the one failing case that stands for a check without a picture."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one run of a check showed.

    Attributes:
        cases: by id, in the report's order. For a check without cases (exit code only, or not run) one case stands
            for the whole: id is the check's name, or `CHECK_DID_NOT_RUN`. A failing case with the check's name beside
            others says that the command failed although none of its tests did.
        exit_code: the command's.
        report: True when a structured report was there and could be read.
        not_run: why there is no picture; None when there is one.
        notes: what was odd and which side was believed ("exit code 1 although the report shows no failure").
        output: the command's kept output, untrusted.
        complaints: the cases are a linter's complaints, all there are: one that is gone is mended, not lost.
    """

    check: str
    cases: Mapping[str, Case]
    exit_code: int
    report: bool
    not_run: NotRun | None = None
    notes: tuple[str, ...] = ()
    output: str = ""
    seconds: float = 0.0
    complaints: bool = False

    @property
    def failing(self) -> frozenset[str]:
        return frozenset(id_ for id_, case in self.cases.items() if case.outcome.failing)

    @property
    def failing_keys(self) -> frozenset[CaseKey]:
        return frozenset(CaseKey(self.check, id_) for id_ in self.failing)

    @property
    def passed(self) -> bool:
        """Exit code and report agree that nothing fails."""
        return self.exit_code == 0 and self.not_run is None and not self.failing


def outcome_of(result: CheckResult, id_: str) -> Outcome | None:
    """How a case that failed elsewhere ended here; None where the result says nothing of it.

    A complaint that is gone is mended; what stood for a whole (a file, a check) passed where what is inside it ran.
    """
    case = result.cases.get(id_)
    if case is not None:
        return case.outcome
    if result.complaints:
        return Outcome.PASSED
    ran = result.report and bool(inside(id_, result.cases))
    return Outcome.PASSED if ran or (id_ == result.check and result.passed) else None
