"""Checks with the real pytest in a real sandbox: the truth of small projects, told by what the harness says of them."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autofix.checks.baseline import BaselineVerdict, take_baseline
from autofix.checks.detect import check_for_command, detect
from autofix.checks.injection import ReportInjection
from autofix.checks.result import CHECK_DID_NOT_RUN, Case, CaseKey, Check, CheckResult, NotRun, Outcome
from autofix.checks.run import run_check
from autofix.ports.sandbox import Sandbox, SandboxSpec, ShellCommand
from autofix.world.host_sandbox import HostRoom

PYTEST = replace(
    check_for_command(f"{sys.executable} -m pytest -q"),
    name="unit",
    environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
)
Project = Callable[[dict[str, str]], Sandbox]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Opens a host sandbox over files written out."""
    opened: list[Sandbox] = []

    def open_over(files: dict[str, str]) -> Sandbox:
        tree = tmp_path / f"tree{len(opened)}"
        for path, content in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(content)
        opened.append(HostRoom().open(SandboxSpec("checks"), tree))
        return opened[-1]

    yield open_over
    for sandbox in opened:
        sandbox.close()


def outcomes(result: CheckResult) -> dict[str, str]:
    return {id_: case.outcome.value for id_, case in result.cases.items()}


EVERYTHING = {
    "tests/base.py": "class Base:\n    def test_inherited(self):\n        assert 0\n",
    "tests/test_a.py": """
import pytest
from tests.base import Base

class TestOuter(Base):
    class TestInner:
        @pytest.mark.parametrize("p", ["a::b", "é[x]", "sp ace", 'q"<&', "\\x1b[31m", ""])
        def test_p(self, p): pass

def test_subtests(subtests):
    for i in range(3):
        with subtests.test(i=i):
            assert i == 0

@pytest.fixture
def torn():
    yield
    raise ValueError("torn")

@pytest.fixture
def broken():
    raise KeyError("broken")

def test_both(torn): assert 0, "first line\\nsecond line"
def test_torn(torn): pass
def test_broken(broken): pass
def test_skipped(): pytest.skip("why")

@pytest.mark.xfail
def test_xfailed(): assert 0

@pytest.mark.xfail(strict=True)
def test_xpassed(): pass
""",
    "tests/test_broken.py": "import nowhere\n",
    "tests/test_syntax.py": "def test(:\n",
    "tests/test_skipped.py": "import pytest\npytest.skip('all', allow_module_level=True)\n",
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -x\n",
}


def test_every_kind_of_outcome_is_told_by_its_node_id(project: Project):
    sandbox = project(EVERYTHING)

    result = run_check(PYTEST, sandbox)

    inner = "tests/test_a.py::TestOuter::TestInner::test_p"
    assert outcomes(result) == {
        "tests/test_broken.py": "error",
        "tests/test_syntax.py": "error",
        "tests/test_skipped.py": "skipped",
        **{f"{inner}[{p}]": "passed" for p in ("a::b", "\\xe9[x]", "sp ace", 'q"<&', "\\x1b[31m", "")},
        "tests/test_a.py::TestOuter::test_inherited": "failed",
        "tests/test_a.py::test_subtests": "failed",
        "tests/test_a.py::test_both": "failed",
        "tests/test_a.py::test_torn": "error",
        "tests/test_a.py::test_broken": "error",
        "tests/test_a.py::test_skipped": "skipped",
        "tests/test_a.py::test_xfailed": "xfailed",
        "tests/test_a.py::test_xpassed": "failed",
    }
    assert result.exit_code == 1
    assert result.notes == ()
    both: Case = result.cases["tests/test_a.py::test_both"]
    assert both.message == "AssertionError: first line"
    assert "second line" in both.trace
    assert "torn" in both.trace
    assert result.cases["tests/test_broken.py"].message == "ModuleNotFoundError: No module named 'nowhere'"
    assert result.cases["tests/test_a.py::TestOuter::test_inherited"].file == "tests/base.py"


