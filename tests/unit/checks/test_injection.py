"""What is seen of the model's own test commands: reports they leave, words they say, and never more than is certain."""

import pytest

from autofix.checks.injection import ReportInjection
from autofix.checks.result import Case, Check, CheckResult, Outcome
from autofix.ports.sandbox import CommandResult, ShellCommand
from tests.fakes.pytest_runs import reporting
from tests.fakes.sandbox import FakeSandbox, answered

PYTEST = Check("unit", "pytest -q", "pytest", timeout=30)
FAILED = '<testcase classname="t" name="bad" file="t.py"><failure message="assert 0">x</failure></testcase>'
UNITTEST = Check("unit", "python -m unittest", "unittest")
GO = Check("go", "go test ./...", "go")
MYPY = Check("types", "mypy .", "mypy")
MAKE = Check("make", "make test")


def before(check: Check, *failing: str, passing: tuple[str, ...] = (), complaints: bool = False) -> CheckResult:
    cases = {id_: Case(id_, Outcome.FAILED) for id_ in failing} | {id_: Case(id_, Outcome.PASSED) for id_ in passing}
    return CheckResult(check.name, cases, 1, report=True, complaints=complaints)


def heard(command: str, ran: CommandResult, seen: CheckResult, *checks: Check) -> dict[str, str] | None:
    """What became of the cases that one command told of; None where it told nothing."""
    injection = ReportInjection(checks, FakeSandbox(), [seen])
    injection.hear(command, ran)
    results = injection.collect()
    assert injection.collect() == ()
    return {case.id: case.outcome.value for case in results[0].cases.values()} if results else None


def test_the_models_own_test_command_leaves_a_partial_result():
    sandbox = FakeSandbox().on("", reporting(FAILED, 1))
    injection = ReportInjection([PYTEST, Check("lint", "ruff check")], sandbox)
    assert injection.collect() == ()

    _run(sandbox, injection)
    (result,) = injection.collect()

    assert (result.check, result.failing, result.report) == ("unit", {"t.py::bad"}, True)
    assert injection.collect() == ()


def test_two_checks_of_one_runner_cannot_be_told_apart_and_are_left_alone():
    injection = ReportInjection([PYTEST, Check("other", "pytest other", "pytest")], FakeSandbox())

    assert injection.environment == {}
    assert injection.collect() == ()


def test_rubbish_instead_of_an_injected_report_is_nothing():
    sandbox = FakeSandbox().on("", reporting(b"\0\1\2"))
    injection = ReportInjection([PYTEST], sandbox)

    _run(sandbox, injection)

    assert injection.collect() == ()


def _run(sandbox: FakeSandbox, injection: ReportInjection) -> None:
    sandbox.run(ShellCommand("pytest t.py", 10, environment=injection.environment))


RAN_TWO = "FAIL: test_bad (test_a.T.test_bad)\n---\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n"
TWO = before(UNITTEST, "test_a.T.test_bad", "test_a.T.test_worse")


def test_cases_that_usual_words_do_not_name_passed_only_where_all_ran():
    alone = RAN_TWO.replace("Ran 2 tests", "Ran 1 test")

    assert heard("python3 -m unittest -v", answered(RAN_TWO, 1), TWO, UNITTEST) == {
        "test_a.T.test_bad": "failed",
        "test_a.T.test_worse": "passed",
    }
    assert heard("python3 -m unittest test_a", answered(alone, 1), TWO, UNITTEST) == {"test_a.T.test_bad": "failed"}


def test_words_make_up_no_case_that_nobody_knows():
    invented = RAN_TWO.replace("test_bad (test_a.T.test_bad)", "test_new (test_a.T.test_new)")

    assert heard("python3 -m unittest", answered(invented, 1), TWO, UNITTEST) is None


@pytest.mark.parametrize(
    ("command", "ran"),
    [
        ("cat log.txt", answered(RAN_TWO, 1)),
        ("python3 -m unittest", answered(RAN_TWO, 1, timed_out=True)),
        ("python3 -m unittest", CommandResult(1, RAN_TWO.encode(), b"tail", 9_999, timed_out=False, seconds=1.0)),
    ],
    ids=["another program's", "of a command cut short", "cut"],
)
def test_words_that_prove_nothing_are_not_listened_to(command: str, ran: CommandResult):
    assert heard(command, ran, TWO, UNITTEST) is None


def test_go_tests_that_were_left_out_are_not_taken_for_passed():
    seen = before(GO, "x.org/a.TestOne", "x.org/a.TestTwo", "x.org/b.TestThree")
    told = "--- FAIL: TestOne (0.00s)\n    a_test.go:1: no\nFAIL\nFAIL\tx.org/a\t0.01s\nok  \tx.org/b\t0.01s\nFAIL\n"
    panicked = told.replace("    a_test.go:1: no\nFAIL", "panic: no [recovered]")

    whole = {"x.org/a.TestOne": "failed", "x.org/a.TestTwo": "passed", "x.org/b.TestThree": "passed"}
    assert heard("go test ./...", answered(told, 1), seen, GO) == whole
    assert heard("go test -run 'One|Three' ./...", answered(told, 1), seen, GO) == {"x.org/a.TestOne": "failed"}
    assert "x.org/a.TestTwo" not in (heard("go test ./...", answered(panicked, 1), seen, GO) or {})


def test_the_checks_own_command_tells_by_its_end():
    assert heard(" make test ", answered("", 0), before(MAKE, "make"), MAKE) == {"make": "passed"}
    assert heard("make test", answered("", 2), before(MAKE, "make"), MAKE) == {"make": "failed"}
    assert heard("make test || true", answered("", 0), before(MAKE, "make"), MAKE) is None
    below = Check("make", "make test", directory="sub")
    assert heard("make test", answered("", 0), before(below, "make"), below) is None
    assert heard("cd sub && make test", answered("", 0), before(below, "make"), below) == {"make": "passed"}


def test_complaints_are_all_there_are_only_where_the_whole_was_asked_about():
    seen = before(MYPY, 'a.py: name-defined: Name "x" is not defined', "b.py: other", complaints=True)
    one = 'a.py:3: error: Name "x" is not defined  [name-defined]\n'
    injection = ReportInjection([MYPY], FakeSandbox(), [seen])

    injection.hear("mypy a.py", answered(one, 1))
    assert injection.collect() == ()
    injection.hear("mypy .", answered(one, 1))
    injection.hear("mypy .", answered("Success", 0))
    some, none = injection.collect()

    assert (list(some.cases), some.complaints) == ([next(iter(seen.cases))], True)
    assert (list(none.cases), none.complaints) == ([], True)


def test_two_checks_of_one_runner_are_told_apart_by_nothing_but_their_own_command():
    other = Check("other", "python -m unittest other", "unittest")

    assert heard("python -m unittest test_a", answered(RAN_TWO, 1), TWO, UNITTEST, other) is None
    assert heard("python -m unittest", answered("OK", 0), TWO, UNITTEST, other) == dict.fromkeys(TWO.cases, "passed")
