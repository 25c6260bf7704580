"""How a check's result is told to the journal."""

from autofix.checks.result import CheckResult
from autofix.state.events import Kind
from autofix.state.recorder import Recorder, texts

JOURNALLED_CASES = 200
"""Failing cases an event names; the transcript of a huge suite must not fill the journal."""


def record_check(recorder: Recorder, result: CheckResult, why: str) -> None:
    recorder.record(
        Kind.CHECK_RAN,
        check=result.check,
        why=why,
        exit_code=result.exit_code,
        cases=len(result.cases),
        failing=texts(sorted(result.failing)[:JOURNALLED_CASES]),
        not_run=result.not_run.value if result.not_run else None,
        report=result.report,
        seconds=round(result.seconds, 3),
        notes=list(result.notes),
    )