def test_each_id_selects_its_test_again_and_nothing_else(project: Project):
    sandbox = project(EVERYTHING)
    whole = run_check(PYTEST, sandbox)
    ids = [id_ for id_ in whole.cases if "::" in id_]

    again = run_check(PYTEST, sandbox, tests=ids)

    assert sorted(again.cases) == sorted(ids)
    assert {id_: again.cases[id_].outcome for id_ in ids} == {id_: whole.cases[id_].outcome for id_ in ids}


def test_nothing_is_left_in_the_tree(project: Project):
    sandbox = project({"tests/test_a.py": "def test_a(): assert 0\n"})

    run_check(replace(PYTEST, environment={**PYTEST.environment, "PYTHONDONTWRITEBYTECODE": "1"}), sandbox)

    assert sorted(path.name for path in Path(sandbox.root).rglob("*")) == ["test_a.py", "tests"]


@pytest.mark.parametrize(
    ("files", "check", "expected"),
    [
        ({"a.py": ""}, PYTEST, NotRun.NOTHING_COLLECTED),
        ({"test_a.py": "def test_a(): ...", "conftest.py": "import nowhere"}, PYTEST, NotRun.COLLECTION),
        ({"test_a.py": "", "pytest.ini": "[pytest]\naddopts = --nonsense"}, PYTEST, NotRun.USAGE),
        ({"conftest.py": "def pytest_collection(session): 1/0", "test_a.py": ""}, PYTEST, NotRun.CRASHED),
        ({"test_a.py": "import os\ndef test_a(): os.abort()"}, PYTEST, NotRun.CRASHED),
        ({"test_a.py": "import os\ndef test_a(): os.kill(os.getpid(), 9)"}, PYTEST, NotRun.OUT_OF_MEMORY),
        ({"test_a.py": "import os\ndef test_a(): os._exit(3)"}, PYTEST, NotRun.CRASHED),
        ({"test_a.py": "def test_a(): raise KeyboardInterrupt"}, PYTEST, NotRun.CRASHED),
        ({"test_a.py": "import time\ndef test_a(): time.sleep(60)"}, replace(PYTEST, timeout=2), NotRun.TIMEOUT),
        ({}, replace(PYTEST, command="no-such-program -q"), NotRun.COMMAND_NOT_FOUND),
        ({}, replace(PYTEST, command="python3 -S -m pytest"), NotRun.COMMAND_NOT_FOUND),
        ({}, replace(PYTEST, directory="no/such/directory"), NotRun.COMMAND_NOT_FOUND),
        ({}, Check("make", "no-such-program"), NotRun.COMMAND_NOT_FOUND),
    ],
)
def test_a_run_without_a_picture_says_why(project: Project, files: dict[str, str], check: Check, expected: NotRun):
    result = run_check(check, project({"README": "", **files}))

    assert result.not_run is expected, result.output
    assert result.failing == {CHECK_DID_NOT_RUN}


def test_a_project_without_the_cache_plugin_or_with_options_that_need_it_still_reports(project: Project):
    files = {"test_a.py": "def test_a(): ...\n", "pytest.ini": "[pytest]\naddopts = --ff\n"}

    result = run_check(PYTEST, project(files))

    assert outcomes(result) == {"test_a.py::test_a": "passed"}


def test_a_command_with_a_report_of_its_own_still_leaves_ours(project: Project):
    check = replace(PYTEST, command=f"{PYTEST.command} --junitxml=own.xml .")

    assert run_check(check, project({"test_a.py": "def test_a(): ...\n"})).report


def test_the_models_own_commands_feed_the_failing_set(project: Project):
    sandbox = project({"test_a.py": "def test_a(): assert 0\ndef test_b(): ...\n"})
    injection = ReportInjection([PYTEST], sandbox)

    def run(script: str) -> tuple[CheckResult, ...]:
        sandbox.run(ShellCommand(script, 60, environment={**PYTEST.environment, **injection.environment}))
        return injection.collect()

    (partial,) = run(f"{PYTEST.command} test_a.py -k test_b")
    assert outcomes(partial) == {"test_a.py::test_b": "passed"}
    (partial,) = run(f"cd / && cd - && {PYTEST.command} | tail -1")
    assert partial.failing == {"test_a.py::test_a"}
    assert run("echo hello") == ()


