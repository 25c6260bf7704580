"""A check in a sandbox: how its remains are believed."""

import pytest

from autofix.checks import report_file
from autofix.checks.result import CHECK_DID_NOT_RUN, Check, NotRun, Outcome
from autofix.checks.run import NAMES_LIMIT, run_check, run_known
from autofix.errors import SandboxBroken, UsageError
from tests.fakes.pytest_runs import reporting
from tests.fakes.sandbox import FakeSandbox, answered

PYTEST = Check("unit", "pytest -q", "pytest", timeout=30)
PASSED = '<testcase classname="t" name="ok" file="t.py" line="0"/>'
FAILED = '<testcase classname="t" name="bad" file="t.py"><failure message="assert 0">x</failure></testcase>'


def checked(answer, check: Check = PYTEST):
    return run_check(check, FakeSandbox().on("", answer))


def test_report_and_exit_code_that_agree_are_believed():
    result = checked(reporting(PASSED))

    assert result.passed
    assert result.report
    assert result.notes == ()
    assert list(result.cases) == ["t.py::ok"]


def test_failures_in_the_report_outweigh_exit_code_0():
    result = checked(reporting(PASSED + FAILED, 0))

    assert not result.passed
    assert result.failing == {"t.py::bad"}
    assert "the report is believed" in result.notes[0]


def test_a_failing_exit_code_outweighs_a_report_without_failures():
    result = checked(reporting(PASSED, 1, "coverage is too low"))

    assert not result.passed
    assert result.failing == {"unit"}
    assert "the exit code is believed" in result.notes[0]


def test_success_without_a_report_is_said_to_be_the_exit_codes_alone():
    result = checked(answered("fine", 0))

    assert not result.report
    assert "exit code alone" in result.notes[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answered("bash: pytest: command not found", 127), NotRun.COMMAND_NOT_FOUND),
        (answered("bash: ./t: Permission denied", 126), NotRun.COMMAND_NOT_FOUND),
        (answered("No module named pytest", 1), NotRun.COMMAND_NOT_FOUND),
        (answered("", 0, timed_out=True), NotRun.TIMEOUT),
        (reporting(PASSED, 137), NotRun.OUT_OF_MEMORY),
        (answered("Killed", 137), NotRun.OUT_OF_MEMORY),
        (answered("OSError: [Errno 28] No space left on device", 1), NotRun.DISK_FULL),
        (answered("ImportError while loading conftest", 4), NotRun.COLLECTION),
        (reporting("", 2), NotRun.CRASHED),
        (reporting('<testcase classname="pytest" name="internal"><error/></testcase>', 3), NotRun.CRASHED),
        (answered("Segmentation fault", 139), NotRun.CRASHED),
        (answered("ERROR: usage", 4), NotRun.USAGE),
        (reporting("", 5), NotRun.NOTHING_COLLECTED),
    ],
)
def test_a_check_without_a_picture_says_why(answer, expected: NotRun):
    result = checked(answer)

    assert result.not_run is expected
    assert not result.passed
    assert list(result.cases) == [CHECK_DID_NOT_RUN]
    assert result.cases[CHECK_DID_NOT_RUN].outcome is Outcome.ERROR
    assert result.cases[CHECK_DID_NOT_RUN].message.startswith(expected.value)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127", NotRun.COMMAND_NOT_FOUND),
        ("./check.sh: line 3: jest: command not found\nnpm error code 1", NotRun.COMMAND_NOT_FOUND),
        ("make: *** [Makefile:2: test] Killed", NotRun.OUT_OF_MEMORY),
        ("npm error signal SIGKILL\nnpm error command failed", NotRun.OUT_OF_MEMORY),
        ("tests: exit -9 (SIGKILL)\n  tests: FAIL code -9", NotRun.OUT_OF_MEMORY),
        ("Killed\n" + "more\n" * 5, None),
        ("make: *** [Makefile:2: test] Error 1", None),
    ],
)
def test_what_became_of_a_program_is_told_by_whoever_started_it(said: str, expected: NotRun | None):
    assert checked(answered(f"{said}\n", 2), Check("make", "make test")).not_run is expected


def test_a_collection_error_is_a_case_not_the_end_of_the_picture():
    error = '<testcase classname="" name="t" file="t.py"><error message="collection failure">E   x</error></testcase>'

    result = checked(reporting(error, 2))

    assert result.not_run is None
    assert result.failing == {"t.py"}


