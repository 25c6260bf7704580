"""When a patch may be called a fix (I5), and what is said when it may not."""

import pytest

from autofix.checks.baseline import Baseline, BaselineVerdict
from autofix.checks.finding import Finding, Severity
from autofix.checks.result import CHECK_DID_NOT_RUN, Case, CaseKey, CheckResult, NotRun, Outcome
from autofix.checks.verify import EVIDENCE_LINES, VerificationVerdict, verify

P, F, E, S, X = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED
ASK = Finding("tests-changed", "tests/test_a.py", 3, Severity.ASK, "the patch changes tests")
CONFIGURATION = Finding("configuration-changed", "pytest.ini", None, Severity.ASK, "the patch changes configuration")
CHEAT = Finding("skip-added", "tests/test_a.py", 3, Severity.TAMPERING, "a test is skipped")


def result(exit_code: int | None = None, *, report: bool = True, not_run: NotRun | None = None, **outcomes: Outcome):
    cases = {id_: Case(id_, outcome, f"{id_} says no") for id_, outcome in outcomes.items()}
    if not_run is not None:
        cases = {CHECK_DID_NOT_RUN: Case(CHECK_DID_NOT_RUN, E, not_run.value)}
    failing = any(case.outcome.failing for case in cases.values())
    code = int(failing) if exit_code is None else exit_code
    return CheckResult("unit", cases, code, report=report and not_run is None, not_run=not_run)


def keys(*names: str) -> frozenset[CaseKey]:
    return frozenset(CaseKey("unit", name) for name in names)


def baseline(before: CheckResult, goal: frozenset[CaseKey], **known: frozenset[CaseKey]) -> Baseline:
    return Baseline(BaselineVerdict.FAILING, (before,), goal, **known)


HEAD = baseline(result(a=F, b=P, c=S), keys("a"))


def verdict(after: CheckResult, before: Baseline = HEAD, **options) -> VerificationVerdict:
    return verify(before, [after], **options).verdict


def test_a_fix_after_which_everything_passes_by_name_is_verified():
    verification = verify(HEAD, [result(a=P, b=P, c=S)])

    assert verification.verified
    assert verification.fixed == (CaseKey("unit", "a"),)
    assert verification.evidence() == "Verification: verified."


def test_new_tests_that_pass_are_welcome():
    assert verdict(result(a=P, b=P, c=P, d=P)) is VerificationVerdict.VERIFIED


@pytest.mark.parametrize("outcome", [F, E])
def test_a_goal_that_fails_is_still_failing_whatever_the_exit_code(outcome: Outcome):
    for exit_code in (0, 1):
        verification = verify(HEAD, [result(exit_code, a=outcome, b=P, c=S)])
        assert verification.verdict is VerificationVerdict.STILL_FAILING
        assert "a: a says no" in verification.evidence()


def test_another_test_that_fails_now_is_newly_failing():
    verification = verify(HEAD, [result(a=P, b=F, c=S)])

    assert verification.verdict is VerificationVerdict.NEWLY_FAILING
    assert verification.newly_failing == (CaseKey("unit", "b"),)
    assert verification.fixed == (CaseKey("unit", "a"),)


def test_known_flaky_and_old_failures_do_not_stand_in_the_way():
    before = baseline(result(a=F, b=F, c=F), keys("a"), flaky=keys("b"), preexisting=keys("c"))

    assert verdict(result(1, a=P, b=F, c=F), before) is VerificationVerdict.VERIFIED
    assert verdict(result(0, a=P, b=P, c=P), before) is VerificationVerdict.VERIFIED


def test_success_from_which_a_test_is_missing_is_tampering():
    verification = verify(HEAD, [result(a=P, c=S)])

    assert verification.verdict is VerificationVerdict.TAMPERING
    assert verification.lost == (CaseKey("unit", "b"),)
    assert verification.findings[0].rule == "tests-lost"


@pytest.mark.parametrize("outcome", [S, X])
def test_success_with_a_test_newly_skipped_or_expected_to_fail_is_tampering(outcome: Outcome):
    for after in (result(0, a=outcome, b=P, c=S), result(0, a=P, b=outcome, c=S)):
        verification = verify(HEAD, [after])
        assert verification.verdict is VerificationVerdict.TAMPERING
        assert "newly-skipped" in {finding.rule for finding in verification.findings}


def test_exit_code_0_without_the_report_the_head_had_is_tampering():
    verification = verify(HEAD, [result(0, report=False, unit=P)])

    assert verification.verdict is VerificationVerdict.TAMPERING
    assert verification.findings[0].rule == "report-missing"


def test_tests_missing_from_a_failing_run_are_no_accusation():
    assert verdict(result(1, a=P, unit=F)) is VerificationVerdict.NEWLY_FAILING


@pytest.mark.parametrize("reason", [NotRun.COMMAND_NOT_FOUND, NotRun.OUT_OF_MEMORY, NotRun.DISK_FULL, NotRun.USAGE])
def test_a_check_that_the_machine_could_not_run_verifies_nothing(reason: NotRun):
    assert verdict(result(2, not_run=reason)) is VerificationVerdict.NOT_RUN


@pytest.mark.parametrize("reason", [NotRun.COLLECTION, NotRun.CRASHED, NotRun.TIMEOUT])
def test_a_check_that_the_patch_broke_is_evidence_for_the_model(reason: NotRun):
    verification = verify(HEAD, [result(3, not_run=reason)])

    assert verification.verdict is VerificationVerdict.STILL_FAILING
    assert reason.value in verification.evidence()


