"""PHPUnit: JUnit XML by its own option."""

import re

from autofix.checks.reports.junit import JUnitCase, Problem
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.reports.places import below
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Check
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, with_arguments

_PROGRAMS = frozenset({"phpunit", "phpunit.phar", "paratest", "pest"})
_SUMMARY = Summary(
    re.compile(r"^\d+\) (\S.*)$", re.MULTILINE),
    lambda match: match[1],
    re.compile(r"^OK \((\d+) tests?,|^Tests: (\d+),", re.MULTILINE),
)
_CONFIGURATIONS = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    asked = with_arguments(check.command, _PROGRAMS, f"--log-junit {report}")
    return (*([Invocation(asked)] if asked else []), Invocation(check.command))


def _found(files: ProjectFiles) -> Detection:
    program = "vendor/bin/phpunit" if "composer.json" in files.paths else "phpunit"
    for path in _CONFIGURATIONS:
        if path in files.paths:
            return program, f"{path} is there"
    test = min((path for path in files.paths if path.endswith("Test.php")), default=None)
    return (f"{program} {test.partition('/')[0]}", f"{test} is there") if test else None


def parse(left: Left) -> Picture:
    picture = junit_picture(left, _id, _message)
    cases = tuple(case._replace(file=below(left.root, case.file)) for case in picture.cases)
    return Picture(cases, picture.report, picture.not_run, picture.notes)


def _id(raw: JUnitCase) -> str:
    return f"{raw.classname.replace('.', chr(92))}::{raw.name}"


def _message(problem: Problem) -> str:
    """The text's first line repeats the test's name; the second says what is wrong."""
    lines = [line.strip() for line in (problem.text or problem.message).splitlines() if line.strip()]
    return (lines[1] if len(lines) > 1 and "::" in lines[0] else lines[0]) if lines else ""


RUNNER = SimpleRunner(_PROGRAMS, parse, _ways, found=_found, spoken=_SUMMARY.picture)
