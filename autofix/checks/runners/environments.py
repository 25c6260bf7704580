"""tox and nox: pytest in several environments, each of which leaves a report of its own; an id names the environment.

pytest expands variables in the report's name, and both programs set one to the environment they are in.
"""

import re

from autofix.checks.reports.junit import SUITE_SEPARATOR, JUnitCase, read_junit
from autofix.checks.result import Case, Check, NotRun
from autofix.checks.runners import pytest
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, gathered

_TOX_LETS_THROUGH = {"TOX_OVERRIDE": "testenv.pass_env+=PYTEST_ADDOPTS"}
"""tox clears the environment of its commands but for what is named; of tox 4."""


def _ways(check: Check, report: str, variable: str) -> tuple[Invocation, ...]:
    reports = f"{report}.d"
    found = f"find {reports} -type f -name '*.xml' | LC_ALL=C sort"
    name = '$(basename "$file" .xml)'
    asked = pytest.injection(f"{reports}/${{{variable}}}.xml", check.environment)
    environment = {**asked, **_TOX_LETS_THROUGH} if variable == "TOX_ENV_NAME" else asked
    script = f"mkdir -p {reports}\n{check.command}"
    return (Invocation(gathered(script, report, found, name), environment),)


def _found_tox(files: ProjectFiles) -> Detection:
    marks = (("tox.ini", r"^\[(tox|testenv)"), ("setup.cfg", r"^\[tox:"), ("pyproject.toml", r"^\[tool\.tox"))
    for path, mark in (*marks, ("tox.toml", "")):
        if path in files.paths and re.search(mark, files.text(path), re.MULTILINE):
            return "tox", f"{path} configures tox"
    return None


def _found_nox(files: ProjectFiles) -> Detection:
    return ("nox", "noxfile.py is there") if "noxfile.py" in files.paths else None


def parse(left: Left) -> Picture:
    """Each environment's cases as pytest names them; without any, the exit code alone is known."""
    if left.report is None:
        return Picture((), report=False)
    found: dict[str, pytest.Cases] = {}

    def keep(raw: JUnitCase) -> None:
        found.setdefault(raw.suite.partition(SUITE_SEPARATOR)[0], pytest.Cases()).keep(raw)

    damage = read_junit(left.report, keep)
    notes = (f"the report could be read only in part: {damage}",) if damage else ()
    cases = tuple(_placed(case, name) for name, seen in found.items() for case in seen.found.values())
    crashed = any(seen.internal_error for seen in found.values())
    return Picture(cases, report=bool(cases), not_run=NotRun.CRASHED if crashed else None, notes=notes)


def _placed(case: Case, environment: str) -> Case:
    return case._replace(id=f"{environment}{SUITE_SEPARATOR}{case.id}")


TOX = SimpleRunner(
    frozenset({"tox"}), parse, lambda check, report: _ways(check, report, "TOX_ENV_NAME"), found=_found_tox
)
NOX = SimpleRunner(
    frozenset({"nox"}), parse, lambda check, report: _ways(check, report, "NOX_CURRENT_SESSION"), found=_found_nox
)
