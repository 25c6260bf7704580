"""unittest: the standard library's runner, started through a small program of ours that also writes JUnit XML."""

import functools
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from autofix.checks.command import Word, simple_commands
from autofix.checks.reports.junit import JUnitCase, read_junit
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners import pytest
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles

_END = "END_OF_UNITTEST_PROGRAM"
_TEST_FILE = re.compile(r"(^|/)test[^/]*\.py$")
_TEST_CASE = re.compile(r"^\s*(import unittest|from unittest|from django\.test|class \w+\(.*TestCase)", re.MULTILINE)
_EXIT_USAGE, _EXIT_NOTHING = 2, 5
"""argparse's, and unittest's own since Python 3.12."""
_MESSAGE_LIMIT = 500

narrows = True
spoken = Summary(
    re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", re.MULTILINE),
    lambda match: match[2] if match[2].endswith(f".{match[1]}") else f"{match[2]}.{match[1]}",  # since and before 3.11
    re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE),
).picture


def recognises(words: Sequence[str]) -> bool:
    return any(pair == ("-m", "unittest") for pair in pairwise(words))


def detect(files: ProjectFiles) -> tuple[str, str] | None:
    if pytest.detect(files) is not None:
        return None
    for path in sorted(path for path in files.paths if _TEST_FILE.search(path)):
        if _TEST_CASE.search(files.text(path)):
            directory = path.rpartition("/")[0]
            packaged = not directory or f"{directory}/__init__.py" in files.paths
            command = "python -m unittest" if packaged else f"python -m unittest discover -s {shlex.quote(directory)}"
            return command, f"{path} holds unittest's test cases"
    return None


def invocations(check: Check, tests: Sequence[str], report: str) -> tuple[Invocation, ...]:
    """The command with `-m unittest` replaced by our program; as it is where we cannot read it."""
    for command in reversed(simple_commands(check.command) or ()):
        module = _module_word(command)
        if module is None:
            continue
        minus_m, name = module
        program = f"{report}.py"
        chosen = "".join(f" -k {shlex.quote(test)}" for test in tests)
        end = command[-1].end
        text = check.command
        script = f"{text[: minus_m.start]}{program} {report}{text[name.end : end]}{chosen}{text[end:]}"
        return (Invocation(f"cat > {program} <<'{_END}'\n{_program()}\n{_END}\n{script}"),)
    return (Invocation(check.command),)


@functools.cache
def _program() -> str:
    return (Path(__file__).parent / "unittest_program.py").read_text(encoding="utf-8")


def _module_word(command: tuple[Word, ...]) -> tuple[Word, Word] | None:
    for minus_m, name in pairwise(command):
        if (minus_m.value, name.value) == ("-m", "unittest"):
            return minus_m, name
    return None


def injection(report: str, present: Mapping[str, str]) -> Mapping[str, str] | None:  # noqa: ARG001 - no such way
    return None


def missing(check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:  # noqa: ARG001 - unknown names are just not run
    return frozenset()


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False, not_run=_why_no_report(left))
    cases: dict[str, Case] = {}

    def keep(raw: JUnitCase) -> None:
        cases[raw.name] = _case(raw)

    damage = read_junit(left.report, keep)
    notes = (f"the report could be read only in part: {damage}",) if damage else ()
    return Picture(
        tuple(cases.values()),
        report=bool(cases) or not damage,
        not_run=None if cases else NotRun.CRASHED if damage else NotRun.NOTHING_COLLECTED,
        notes=notes,
    )


def _why_no_report(left: Left) -> NotRun | None:
    if left.exit_code == _EXIT_NOTHING:
        return NotRun.NOTHING_COLLECTED
    if left.exit_code == _EXIT_USAGE and "usage:" in left.output:
        return NotRun.USAGE
    return None if left.exit_code == 0 else NotRun.CRASHED


def _case(raw: JUnitCase) -> Case:
    kinds = {problem.kind for problem in raw.problems}
    outcome = Outcome.PASSED
    if "failure" in kinds:
        outcome = Outcome.FAILED
    elif "error" in kinds:
        outcome = Outcome.ERROR
    elif raw.problems:
        outcome = Outcome.XFAILED if raw.problems[0].type == "xfail" else Outcome.SKIPPED
    told = [problem for problem in raw.problems if problem.kind != "skipped"] or list(raw.problems)
    message = told[0].message.strip().partition("\n")[0][:_MESSAGE_LIMIT] if told else ""
    if len(told) > 1:
        message = f"{message} (and {len(told) - 1} more)"
    trace = "\n\n".join(problem.text for problem in told)
    return Case(raw.name, outcome, message, trace, raw.file, raw.line, raw.seconds)
