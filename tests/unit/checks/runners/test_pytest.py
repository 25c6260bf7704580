"""pytest: node ids from its report, its exit codes, its command line."""

import pytest

from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners import pytest as runner
from autofix.checks.runners.runner import Left, Picture, ProjectFiles


def parsed(inner: str, exit_code: int = 1, output: str = "") -> Picture:
    report = f"<testsuites><testsuite>{inner}</testsuite></testsuites>".encode()
    return runner.parse(Left(report, exit_code, output))


def only(inner: str) -> Case:
    (case,) = parsed(inner).cases
    return case


@pytest.mark.parametrize(
    ("classname", "name", "file", "expected"),
    [
        ("tests.test_a", "test_x", "tests/test_a.py", "tests/test_a.py::test_x"),
        ("test_a.TestX.TestY", "test_x[1]", "test_a.py", "test_a.py::TestX::TestY::test_x[1]"),
        ("tests.test_a", "test_p[a::b-[c]]", "tests/test_a.py", "tests/test_a.py::test_p[a::b-[c]]"),
        ("tests.test_a", "test_p[\\u5b57]", "tests/test_a.py", "tests/test_a.py::test_p[\\u5b57]"),
        ("tests.v1.2.test_a", "test_x", "tests/v1.2/test_a.py", "tests/v1.2/test_a.py::test_x"),
        ("src.calc", "src.calc.add", "src/calc.py", "src/calc.py::src.calc.add"),
        ("spec.yaml", "usecase", "spec.yaml", "spec.yaml::usecase"),
        ("tests.test_child.TestChild", "test_x", "tests/base.py", "tests/test_child.py::TestChild::test_x"),
        (
            "tests.test_child.test_more.TestChild",
            "test_x",
            "lib/b.py",
            "tests/test_child/test_more.py::TestChild::test_x",
        ),
        ("tests.test_child", "test_x", "", "tests/test_child.py::test_x"),
        ("", "tests.test_a", "tests/test_a.py", "tests/test_a.py"),
        ("", "tests.test_a", "", "tests/test_a.py"),
    ],
)
def test_the_node_id_is_rebuilt(classname: str, name: str, file: str, expected: str):
    case = only(f'<testcase classname="{classname}" name="{name}" file="{file}" line="4"/>')

    assert case.id == expected
    assert case.line == 5


def test_an_address_in_an_id_does_not_make_it_another_test():
    first, second = (
        only(f'<testcase classname="t" name="test_p[&lt;X object at 0x7f{number}&gt;]" file="t.py"/>').id
        for number in ("00aa12cd34", "11bb12cd34")
    )

    assert first == second


def test_cases_of_the_same_name_are_numbered_in_order():
    case = '<testcase classname="t" name="test_p" file="t.py"/>'

    assert [each.id for each in parsed(case * 3).cases] == ["t.py::test_p", "t.py::test_p#2", "t.py::test_p#3"]


def test_a_failing_test_with_a_failing_teardown_is_one_case():
    case = only(
        '<testcase classname="t" name="test" file="t.py"><failure message="assert 0">E   assert 0</failure></testcase>'
        '<testcase classname="t" name="test" file="t.py"><error message="failed on teardown with x">boom</error></testcase>'
    )

    assert (case.outcome, case.message) == (Outcome.FAILED, "assert 0")
    assert case.trace == "E   assert 0\n\nboom"


def test_a_passing_test_with_a_failing_teardown_is_an_error():
    passed = '<testcase classname="t" name="test" file="t.py"/>'
    torn = '<testcase classname="t" name="test" file="t.py"><error message="failed on teardown with x">boom</error></testcase>'

    assert only(passed + torn).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("inner", "outcome", "message"),
    [
        ("", Outcome.PASSED, ""),
        ('<failure message="assert 1 == 2&#10;more">x</failure>', Outcome.FAILED, "assert 1 == 2"),
        ('<error message="failed on setup with x">&gt; y\nE   KeyError: 1</error>', Outcome.ERROR, "KeyError: 1"),
        (
            '<error message="collection failure">E   File "x"\nE   SyntaxError: bad</error>',
            Outcome.ERROR,
            "SyntaxError: bad",
        ),
        ('<skipped type="pytest.skip" message="why">t.py:1: why</skipped>', Outcome.SKIPPED, "why"),
        ('<skipped type="pytest.xfail" message="known"/>', Outcome.XFAILED, "known"),
        ('<failure message="[XPASS(strict)] x"/>', Outcome.FAILED, "[XPASS(strict)] x"),
        ('<failure message="a"/><failure message="b"/>', Outcome.FAILED, "a (and 1 more)"),
        ('<skipped type="pytest.skip" message="sub"/><failure message="a"/>', Outcome.FAILED, "a"),
    ],
)
def test_what_a_case_says_is_its_outcome(inner: str, outcome: Outcome, message: str):
    case = only(f'<testcase classname="t" name="test" file="t.py">{inner}</testcase>')

    assert (case.outcome, case.message) == (outcome, message)


COLLECTED = '<testcase classname="" name="t" file="t.py"><error message="collection failure">E   x</error></testcase>'
PASSED = '<testcase classname="t" name="test" file="t.py"/>'
INTERNAL = '<testcase classname="pytest" name="internal"><error message="internal error">x</error></testcase>'


