"""Rust: `cargo test` and `cargo nextest`, both read by the words they print; their machine formats are not stable."""

import re

from autofix.checks.reports.libtest import libtest_cases
from autofix.checks.reports.numbering import Numbering
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, captured, with_arguments

_CARGO = frozenset({"cargo"})
_COUNTED = re.compile(r"^test result: ", re.MULTILINE)
_NEXTEST = re.compile(
    r"\s*(?:TRY \d+ )?(PASS|FAIL|ABORT|SIG[A-Z]+|TIMEOUT|LEAK|SKIP|FLAKY[ \d/]*) "
    r"\[\s*>?\s*([\d.]+)s\] (?:\(\s*\d+/\d+\) )?(\S+(?: \S+)*)$"
)
_OUTCOMES = {"PASS": Outcome.PASSED, "LEAK": Outcome.PASSED, "SKIP": Outcome.SKIPPED}


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    """Whole: cargo else stops at the first test program that fails."""
    environment = {"CARGO_TERM_COLOR": "never"}
    whole = None
    if "--no-fail-fast" not in check.command:
        verb = "run" if "nextest" in check.command else "test"
        whole = with_arguments(check.command, _CARGO, "--no-fail-fast", after=verb)
    return (Invocation(captured(whole or check.command, report), environment),)


def _found(files: ProjectFiles) -> Detection:
    if "Cargo.toml" not in files.paths:
        return None
    if ".config/nextest.toml" in files.paths:
        return "cargo nextest run", ".config/nextest.toml is there"
    return "cargo test", "Cargo.toml is there"


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
    cases: dict[str, Case] = {}
    unique = Numbering(())
    for line in (left.report or b"").decode("utf-8", "replace").splitlines():
        match = _NEXTEST.match(line)
        if match:
            outcome = _OUTCOMES.get(match[1], Outcome.PASSED if match[1].startswith("FLAKY") else Outcome.FAILED)
            id_ = unique(match[3].strip())
            message = "" if outcome is not Outcome.FAILED else match[1].lower()
            cases[id_] = Case(id_, outcome, message, seconds=float(match[2]) if match[2].count(".") < 2 else 0.0)  # noqa: PLR2004 - a number has one point
    return Picture(tuple(cases.values()), report=bool(cases))


CARGO_TEST = SimpleRunner(_CARGO, parse, _ways, verb="test", found=_found)
NEXTEST = SimpleRunner(_CARGO, parse_nextest, _ways, verb="nextest")
