"""Which failing cases are shown on their lines: those that still fail at the end."""

from pathlib import PurePosixPath

from autofix.harness.context import failing_cases
from autofix.harness.fence import revealed
from autofix.report.facts import RunReport
from autofix.report.workflow_commands import annotation
from autofix.state.outcome import Outcome

SHOWN = 10
"""The runner keeps ten annotations of a kind per step."""
_MESSAGE = 500
"""Characters of a case's message; the comment has more."""
_MENDED = {Outcome.FIXED, Outcome.NOTHING_TO_FIX}


def annotations(report: RunReport) -> tuple[str, ...]:
    """Workflow commands, one a case; none where nothing fails any more. The texts still have to be redacted."""
    if report.baseline is None or report.outcome in _MENDED:
        return ()
    return tuple(
        annotation(
            "error",
            revealed(case.message[:_MESSAGE]) or "this test fails",
            title=revealed(case.id),
            file=case.file if _is_inside(case.file) else "",
            line=case.line,
        )
        for case in failing_cases(report.baseline)[:SHOWN]
    )


def _is_inside(file: str) -> bool:
    path = PurePosixPath(file)
    return bool(file) and not path.is_absolute() and ".." not in path.parts and file.isprintable()
