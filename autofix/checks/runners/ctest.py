"""CTest: JUnit XML by its own option (CMake 3.21 and later)."""

import re

from autofix.checks.reports.junit import JUnitCase
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, with_arguments

_PROGRAMS = frozenset({"ctest"})
_SUMMARY = Summary(
    re.compile(r"^[ \t]*\d+ - (.+) \((?!Skipped|Disabled)[^()\n]*\)$", re.MULTILINE),
    lambda match: match[1],
    re.compile(r"^\d+% tests passed, \d+ tests failed out of (\d+)", re.MULTILINE),
)
_OWN_CHOICE = ("SKIP_", "Disabled")
"""How the report words a test that was left out on purpose; whatever else did not run could not."""


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    asked = with_arguments(check.command, _PROGRAMS, f"--output-junit {report}")
    return (*([Invocation(asked)] if asked else []), Invocation(check.command))


def _found(files: ProjectFiles) -> Detection:
    if "enable_testing" in files.text("CMakeLists.txt") or "include(CTest)" in files.text("CMakeLists.txt"):
        command = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure"
        return command, "CMakeLists.txt enables testing"
    return None


def parse(left: Left) -> Picture:
    if left.report is None and left.exit_code and "output-junit" in left.output:
        return Picture((), report=False, not_run=NotRun.USAGE)
    picture = junit_picture(left, _id)
    cases = tuple(
        case._replace(outcome=Outcome.ERROR)
        if case.outcome is Outcome.SKIPPED and not case.message.startswith(_OWN_CHOICE)
        else case
        for case in picture.cases
    )
    return Picture(cases, picture.report, picture.not_run, picture.notes)


def _id(raw: JUnitCase) -> str:
    return raw.name


RUNNER = SimpleRunner(_PROGRAMS, parse, _ways, found=_found, spoken=_SUMMARY.picture)
