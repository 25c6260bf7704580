"""unittest for real: what its tests did, by their dotted names."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autofix.checks.baseline import take_baseline
from autofix.checks.detect import check_for_command, detect
from autofix.checks.result import CaseKey, NotRun
from autofix.checks.run import run_check
from autofix.checks.verify import verify
from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom

CHECK = check_for_command(f"{sys.executable} -m unittest discover -q")
TESTS = '''
import unittest

class First(unittest.TestCase):
    def test_good(self): ...
    def test_bad(self):
        """Says what it is about."""
        print("noise ... ok")
        self.assertEqual("a\\nb\\x1b", "c")
    def test_error(self): raise KeyError("k")
    @unittest.skip("why")
    def test_skipped(self): ...
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): ...
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertEqual(i, 0)

class Second(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise OSError("no")
    def test_never(self): ...
'''


def over(tmp_path: Path, files: dict[str, str]):
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return HostRoom().open(SandboxSpec("unittest"), tmp_path)


def test_every_kind_of_outcome_is_told_by_its_name(tmp_path: Path):
    sandbox = over(tmp_path, {"test_a.py": TESTS, "test_b.py": "import nowhere\n"})

    result = run_check(CHECK, sandbox)

    assert {id_: case.outcome.value for id_, case in result.cases.items()} == {
        "test_a.First.test_good": "passed",
        "test_a.First.test_bad": "failed",
        "test_a.First.test_error": "error",
        "test_a.First.test_skipped": "skipped",
        "test_a.First.test_expected": "xfailed",
        "test_a.First.test_unexpected": "failed",
        "test_a.First.test_parts": "failed",
        "test_a.Second": "error",
        "test_b": "error",
    }
    bad = result.cases["test_a.First.test_bad"]
    assert (bad.file, bad.line) == ("test_a.py", 6)
    assert bad.message.startswith("AssertionError: ")
    assert "nowhere" in result.cases["test_b"].message + result.cases["test_b"].trace
    assert result.cases["test_a.First.test_parts"].message.endswith("(and 1 more)")
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py"] in ([], ["__pycache__"])


def test_a_check_is_narrowed_to_tests(tmp_path: Path):
    sandbox = over(tmp_path, {"test_a.py": TESTS})

    assert list(run_check(CHECK, sandbox, tests=["test_a.First.test_bad"]).cases) == ["test_a.First.test_bad"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"a.py": ""}, NotRun.NOTHING_COLLECTED),
        ({"test_a.py": "import os\nos._exit(3)"}, NotRun.CRASHED),
    ],
)
def test_a_run_without_a_picture_says_why(tmp_path: Path, files: dict[str, str], expected: NotRun):
    assert run_check(CHECK, over(tmp_path, files)).not_run is expected


def test_arguments_that_unittest_refuses_are_a_usage_error(tmp_path: Path):
    check = replace(CHECK, command=f"{sys.executable} -m unittest --nonsense")

    assert run_check(check, over(tmp_path, {"test_a.py": TESTS})).not_run is NotRun.USAGE


def test_a_module_that_could_not_be_loaded_is_fixed_when_its_tests_pass(tmp_path: Path):
    good = "import unittest\nclass T(unittest.TestCase):\n    def test(self): ...\n"
    head = over(tmp_path / "head", {"test_a.py": f"import gone.x\n{good}", "gone/__init__.py": ""})
    baseline = take_baseline([CHECK], head, lambda: over(tmp_path / "base", {"test_a.py": good}), reruns=0)

    after = run_check(CHECK, over(tmp_path / "after", {"test_a.py": good}))

    assert baseline.goal == {CaseKey("unittest", "test_a")}
    assert verify(baseline, [after]).verified


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"test_a.py": TESTS}, "python -m unittest"),
        ({"tests/__init__.py": "", "tests/test_a.py": TESTS}, "python -m unittest"),
        ({"tests/test_a.py": TESTS}, "python -m unittest discover -s tests"),
    ],
)
def test_a_project_of_unittests_is_detected_and_runs(tmp_path: Path, files: dict[str, str], command: str):
    sandbox = over(tmp_path, files)

    (found,) = detect(list(files), lambda path: files[path].encode())
    result = run_check(replace(found.check, command=command.replace("python", sys.executable)), sandbox)

    assert (found.check.runner, found.check.command) == ("unittest", command)
    assert any(id_.endswith("test_a.First.test_good") for id_ in result.cases)
