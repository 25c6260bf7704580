"""Every runner's real program on a small failing project: what is read from it is the known truth, whole."""

import os
from pathlib import Path

import pytest

from autofix.checks.detect import detect, runner_for
from autofix.checks.injection import ReportInjection
from autofix.checks.result import Case, Check, CheckResult, Outcome
from autofix.checks.run import run_check
from autofix.ports.sandbox import Sandbox, SandboxSpec, ShellCommand
from autofix.world.host_sandbox import HostRoom
from tests.contract.runner_projects import PROJECTS, Project, why_not_here

SILENT = {"ctest", "prove"}
"""Runners whose reports say that a test failed, not always why."""
INJECTED = {"pytest", "jest", "vitest", "mocha", "node:test", "rspec", "gotestsum"}
"""Runners whose report is asked for by environment alone, so that commands of others leave it, too."""
NOT_BUILT = "example.org/shop/sub"
SPOKEN = {
    "unittest": set[str](),
    "go": {"example.org/shop/gone.TestLeaves"},
    "cargo": {"it (tests/it.rs)::from_outside", "shop (documentation)::src/lib.rs - f (line 1)"},
    "tap": set[str](),
    "maven": set[str](),
    "minitest": set[str](),
    "phpunit": set[str](),
    "ctest": set[str](),
    "bats": set[str](),
}
"""Runners that leave no report unasked -> cases that their usual words do not tell of."""


def opened(project: Project, tree: Path) -> Sandbox:
    why = why_not_here(project)
    if why is not None:
        if os.environ.get("AUTOFIX_REAL_RUNNERS") == "required":
            pytest.fail(f"every runner's program was said to be here: {why}")
        pytest.skip(why)
    for path, content in project.files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(content)
    return HostRoom().open(SandboxSpec("runners"), tree)


def check_of(project: Project) -> Check:
    return Check("check", project.command, project.runner, timeout=100, environment=dict(project.environment()))


def outcomes(result: CheckResult) -> dict[str, str]:
    return {id_: case.outcome.value for id_, case in result.cases.items()}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.runner)
def test_what_a_real_program_says_is_read_whole(project: Project, tmp_path: Path):
    sandbox = opened(project, tmp_path)

    result = run_check(check_of(project), sandbox)

    assert outcomes(result) == project.truth, result.output
    assert result.exit_code in project.exit_code
    assert result.report
    assert result.notes == project.notes
    assert all(case.message for case in result.cases.values() if case.outcome.failing and project.runner not in SILENT)
    sandbox.close()


@pytest.mark.parametrize(
    "project", [project for project in PROJECTS if project.runner in INJECTED], ids=lambda project: project.runner
)
def test_a_command_that_is_not_ours_leaves_its_report_and_still_speaks(project: Project, tmp_path: Path):
    sandbox = opened(project, tmp_path)
    injection = ReportInjection([check_of(project)], sandbox)

    ran = sandbox.run(
        ShellCommand(f"true && {project.command}", 100, environment={**project.environment(), **injection.environment})
    )
    (partial,) = injection.collect()

    # Before Go 1.24 a package that does not build is told in words, which are not looked at here.
    assert outcomes(partial) | {NOT_BUILT: "error"} == project.truth | {NOT_BUILT: "error"}
    assert "bad" in ran.text.lower()
    sandbox.close()


@pytest.mark.parametrize(
    "project", [project for project in PROJECTS if project.runner in SPOKEN], ids=lambda project: project.runner
)
def test_a_command_that_leaves_no_report_is_understood_by_its_usual_words(project: Project, tmp_path: Path):
    sandbox = opened(project, tmp_path)
    cases = {id_: Case(id_, Outcome(outcome)) for id_, outcome in project.truth.items()}
    before = CheckResult("check", cases, 1, report=True)
    injection = ReportInjection([check_of(project)], sandbox, [before])
    command = f"true && {project.command}"

    injection.hear(command, sandbox.run(ShellCommand(command, 100, environment=project.environment())))
    (heard,) = injection.collect()

    assert heard.failing == before.failing - SPOKEN[project.runner]
    assert heard.cases.keys() <= cases.keys() - SPOKEN[project.runner]
    sandbox.close()


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.runner)
def test_a_command_is_known_for_what_it_runs_and_a_project_for_its_files(project: Project):
    if project.command != "npm test":
        assert runner_for(project.command) == project.runner
    found = {one.check.runner for one in detect(list(project.files), lambda path: project.files[path].encode())}
    if project.runner not in {"node:test", "gotestsum", "tap", "ruff", "mypy", "gcc"}:
        assert project.runner in found
