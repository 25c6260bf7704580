"""The words of Rust's test programs (`cargo test`) to cases; its JSON is not stable.

A test program says how many tests it runs, then a line for each, then what the failing ones printed. The lines count
only in that order, so that what a test prints is not taken for a result.
"""

import re
from dataclasses import dataclass, field

from autofix.checks.reports.lines import lines
from autofix.checks.reports.numbering import Numbering
from autofix.checks.result import Case, Outcome

MESSAGE_LIMIT = 500
TRACE_LIMIT = 8 * 1024
_PROGRAM = re.compile(r"\s+Running (?:unittests )?(\S+) \((?:.*/)?([\w-]+?)-[0-9a-f]{8,}(?:\.exe)?\)$")
_DOCUMENTS = re.compile(r"\s+Doc-tests (\S+)$")
_START = re.compile(r"running (\d{1,9}) tests?$")
_RESULT = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored|bench:)(?:[, ].*)?$")
_OUTPUT = re.compile(r"---- (.+) stdout ----$")
_OUTCOMES = {"ok": Outcome.PASSED, "FAILED": Outcome.FAILED, "ignored": Outcome.SKIPPED, "bench:": Outcome.PASSED}
_PANIC = re.compile(r"thread .* panicked at (.+?):(\d+):\d+:?$")


@dataclass(slots=True)
class _Program:
    """One test program's run."""

    name: str
    expected: int
    results: dict[str, Outcome] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)


def libtest_cases(report: bytes) -> tuple[Case, ...]:
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    for program in _programs(report):
        for name, outcome in program.results.items():
            case = _case(unique(f"{program.name}::{name}"), outcome, program.outputs.get(name, []))
            cases[case.id] = case
        if len(program.results) < program.expected:
            message = f"{len(program.results)} of {program.expected} tests were reported"
            case = Case(unique(program.name), Outcome.ERROR, message)
            cases[case.id] = case
    return tuple(cases.values())


def _programs(report: bytes) -> list[_Program]:
    found: list[_Program] = []
    name, counting, output = "tests", False, None
    for line in lines(report):
        named = _PROGRAM.match(line)
        documents = _DOCUMENTS.match(line)
        if named or documents:
            name = f"{named[2]} ({named[1]})" if named else f"{documents[1]} (documentation)" if documents else name
            counting, output = False, None
        elif start := _START.match(line):
            found.append(_Program(name, int(start[1])))
            counting, output = True, None
        elif counting and found:
            result = _RESULT.match(line)
            if result and len(found[-1].results) < found[-1].expected:
                found[-1].results.setdefault(result[1], _OUTCOMES[result[2]])
            counting = line not in {"failures:", "successes:"} and not line.startswith("test result:")
        elif found and (printed := _OUTPUT.match(line)):
            output = found[-1].outputs.setdefault(printed[1], [])
        elif line.startswith(("failures:", "test result:")):
            output = None
        elif output is not None:
            output.append(line)
    return found


def _case(id_: str, outcome: Outcome, output: list[str]) -> Case:
    return panicked(id_, output) if outcome.failing else Case(id_, outcome)


def panicked(id_: str, output: list[str], otherwise: str = "") -> Case:
    """A failed test, told by what it printed: where and with which words it panicked, else its first line."""
    at, place = next(((at, match) for at, line in enumerate(output) if (match := _PANIC.match(line))), (-1, None))
    after = output[at + 1 :] if place or not otherwise else []
    message = next((line.strip() for line in after if line.strip()), otherwise)
    return Case(
        id_,
        Outcome.FAILED,
        message[:MESSAGE_LIMIT],
        "\n".join(output).strip()[:TRACE_LIMIT],
        place[1] if place and not place[1].startswith(("/", "..")) else "",
        int(place[2]) if place and len(place[2]) < 10 else None,  # noqa: PLR2004 - a line's number has fewer digits
    )