@pytest.mark.parametrize(
    ("inner", "exit_code", "output", "expected"),
    [
        (PASSED, 0, "", None),
        (PASSED, 1, "", None),
        (COLLECTED, 2, "", None),
        (COLLECTED, 1, "", None),
        ("", 2, "", NotRun.CRASHED),
        (INTERNAL, 3, "", NotRun.CRASHED),
        (PASSED + INTERNAL, 3, "", NotRun.CRASHED),
        ("", 4, "ERROR: not found: /x/t.py::nope", NotRun.USAGE),
        ("", 4, "ImportError while loading conftest '/x/conftest.py'", NotRun.COLLECTION),
        ("", 5, "", NotRun.NOTHING_COLLECTED),
        ("", 0, "", NotRun.NOTHING_COLLECTED),
    ],
)
def test_a_report_without_a_picture_says_why(inner: str, exit_code: int, output: str, expected: NotRun | None):
    assert parsed(inner, exit_code, output).not_run is expected


@pytest.mark.parametrize(
    ("exit_code", "output", "expected"),
    [
        (0, "", None),
        (1, "/usr/bin/python: No module named pytest", NotRun.COMMAND_NOT_FOUND),
        (1, "something", NotRun.CRASHED),
        (139, "Segmentation fault", NotRun.CRASHED),
        (4, "unrecognized arguments: --junitxml", NotRun.USAGE),
        (4, "ImportError while loading conftest '/x/conftest.py'", NotRun.COLLECTION),
        (5, "no tests ran", NotRun.NOTHING_COLLECTED),
    ],
)
def test_without_a_report_the_exit_code_and_the_output_say_why(exit_code: int, output: str, expected: NotRun | None):
    picture = runner.parse(Left(None, exit_code, output))

    assert (picture.report, picture.not_run, picture.cases) == (False, expected, ())


def test_a_damaged_report_keeps_its_whole_cases_and_says_so():
    picture = runner.parse(Left(f"<testsuites><testsuite>{PASSED}<testcase na".encode(), 1, ""))

    assert [case.id for case in picture.cases] == ["t.py::test"]
    assert picture.report
    assert "only in part" in picture.notes[0]


def test_rubbish_in_place_of_a_report_is_no_report():
    picture = runner.parse(Left(b"\0rubbish", 1, ""))

    assert (picture.report, picture.not_run) == (False, NotRun.CRASHED)
    assert picture.notes


def first(command: str, tests: tuple[str, ...] = (), **environment: str):
    return runner.invocations(Check("c", command, "pytest", environment=environment), tests, "/s/r.xml")[0]


def test_the_report_is_asked_for_by_environment_and_the_command_stays():
    invocation = first("pytest -q tests", PYTEST_ADDOPTS="-x")

    assert invocation.script == "pytest -q tests"
    assert invocation.environment["PYTEST_ADDOPTS"].startswith("-x --junitxml=/s/r.xml -o junit_family=xunit1")
    assert "no:cacheprovider" in invocation.environment["PYTEST_ADDOPTS"]


@pytest.mark.parametrize("option", ["--junitxml=out.xml", "--junit-xml out.xml", "--junitxml 'my out.xml'"])
def test_a_report_of_the_commands_own_does_not_take_ours_away(option: str):
    assert first(f"pytest {option} -q tests").script == "pytest -q tests"


def test_refused_options_are_left_out_one_after_the_other():
    whole, plain, none = runner.invocations(Check("c", "pytest", "pytest"), (), "/s/r.xml")

    assert "no:cacheprovider" in whole.environment["PYTEST_ADDOPTS"]
    assert "no:cacheprovider" not in plain.environment["PYTEST_ADDOPTS"]
    assert none.environment == {}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", "pytest 't.py::test[a b]'"),
        ("pytest -q tests/unit tests/x.py", "pytest -q 't.py::test[a b]'"),
        ("python -m pytest -k 'a or b' -n 4 tests", "python -m pytest -k 'a or b' -n 4 't.py::test[a b]'"),
        (
            "cd x && FOO=1 poetry run pytest --cov=src tests",
            "cd x && FOO=1 poetry run pytest --cov=src 't.py::test[a b]'",
        ),
        ("make lint; pytest tests | tee log", "make lint; pytest 't.py::test[a b]' | tee log"),
        ("pytest $(cat tests.txt)", "pytest $(cat tests.txt)"),
        ("make test", "make test"),
    ],
)
def test_a_command_is_narrowed_to_tests_where_we_can_read_it(command: str, expected: str):
    assert first(command, ("t.py::test[a b]",)).script == expected


CHECK = Check("c", "pytest", "pytest")


def test_ids_that_pytest_does_not_know_are_told_from_the_others():
    output = "ERROR: not found: /project/t.py::gone\n(no match in any of [<Module t.py>])\n\nERROR: file or directory not found: no/such.py::test\n"

    assert runner.missing(CHECK, output, ("t.py::gone", "t.py::here", "no/such.py::test", "no/such.py::other")) >= {
        "t.py::gone",
        "no/such.py::test",
    }
    assert "t.py::here" not in runner.missing(CHECK, output, ("t.py::here",))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"pytest.ini": ""}, "pytest.ini"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.pytest]\n"}, "pyproject.toml"),
        ({"setup.cfg": "[tool:pytest]\n"}, "setup.cfg"),
        ({"tox.ini": "[pytest]\n"}, "tox.ini"),
        ({"a/conftest.py": ""}, "conftest.py"),
        ({"tests/test_a.py": "def test_x():\n    pass\n"}, "tests/test_a.py"),
        ({"a_test.py": "import pytest\n"}, "a_test.py"),
    ],
)
def test_a_project_with_pytests_marks_is_found(files: dict[str, str], why: str):
    command, reason = runner.detect(ProjectFiles(files.keys(), lambda path: files[path].encode()))

    assert command == "python -m pytest -q"
    assert why in reason


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"pyproject.toml": "[tool.ruff]\n"},
        {"tests/test_a.py": "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): ..."},
    ],
)
def test_a_project_without_them_is_not(files: dict[str, str]):
    assert runner.detect(ProjectFiles(files.keys(), lambda path: files[path].encode())) is None
