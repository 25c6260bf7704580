"""node:test: asked for JUnit XML by NODE_OPTIONS, so that `npm test` and the model's own commands report, too."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autofix.checks.reports.junit import SUITE_SEPARATOR, JUnitCase
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.result import UNPLACED_FILE, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles

_NODE_TEST = re.compile(r"\bnode\b[^|;&]*\s--test\b")
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_REFUSED = re.compile(r"is not allowed in NODE_OPTIONS|bad option: --test")

narrows = False
spoken = None


def recognises(words: Sequence[str]) -> bool:
    return bool(words) and words[0].rpartition("/")[2] == "node" and "--test" in words


def detect(files: ProjectFiles) -> tuple[str, str] | None:
    try:
        script = json.loads(files.text("package.json") or "{}")["scripts"]["test"]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(script, str) and _NODE_TEST.search(script):
        return "npm test", f"package.json's test script is `{script[:80]}`"
    return None


def invocations(
    check: Check,
    tests: Sequence[str],  # noqa: ARG001 - node selects by pattern of names, not by test: all are run
    report: str,
) -> tuple[Invocation, ...]:
    return Invocation(check.command, injection(report, check.environment)), Invocation(check.command)


def injection(report: str, present: Mapping[str, str]) -> Mapping[str, str]:
    shown = "--test-reporter=spec --test-reporter-destination=stdout"
    options = f"{shown} --test-reporter=junit --test-reporter-destination={report}"
    return {"NODE_OPTIONS": f"{present.get('NODE_OPTIONS', '')} {options}".strip()}


def missing(check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:  # noqa: ARG001 - nothing is asked for by name
    return frozenset()


def parse(left: Left) -> Picture:
    if left.report is None:
        refused = _REFUSED.search(left.output)
        return Picture(
            (), report=False, not_run=NotRun.USAGE if refused else NotRun.CRASHED if left.exit_code else None
        )
    picture = junit_picture(left, _id)
    cases = (
        case._replace(outcome=Outcome.ERROR) if case.id.endswith(UNPLACED_FILE) else case for case in picture.cases
    )
    return replace(picture, cases=tuple(cases))


def _id(raw: JUnitCase) -> str:
    """The names of suites and test; a file that failed whole is named by its path, of which only the end is stable."""
    if raw.problems and not raw.suite and _SCRIPT.search(raw.name):
        return raw.name.rpartition("/")[2] + UNPLACED_FILE
    return f"{raw.suite}{SUITE_SEPARATOR}{raw.name}" if raw.suite else raw.name