def test_options_that_the_runner_refuses_are_left_out():
    sandbox = FakeSandbox().on("", answered("unrecognized arguments", 4), reporting(PASSED))

    result = run_check(PYTEST, sandbox)

    assert result.passed
    assert ["no:cacheprovider" in command.environment["PYTEST_ADDOPTS"] for command in sandbox.ran] == [True, False]


def test_a_runner_that_refuses_everything_says_what_it_said_first():
    sandbox = FakeSandbox().on("", answered("first", 4), answered("second", 4))

    result = run_check(PYTEST, sandbox)

    assert (result.not_run, result.output, len(sandbox.ran)) == (NotRun.USAGE, "first", 3)


def test_an_unknown_test_is_not_taken_for_refused_options():
    sandbox = FakeSandbox().on("", answered("ERROR: not found: /x/t.py::gone", 4))

    run_check(PYTEST, sandbox, tests=["t.py::gone"])

    assert len(sandbox.ran) == 1


def test_unknown_tests_are_dropped_until_the_known_ones_run():
    sandbox = FakeSandbox().on("gone", answered("ERROR: not found: /x/t.py::gone", 4)).on("", reporting(FAILED, 1))

    result = run_known(PYTEST, sandbox, ["t.py::bad", "t.py::gone"])

    assert result.failing == {"t.py::bad"}


def test_tests_too_many_to_be_named_are_run_with_the_whole_check():
    sandbox = FakeSandbox().on("", reporting(FAILED, 1))
    many = ["t.py::bad", *(f"t.py::test_{number:050}" for number in range(NAMES_LIMIT // 50))]

    assert run_known(PYTEST, sandbox, many).failing == {"t.py::bad"}
    assert sandbox.scripts == ["pytest -q"]


def test_only_unknown_tests_mean_nothing_was_collected():
    sandbox = FakeSandbox().on("", answered("ERROR: file or directory not found: t.py", 4))

    assert run_known(PYTEST, sandbox, ["t.py::a", "t.py::b"]).not_run is NotRun.NOTHING_COLLECTED


def test_reports_are_removed_and_never_found_again():
    sandbox = FakeSandbox().on("", reporting(PASSED), answered("", 0))

    first, second = run_check(PYTEST, sandbox), run_check(PYTEST, sandbox)

    assert (first.report, second.report) == (True, False)
    assert sandbox.files == {}


def test_a_report_past_the_limit_is_read_up_to_it_and_that_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(report_file, "REPORT_LIMIT", 2**20)
    big = f"<testsuite>{PASSED}<testcase classname='t' name='x'><system-out>{'x' * 2**20}".encode()

    result = checked(reporting(big))

    assert list(result.cases) == ["t.py::ok"]
    assert any("larger than 1 MiB" in note for note in result.notes)


def test_a_check_in_a_directory_runs_there_and_names_its_files_from_the_root():
    sandbox = FakeSandbox().on("", reporting(PASSED))

    result = run_check(Check("unit", "pytest", "pytest", directory="my pkg"), sandbox)

    assert sandbox.scripts[0].startswith("cd 'my pkg' || exit 126\n")
    assert result.cases["t.py::ok"].file == "my pkg/t.py"


@pytest.mark.parametrize("file", ["/etc/passwd", "../../secret.py", "a/../../b.py"])
def test_a_file_outside_the_tree_is_not_believed(file: str):
    result = checked(reporting(f'<testcase classname="t" name="ok" file="{file}"/>'))

    assert [case.file for case in result.cases.values()] == [""]


def test_an_exit_code_check_is_one_case_of_its_name():
    check = Check("make test", "make test")

    good, bad = checked(answered("ok"), check), checked(answered("a\nError 1\n", 2), check)

    assert good.passed
    assert bad.failing == {"make test"}
    assert bad.cases["make test"].message == "exit code 2: Error 1"
    assert bad.notes == ()


def test_a_broken_sandbox_is_not_a_failing_check():
    with pytest.raises(SandboxBroken):
        checked(SandboxBroken("gone"))


def test_an_unknown_runner_is_the_configurations_fault():
    with pytest.raises(UsageError, match="pytest"):
        run_check(Check("x", "y", "nope"), FakeSandbox())
