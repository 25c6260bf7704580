"""Checks whose configuration names their report: read in a real sandbox, and nothing but what this run left."""

from pathlib import Path

import pytest

from autofix.checks.result import Check, CheckResult, ReportForm
from autofix.checks.run import run_check
from autofix.errors import UsageError
from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom

FLAKE8 = r"(?P<file>[^:]+):(?P<line>\d+):\d+: (?P<rule>[A-Z]+\d+) (?P<message>.*)"
JUNIT = '<testsuite><testcase classname="c" name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>'
SARIF = (
    '{"runs": [{"results": [{"ruleId": "R1", "level": "error", "message": {"text": "bad"},'
    ' "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.c"}, "region": {"startLine": 3}}}]}]}]}'
)
GO = '{"Action": "fail", "Package": "p", "Test": "T"}'
JEST = '{"testResults": [{"name": "a.js", "assertionResults": [{"title": "t", "status": "failed", "ancestorTitles": []}]}]}'


def checked(tree: Path, command: str, form: ReportForm, directory: str = ".") -> CheckResult:
    sandbox = HostRoom().open(SandboxSpec("named-reports"), tree)
    try:
        return run_check(Check("check", command, form.format, directory, report=form), sandbox)
    finally:
        sandbox.close()


@pytest.mark.parametrize(
    ("format_", "report", "failing"),
    [
        ("junit", JUNIT, "b"),
        ("sarif", SARIF, "a.c: R1: bad"),
        ("tap", "1..2\nok 1 a\nnot ok 2 b\n", "b"),
        ("go-json", GO, "p.T"),
        ("jest-json", JEST, "a.js > t"),
        ("libtest", "running 1 test\ntest a ... FAILED\n", "tests::a"),
        ("pattern", "a.py:3:1: E1 bad\na.py:4:1: not one\n", "a.py: E1: bad"),
    ],
)
@pytest.mark.parametrize("path", ["out/my report.x", ""], ids=["in a file", "printed"])
def test_a_report_is_read_from_where_the_check_says_it_is(
    tmp_path: Path, format_: str, report: str, failing: str, path: str
):
    (tmp_path / "sub").mkdir()
    (tmp_path / "told").write_text(report)
    command = 'mkdir -p out; cat ../told > "out/my report.x"; exit 1' if path else "cat ../told; exit 1"

    form = ReportForm(format_, path, FLAKE8 if format_ == "pattern" else "")
    result = checked(tmp_path, command, form, "sub")

    assert (result.failing, result.report, result.notes) == ({failing}, True, ())


def test_a_report_of_an_earlier_run_says_nothing_of_this_one(tmp_path: Path):
    (tmp_path / "r.xml").write_text(JUNIT)

    result = checked(tmp_path, "true", ReportForm("junit", "r.xml"))

    assert (result.report, result.failing, list(result.cases)) == (False, set(), ["check"])
    assert result.notes == ("there is no report: the exit code alone is known",)
    assert (tmp_path / "r.xml").read_text() == JUNIT


def test_a_report_that_is_none_falls_back_to_the_exit_code(tmp_path: Path):
    result = checked(tmp_path, "echo rubbish > r.sarif; exit 1", ReportForm("sarif", "r.sarif"))

    assert (result.failing, result.report, result.complaints) == ({"check"}, False, False)
    assert "the report is no SARIF" in result.notes


@pytest.mark.parametrize(
    ("form", "complaint"),
    [
        (ReportForm("junti"), "known: junit, sarif, tap, go-json, jest-json, libtest, pattern"),
        (ReportForm("pattern", pattern="(?P<file>"), "is no RE2 expression"),
        (ReportForm("pattern", pattern=r"(?P<file>.*)\1"), "is no RE2 expression"),
        (ReportForm("pattern", pattern="(?P<file>.*)"), "lacks the group (?P<message>...)"),
    ],
)
def test_a_report_that_nobody_can_read_is_refused_before_anything_runs(
    tmp_path: Path, form: ReportForm, complaint: str
):
    with pytest.raises(UsageError) as refused:
        checked(tmp_path, "touch ran", form)

    assert complaint in str(refused.value)
    assert not (tmp_path / "ran").exists()
