"""A check that names its report itself: a documented format, in a file or in what it prints, or lines for a pattern."""

import shlex
from collections.abc import Callable
from functools import cache

from autofix.checks.reports.diagnostics import LinePattern, by_pattern, diagnostics_picture, sarif_picture
from autofix.checks.reports.jest_json import jest_picture
from autofix.checks.reports.junit import JUnitCase
from autofix.checks.reports.junit_cases import junit_picture
from autofix.checks.result import Check, ReportForm
from autofix.checks.runners import cargo, go_test, tap
from autofix.checks.runners.runner import Invocation, Left, Picture
from autofix.checks.runners.simple import WAIT_FOR_THE_CLOCK, SimpleRunner, captured
from autofix.errors import UsageError

_GROUPS = frozenset({"file", "message"})


def _junit_id(raw: JUnitCase) -> str:
    return f"{raw.classname} > {raw.name}" if raw.classname else raw.name


FORMATS: dict[str, Callable[[Left], Picture]] = {
    "junit": lambda left: junit_picture(left, _junit_id),
    "sarif": sarif_picture,
    "tap": tap.parse,
    "go-json": go_test.parse,
    "jest-json": jest_picture,
    "libtest": cargo.parse,
}
"""Format -> what reads it; "pattern" is the one more."""


@cache
def reported(form: ReportForm) -> SimpleRunner:
    """The runner that reads such a report.

    Raises:
        UsageError: there is no such format, or the pattern is none.
    """
    return SimpleRunner(frozenset(), _reader(form), lambda check, report: (Invocation(_script(check, form, report)),))


def _reader(form: ReportForm) -> Callable[[Left], Picture]:
    if form.format == "pattern":
        pattern = _compiled(form.pattern)
        return lambda left: diagnostics_picture(by_pattern(pattern, left.report or b""), left)
    if form.format not in FORMATS:
        raise UsageError(f"no report format is named {form.format!r}; known: {', '.join(FORMATS)}, pattern")
    return FORMATS[form.format]


def _compiled(pattern: str) -> LinePattern:
    import re2  # late: start-up time; linear, so that no line of a hostile report makes it hang

    options = re2.Options()
    options.log_errors = False
    try:
        compiled: LinePattern = re2.compile(pattern, options)
    except re2.error as error:
        raise UsageError(f"the report's pattern {pattern!a} is no RE2 expression: {error}") from error
    lacking = sorted(_GROUPS - compiled.groupindex.keys())
    if lacking:
        raise UsageError(f"the report's pattern {pattern!a} lacks the group (?P<{lacking[0]}>...)")
    return compiled


def _script(check: Check, form: ReportForm, report: str) -> str:
    """The command, and the report taken away: of a file only one that this run wrote."""
    if not form.path:
        return captured(check.command, report)
    start, path = f"{report}.start", shlex.quote(f"./{form.path}")
    return f""": > {start}
{WAIT_FOR_THE_CLOCK}
(
{check.command}
)
code=$?
[ -z "$(find {path} -prune -type f -newer {start} 2>/dev/null)" ] || cp {path} {report}
exit $code"""
