"""What linters, compilers and type checkers complain of, as cases: one a complaint, known by rule, file and words.

The line is no part of the id, so that an edit above a complaint leaves it the same; names of one and the same kind
in one file are counted. A complaint that is gone is mended.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from autofix.checks.reports import jsons
from autofix.checks.reports.lines import lines
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.result import Case, Outcome
from autofix.checks.runners.runner import Left, Picture

MESSAGE_LIMIT = 500
_NUMBER = re.compile(r"\b(?:line |column )?\d+(?::\d+)?\b")
_QUOTES = str.maketrans("‘’“”`", "''\"\"'")
_FAILING_LEVELS = frozenset({"error", "fatal", "fatal error", "failure"})


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint; `path` as the tool wrote it, `level` in its words."""

    path: str
    line: int | None
    rule: str
    message: str
    level: str = "error"


def diagnostics_picture(found: Iterable[Diagnostic], left: Left) -> Picture:
    """Complaints of a level that fails a check; warnings and notes are none."""
    if left.report is None:
        return Picture((), report=False)
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    for one in found:
        if one.level not in _FAILING_LEVELS:
            continue
        path = below(left.root, one.path) or one.path
        message = " ".join(one.message.split())[:MESSAGE_LIMIT]
        id_ = unique(f"{path}: {one.rule}: {normalised(message)}" if one.rule else f"{path}: {normalised(message)}")
        cases[id_] = Case(id_, Outcome.FAILED, message, "", below(left.root, one.path), one.line)
    return Picture(tuple(cases.values()), report=bool(cases) or left.exit_code == 0, complaints=True)


def normalised(message: str) -> str:
    """The words without what moves with other lines: numbers, and the kind of quotes a locale chooses."""
    return _NUMBER.sub("N", message.translate(_QUOTES))


class LinePattern(Protocol):
    """A compiled expression, of `re` or of RE2."""

    @property
    def groupindex(self) -> Mapping[str, int]: ...

    def fullmatch(self, text: str, /) -> re.Match[str] | None: ...


def by_pattern(pattern: LinePattern, report: bytes) -> Iterable[Diagnostic]:
    """One for each line that the pattern matches whole; groups: file; optional: line, rule, message, level."""
    groups = pattern.groupindex
    for line in lines(report):
        match = pattern.fullmatch(line) if len(line) <= 4_000 else None  # noqa: PLR2004 - no diagnostic is longer
        if match:
            told = {name: match[name] or "" for name in groups}
            number = told.get("line", "")
            yield Diagnostic(
                told["file"],
                int(number) if number.isdecimal() and len(number) < 10 else None,  # noqa: PLR2004 - nor a line's number
                told.get("rule", ""),
                told.get("message", ""),
                (told.get("level") or "error").casefold(),
            )


def sarif_picture(left: Left) -> Picture:
    """The results of a SARIF 2.1.0 log; what was suppressed in the source is none."""
    whole = jsons.parsed(left.report or b"")
    if not isinstance(whole, dict) or "runs" not in whole:
        return Picture((), report=False, notes=("the report is no SARIF",) if left.report else ())
    return diagnostics_picture(_of_sarif(whole), left)


def _of_sarif(whole: jsons.Object) -> Iterable[Diagnostic]:
    for run in jsons.objects(whole["runs"]):
        for result in jsons.objects(run.get("results")):
            if any(True for _ in jsons.objects(result.get("suppressions"))):
                continue
            place = next(jsons.objects(result.get("locations")), {})
            physical = jsons.inner(place, "physicalLocation")
            yield Diagnostic(
                jsons.text(jsons.inner(physical, "artifactLocation"), "uri"),
                int(jsons.number(jsons.inner(physical, "region"), "startLine")) or None,
                jsons.text(result, "ruleId"),
                jsons.text(jsons.inner(result, "message"), "text"),
                jsons.text(result, "level") or "warning",
            )