def test_a_check_broken_beside_the_goal_is_newly_failing():
    other = CheckResult("lint", {"x": Case("x", P)}, 0, report=True)
    before = Baseline(BaselineVerdict.FAILING, (result(a=F), other), keys("a"))
    broken = CheckResult(
        "lint", {CHECK_DID_NOT_RUN: Case(CHECK_DID_NOT_RUN, E)}, 3, report=False, not_run=NotRun.CRASHED
    )

    assert verify(before, [result(a=P), broken]).verdict is VerificationVerdict.NEWLY_FAILING


def test_a_check_nobody_ran_verifies_nothing():
    assert verify(HEAD, []).verdict is VerificationVerdict.NOT_RUN


def test_a_file_that_could_not_be_collected_is_fixed_when_its_tests_pass():
    before = baseline(result(**{"t.py": E}), keys("t.py"))

    assert verdict(result(**{"t.py::a": P, "t.py::b": S}), before) is VerificationVerdict.VERIFIED
    assert verdict(result(**{"t.py::a": F}), before) is VerificationVerdict.STILL_FAILING
    assert verdict(result(0, **{"t.py::a": S}), before) is VerificationVerdict.STILL_FAILING
    assert verdict(result(0, **{"u.py::a": P}), before) is VerificationVerdict.TAMPERING


@pytest.mark.parametrize(
    ("whole", "tests"),
    [
        ("b.test.js", ["b.test.js > adds"]),
        ("spec/a_spec.rb", ["spec/a_spec.rb > Sums adds"]),
        ("t/b.t", ["t/b.t > one"]),
        ("one > t.py", ["one > t.py::a"]),
        ("a.bats", ["a.bats > one"]),
        ("shop.SumsTest", ["shop.SumsTest#adds"]),
        ("test/a.js > outer (hooks)", ["test/a.js > outer one", "test/a.js > outer inner two"]),
        ("test/a.js > outer (hooks)#2", ["test/a.js > outer one"]),
        ("a.test.js (file)", ["adds"]),
        ("the plan", ["adds"]),
        ("it (tests/it.rs)", ["it (tests/it.rs)::adds"]),
        ("example.org/shop/sub", ["example.org/shop/sub.TestAdds"]),
    ],
)
def test_what_could_not_be_run_is_mended_by_whoever_makes_its_tests_run_and_pass(whole: str, tests: list[str]):
    before = baseline(result(**{whole: E, "other": F}), keys(whole), preexisting=keys("other"))
    good = dict.fromkeys(tests, P)

    assert verdict(result(1, **good, other=F), before) is VerificationVerdict.VERIFIED
    assert verdict(result(1, **{**good, tests[0]: F}, other=F), before) is VerificationVerdict.STILL_FAILING
    assert verdict(result(1, other=F), before) is VerificationVerdict.STILL_FAILING


def test_a_check_that_did_not_run_at_the_head_is_fixed_when_it_runs_and_passes():
    before = baseline(result(2, not_run=NotRun.COLLECTION), keys(CHECK_DID_NOT_RUN))

    assert verdict(result(a=P), before) is VerificationVerdict.VERIFIED
    assert verdict(result(a=F), before) is VerificationVerdict.STILL_FAILING
    assert verdict(result(2, not_run=NotRun.COLLECTION), before) is VerificationVerdict.STILL_FAILING


def test_an_exit_code_check_is_fixed_by_exit_code_0_alone():
    before = baseline(result(1, report=False, unit=F), keys("unit"))

    assert verdict(result(0, report=False, unit=P), before) is VerificationVerdict.VERIFIED
    assert verdict(result(1, report=False, unit=F), before) is VerificationVerdict.STILL_FAILING


def test_a_finding_to_ask_about_needs_approval_and_one_that_accuses_is_tampering():
    good = result(a=P, b=P, c=S)

    assert verdict(good, findings=[ASK]) is VerificationVerdict.NEEDS_APPROVAL
    assert verdict(good, findings=[ASK, CHEAT]) is VerificationVerdict.TAMPERING
    assert verdict(result(a=F, b=P, c=S), findings=[CHEAT]) is VerificationVerdict.TAMPERING
    assert verdict(result(a=F, b=P, c=S), findings=[ASK]) is VerificationVerdict.STILL_FAILING


def test_a_patch_that_passes_only_with_its_own_tests_is_a_persons_to_judge():
    verification = verify(HEAD, [result(a=F, b=P, c=S)], [ASK], patched=[result(a=P, b=P, c=S)])

    assert verification.verdict is VerificationVerdict.NEEDS_APPROVAL
    assert any("not with those of the head" in note for note in verification.notes)


def test_a_patch_that_fails_with_its_own_tests_too_is_still_failing():
    after = result(a=F, b=P, c=S)

    assert verify(HEAD, [after], [ASK], patched=[after]).verdict is VerificationVerdict.STILL_FAILING


def test_allowed_test_edits_are_judged_by_the_patch_and_the_difference_is_noted():
    verification = verify(HEAD, [result(a=F, b=P, c=S)], [ASK], patched=[result(a=P, b=P, c=S)], tests_edit="allow")

    assert verification.verified
    assert any("own tests do not pass" in note for note in verification.notes)


def test_allowing_test_edits_allows_no_configuration_and_no_cheat():
    good = [result(a=P, b=P, c=S)]

    for finding, expected in (
        (CONFIGURATION, VerificationVerdict.NEEDS_APPROVAL),
        (CHEAT, VerificationVerdict.TAMPERING),
    ):
        assert verify(HEAD, good, [finding], patched=good, tests_edit="allow").verdict is expected


def test_evidence_stays_short_however_much_fails():
    names = [f"t{number:04}" for number in range(500)]
    before = baseline(result(**dict.fromkeys(names, F)), keys(*names))

    text = verify(before, [result(**dict.fromkeys(names, F))]).evidence()

    assert len(text.splitlines()) == EVIDENCE_LINES + 3
    assert "and 480 more" in text
