"""Rust: `cargo test` and `cargo nextest`, both read by the words they print; their machine formats are not stable."""

import re

from autofix.checks.reports.libtest import libtest_cases, panicked
from autofix.checks.reports.lines import lines
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, captured, in_words, with_arguments

_CARGO = frozenset({"cargo"})
_COUNTED = re.compile(r"^test result: ", re.MULTILINE)
_NEXTEST = re.compile(r"\s*(?:TRY \d+ )?([A-Z][A-Z+-]*)(?: [\d/]+)? +\[\s*([\d.]+)s\] (?:\([^()]*\) )?(\S+(?: \S+)*)$")
"""A word for how it ended, the seconds, where in the run, the program and the test."""
_GOING_ON = frozenset({"SLOW", "TERMINATING", "DELAY", "START", "RETRY"})
"""Words of a test that has not ended."""
_NEXTEST_OUTCOMES = {"PASS": Outcome.PASSED, "LEAK": Outcome.PASSED, "FLAKY": Outcome.PASSED, "SKIP": Outcome.SKIPPED}
"""Every other word, such as FAIL, TMT, SIGSEGV, says that it failed."""


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    """Whole: cargo else stops at the first test program that fails."""
    environment = {"CARGO_TERM_COLOR": "never"}
    whole = None
    if "--no-fail-fast" not in check.command:
        verb = "run" if "nextest" in check.command else "test"
        whole = with_arguments(check.command, _CARGO, "--no-fail-fast", after=verb)
    return (Invocation(captured(whole or check.command, report), environment),)


def _found(files: ProjectFiles) -> Detection:
    return ("cargo test", "Cargo.toml is there") if "Cargo.toml" in files.paths else None


def _found_nextest(files: ProjectFiles) -> Detection:
    configured = {"Cargo.toml", ".config/nextest.toml"} <= set(files.paths)
    return ("cargo nextest run", ".config/nextest.toml is there") if configured else None


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    cases = libtest_cases(left.report)
    if cases:
        return Picture(cases, report=True)
    ran = _COUNTED.search(left.report.decode("utf-8", "replace"))
    return Picture((), report=False, not_run=NotRun.NOTHING_COLLECTED if ran and left.exit_code == 0 else None)


def parse_nextest(left: Left) -> Picture:
    """Each test once: the summary at the end repeats the failing ones, a retry's last word is its own."""
    ended: dict[str, tuple[str, float]] = {}
    outputs: dict[str, list[str]] = {}
    output: list[str] = []
    for line in lines(left.report or b""):
        match = _NEXTEST.match(line)
        if match and match[1] not in _GOING_ON:
            ended[match[3]] = match[1], float(match[2]) if match[2].count(".") < 2 else 0.0  # noqa: PLR2004 - a number has one point
            output = outputs.setdefault(match[3], [])
        elif line.startswith("    "):
            output.append(line[4:])
    cases = (_nextest_case(id_, *how, outputs[id_]) for id_, how in ended.items())
    return Picture(tuple(cases), report=bool(ended))


def _nextest_case(id_: str, word: str, seconds: float, output: list[str]) -> Case:
    outcome = _NEXTEST_OUTCOMES.get(word, Outcome.FAILED)
    if not outcome.failing:
        return Case(id_, outcome, seconds=seconds)
    return panicked(id_, output, word.lower())._replace(seconds=seconds)


CARGO_TEST = SimpleRunner(_CARGO, parse, _ways, verb="test", found=_found, spoken=in_words(parse))
NEXTEST = SimpleRunner(
    _CARGO, parse_nextest, _ways, verb="nextest", found=_found_nextest, spoken=in_words(parse_nextest)
)
