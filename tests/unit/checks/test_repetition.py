"""A pass is believed only when it comes again; a look that shows nothing speaks against nobody."""

import pytest

from autofix.checks.repetition import PASSES, Repetition
from autofix.checks.result import CHECK_DID_NOT_RUN, Case, Check, CheckResult, Outcome
from autofix.checks.run import run_check
from tests.fakes.pytest_runs import reporting
from tests.fakes.sandbox import Answer, FakeSandbox, answered

UNIT = Check("unit", "pytest -q", "pytest")
MAKE = Check("make", "make test")
A = "t.py::a"


def report(**outcomes: bool) -> Answer:
    failure = '<failure message="no">x</failure>'
    cases = (
        f'<testcase classname="t" name="{name}" file="t.py">{"" if ok else failure}</testcase>'
        for name, ok in outcomes.items()
    )
    return reporting("".join(cases), int(not all(outcomes.values())))


def believed(sandbox: FakeSandbox, *goal: str, check: Check = UNIT, **known: frozenset[str]) -> CheckResult:
    first = run_check(check, sandbox)
    return Repetition(check=check, goal=frozenset(goal), **known).believed(first, sandbox)


def test_a_mended_case_is_looked_at_once_more_alone():
    sandbox = FakeSandbox().on("::a", report(a=True)).on("", report(a=True, b=True))

    assert believed(sandbox, A).passed
    assert sandbox.scripts == ["pytest -q", "pytest -q t.py::a"]


def test_a_case_that_passed_by_luck_fails_again_and_is_not_called_mended():
    sandbox = FakeSandbox().on("::a", report(a=False)).on("", report(a=True, b=True), report(a=False, b=True))

    result = believed(sandbox, A)

    assert result.failing == {A}
    assert result.cases[A].message == "flaky: passed once, then failed, in the same patched tree: no"
    assert result.exit_code == 1


def test_a_case_that_needs_the_others_company_is_believed_after_enough_passes_in_it():
    sandbox = FakeSandbox().on("::a", report(a=False)).on("", report(a=True, b=True))

    result = believed(sandbox, A)

    assert result.passed
    assert len(sandbox.scripts) == 1 + PASSES
    assert result.notes == (f"{A}: passed {PASSES} times in a row in the patched tree",)


@pytest.mark.parametrize("relapse", range(2, PASSES + 1))
def test_a_once_flaky_case_has_to_pass_every_time_in_company(relapse: int):
    runs = [report(a=True, b=True)] * (relapse - 1)
    sandbox = FakeSandbox().on("", *runs, report(a=False, b=True))

    result = believed(sandbox, A, unsteady=frozenset({A}))

    assert result.failing == {A}
    assert sandbox.scripts == ["pytest -q"] * relapse


def test_another_flaky_test_takes_nothing_back():
    sandbox = FakeSandbox().on("", report(a=True, b=True), report(a=True, b=False))

    assert believed(sandbox, A, unsteady=frozenset({A})).failing == frozenset()


def test_what_is_not_mended_is_not_run_again():
    sandbox = FakeSandbox().on("", report(a=False, b=True))

    assert believed(sandbox, A, "t.py::b").failing == {A}
    assert len(sandbox.scripts) == 1


def test_without_a_goal_nothing_is_run_again():
    sandbox = FakeSandbox().on("", report(a=True))

    assert believed(sandbox).passed
    assert len(sandbox.scripts) == 1


def test_a_look_that_shows_nothing_speaks_against_nobody():
    sandbox = FakeSandbox().on("::a", answered("", 0, timed_out=True)).on("", report(a=True))

    assert believed(sandbox, A).passed


def test_a_once_flaky_case_whose_repetition_does_not_run_is_not_believed():
    sandbox = FakeSandbox().on("", report(a=True), answered("", 0, timed_out=True))

    assert believed(sandbox, A, unsteady=frozenset({A})).not_run is not None


def test_a_check_without_tests_of_its_own_runs_whole_again():
    sandbox = FakeSandbox().on("", answered("", 0), answered("boom", 1), answered("", 0))

    result = believed(sandbox, "make", check=MAKE)

    assert result.failing == {"make"}
    assert "then failed" in result.cases["make"].message


def test_a_check_without_tests_of_its_own_passes_twice_or_as_far_as_there_is_time():
    lasting = FakeSandbox().on("", answered("", 0))
    late = FakeSandbox().on("", answered("", 0), answered("", 0, timed_out=True))

    assert believed(lasting, "make", check=MAKE).passed
    assert lasting.scripts == ["make test"] * 2
    assert believed(late, "make", check=MAKE).passed


def test_a_check_that_did_not_run_at_the_head_runs_whole_again():
    sandbox = FakeSandbox().on("", report(a=True), report(a=False), report(a=True))

    assert not believed(sandbox, CHECK_DID_NOT_RUN).passed


def test_a_file_that_could_not_be_loaded_is_asked_for_by_its_name():
    sandbox = FakeSandbox().on("", report(a=True))

    assert believed(sandbox, "t.py").passed
    assert sandbox.scripts[1] == "pytest -q t.py"


def test_complaints_are_not_asked_for_twice():
    lint = Check("lint", "ruff check", "ruff")
    clean = CheckResult("lint", {"lint": Case("lint", Outcome.PASSED)}, 0, report=True, complaints=True)

    result = Repetition(check=lint, goal=frozenset({"a.py: F401: unused"})).believed(clean, FakeSandbox())

    assert result is clean
