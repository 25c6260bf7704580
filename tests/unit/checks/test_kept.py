"""What checks showed comes back equal, and what is damaged is said to be."""

import pytest

from autofix.checks.baseline import Baseline, BaselineVerdict
from autofix.checks.finding import Finding, Severity
from autofix.checks.kept import (
    pack_baseline,
    pack_results,
    pack_verification,
    unpack_baseline,
    unpack_results,
    unpack_verification,
)
from autofix.checks.result import Case, CaseKey, CheckResult, NotRun, Outcome
from autofix.checks.verify import Verification, VerificationVerdict
from autofix.errors import JournalDamaged

KEY = CaseKey("unit", "tests/test_a.py::test_one")
RESULT = CheckResult(
    "unit",
    {KEY.case: Case(KEY.case, Outcome.FAILED, "no", "a trace with half a pair \udc80 and a NUL \0", "a.py", 3, 0.25)},
    1,
    report=True,
    notes=("odd",),
    output="…",
    seconds=1.5,
)
UNRUN = CheckResult("types", {}, 127, report=False, not_run=NotRun.COMMAND_NOT_FOUND, complaints=True)


def test_results_come_back_equal() -> None:
    assert unpack_results(pack_results([RESULT, UNRUN])) == (RESULT, UNRUN)


def test_a_baseline_comes_back_equal() -> None:
    baseline = Baseline(
        BaselineVerdict.FAILING, (RESULT, UNRUN), goal=frozenset({KEY}), flaky=frozenset({CaseKey("unit", "b")})
    )
    assert unpack_baseline(pack_baseline(baseline)) == baseline


def test_a_verification_comes_back_with_its_messages_and_the_runs_it_rests_on() -> None:
    verification = Verification(
        VerificationVerdict.STILL_FAILING,
        still_failing=(KEY,),
        findings=(Finding("skip-added", "tests/test_a.py", 3, Severity.TAMPERING, "skipped"),),
        messages={KEY: "assert 1 == 2"},
    )
    assert unpack_verification(pack_verification(verification, [RESULT])) == (verification, (RESULT,))


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-4], lambda b: b[:0], lambda b: b"garbage" + b, lambda b: b[:9] + b[12:]]
)
def test_damaged_bytes_are_refused_in_one_line(spoil) -> None:
    with pytest.raises(JournalDamaged, match="not kept whole") as raised:
        unpack_results(spoil(pack_results([RESULT])))
    assert "\n" not in str(raised.value)


def test_bytes_of_another_kind_are_refused() -> None:
    with pytest.raises(JournalDamaged, match="not kept whole"):
        unpack_baseline(pack_results([RESULT]))
