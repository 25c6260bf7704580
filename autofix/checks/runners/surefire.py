"""Maven (Surefire, Failsafe) and Gradle: the JUnit XML files they leave in their build directories, as one report.

Only files younger than the run's start count: what an earlier run left says nothing of this one.
"""

import re

from autofix.checks.reports.junit import SUITE_SEPARATOR, JUnitCase
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Check
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import WAIT_FOR_THE_CLOCK, Detection, SimpleRunner, gathered

_MAVEN = "-path '*/surefire-reports/TEST-*.xml' -o -path '*/failsafe-reports/TEST-*.xml'"
_SUMMARY = Summary(
    re.compile(r"^\[ERROR\] +(?:(\w[^\s()]*)\(([\w.$]+)\)|([\w.$]+)\.(\w+) --) +Time elapsed: .*<<<", re.MULTILINE),
    lambda match: f"{match[2] or match[3]}#{match[1] or match[4]}",
    re.compile(r"^\[\w+\] Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+$", re.MULTILINE),
)
_GRADLE = "-path '*/test-results/*/TEST-*.xml'"


def _ways(check: Check, report: str, where: str) -> tuple[Invocation, ...]:
    start = f"{report}.start"
    found = f"find . -type f -newer {start} \\( {where} \\) | LC_ALL=C sort"
    script = f": > {start}\n{WAIT_FOR_THE_CLOCK}\n{check.command}"
    return (Invocation(gathered(script, report, found, name="${file#./}")), Invocation(check.command))


def _found_maven(files: ProjectFiles) -> Detection:
    if "pom.xml" not in files.paths:
        return None
    return ("./mvnw" if "mvnw" in files.paths else "mvn") + " -B test", "pom.xml is there"


def _found_gradle(files: ProjectFiles) -> Detection:
    path = next((path for path in ("build.gradle", "build.gradle.kts") if path in files.paths), None)
    if path is None:
        return None
    return ("./gradlew" if "gradlew" in files.paths else "gradle") + " --console=plain test", f"{path} is there"


def parse(left: Left) -> Picture:
    picture = junit_picture(left, _id)
    if not picture.cases and left.exit_code:  # it did not compile, or a dependency is missing: the command says so
        return Picture((), report=False, notes=picture.notes)
    return picture


def _id(raw: JUnitCase) -> str:
    """`module: Class#test`; the module's directory is told by where the report lay."""
    place = raw.suite.partition(SUITE_SEPARATOR)[0]
    module = next((place.partition(mark)[0] for mark in ("target/", "build/") if mark in place), "").strip("/")
    whole = raw.name in {"", raw.classname, "initializationError"}  # a class that could not be set up
    test = raw.classname if whole else f"{raw.classname}#{raw.name}" if raw.classname else raw.name
    return f"{module}: {test}" if module else test


MAVEN = SimpleRunner(
    frozenset({"mvn", "mvnw", "mvnd"}),
    parse,
    lambda check, report: _ways(check, report, _MAVEN),
    found=_found_maven,
    spoken=_SUMMARY.picture,
)
GRADLE = SimpleRunner(
    frozenset({"gradle", "gradlew"}), parse, lambda check, report: _ways(check, report, _GRADLE), found=_found_gradle
)