MISSING = {"test_a.py": "import not_installed_anywhere\n"}
FINE = {"test_a.py": "def test_a(): ...\n"}


def test_a_missing_dependency_is_the_machines_fault_and_a_missing_module_of_ours_is_not(project: Project):
    asked_for = MISSING | {"requirements.txt": "not-installed-anywhere\n"}
    lacking = take_baseline([PYTEST], project(asked_for), lambda: project(FINE), reruns=1)
    misspelt = take_baseline([PYTEST], project(MISSING), lambda: project(FINE), reruns=1)
    ours = take_baseline(
        [PYTEST], project({"test_a.py": "import shop.gone\n", "shop/__init__.py": ""}), lambda: project(FINE), reruns=1
    )

    assert lacking.verdict is BaselineVerdict.INFRASTRUCTURE
    assert "not_installed_anywhere" in lacking.reason
    assert ours.goal == misspelt.goal == {CaseKey("unit", "test_a.py")}


OLD_TEST = "def test_old():\n    assert 0\n"


@pytest.mark.parametrize(
    ("configuration", "id_", "moved_from"),
    [
        ("pytest.ini", "web/tests/test_a.py::test_old", "web/tests/test_before.py"),
        ("web/pytest.ini", "tests/test_a.py::test_old", "web/tests/test_before.py"),
        ("web/pytest.ini", "web/test_a.py::test_old", ""),
    ],
    ids=["pytest's root lies above the check's directory", "it is that directory", "which holds another of its name"],
)
def test_an_old_failure_is_known_below_a_directory_and_under_a_former_name(
    project: Project, configuration: str, id_: str, moved_from: str
):
    path = id_.partition("::")[0] if configuration == "pytest.ini" else f"web/{id_.partition('::')[0]}"
    head = {configuration: "[pytest]\n", path: OLD_TEST}
    base = {configuration: "[pytest]\n", moved_from or path: OLD_TEST}
    renamed = {path: moved_from} if moved_from else {}

    baseline = take_baseline(
        [replace(PYTEST, directory="web")], project(head), lambda: project(base), reruns=1, renamed=renamed
    )

    assert (baseline.verdict, baseline.preexisting) == (BaselineVerdict.ALL_PREEXISTING, {CaseKey("unit", id_)})


def test_flaky_old_and_order_dependent_failures_are_told_from_the_pull_requests_own(project: Project):
    flaky = """
import pathlib, sys
STATE = []
def test_leaves_something(): STATE.append(1)
def test_order(): assert not STATE
def test_old(): assert 0
def test_ours(): assert {ours}
def test_flaky():
    mark = pathlib.Path("{mark}")
    times = len(mark.read_text()) if mark.exists() else 0
    mark.write_text("x" * (times + 1))
    assert times % 2 == 1 or {stable}
"""
    base = flaky.format(ours=1, mark="mark", stable=1).replace("assert not STATE", "assert True")
    head = project({"test_a.py": flaky.format(ours=0, mark="mark", stable=0)})

    baseline = take_baseline([PYTEST], head, lambda: project({"test_a.py": base}))

    def keys(*names: str) -> set[CaseKey]:
        return {CaseKey("unit", f"test_a.py::{name}") for name in names}

    assert baseline.flaky == keys("test_flaky")
    assert baseline.preexisting == keys("test_old")
    assert baseline.goal == keys("test_ours", "test_order")
    assert baseline.order_dependent == keys("test_order")


def test_a_detected_check_runs_as_it_is(project: Project):
    sandbox = project({"tests/test_a.py": "def test_a(): assert 1\n"})
    paths = [str(path.relative_to(sandbox.root)) for path in Path(sandbox.root).rglob("*.py")]

    (found,) = detect(paths, lambda path: (Path(sandbox.root) / path).read_bytes())
    result = run_check(replace(found.check, command=found.check.command.replace("python", sys.executable)), sandbox)

    assert result.cases["tests/test_a.py::test_a"].outcome is Outcome.PASSED
