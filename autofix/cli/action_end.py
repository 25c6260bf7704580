"""What every end of the action leaves: outputs, summary, annotations, the exit code; for a skip and an error, too.

Whatever cannot be written is said on the log, and nothing of it stops the rest.
"""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autofix.cli.action_log import ActionLog
from autofix.delivery.deliver import PATCH_FILE
from autofix.errors import SandboxError
from autofix.harness.redact import Redactor
from autofix.pipeline.order import COMMENT_FILE, RESULT_FILE
from autofix.pipeline.publish import PARTIAL_PATCH_FILE
from autofix.report.annotations import annotations
from autofix.report.escape import for_markdown_line
from autofix.report.facts import RunReport
from autofix.report.fit import fit
from autofix.report.workflow_commands import Level, annotation
from autofix.state.outcome import ESCALATED, Outcome
from autofix.world.ownership import User, hand_over
from autofix.world.runner_files import SUMMARY_LIMIT, RunnerFiles

USAGE_EXIT = 2
_SUMMARY_ROOM = SUMMARY_LIMIT - 1024
"""Bytes; the rest is for what the file may hold already."""
_REASON_LIMIT = 1000
"""Characters of the output `reason`."""
_NEUTRAL = frozenset({ESCALATED, 11, 13})
"""Exit codes that fail the step only with `fail-on-escalation`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the action ended.

    Attributes:
        exit_code: before `fail-on-escalation` is looked at.
        more: outputs that only some ends have.
    """

    outcome: Outcome
    reason: str
    exit_code: int
    report: RunReport | None = None
    comment: str = ""
    more: Mapping[str, str] | None = None

    @classmethod
    def of(cls, outcome: Outcome, reason: str, more: Mapping[str, str] | None = None) -> "End":
        return cls(outcome=outcome, reason=reason, exit_code=outcome.exit_code, more=more)

    @classmethod
    def of_run(cls, report: RunReport, comment: str) -> "End":
        outcome = report.outcome
        return cls(outcome=outcome, reason=report.reason, exit_code=outcome.exit_code, report=report, comment=comment)

    @classmethod
    def of_usage(cls, reason: str) -> "End":
        return cls(outcome=Outcome.ERROR, reason=reason, exit_code=USAGE_EXIT)


def publish(end: End, files: RunnerFiles, log: ActionLog, redactor: Redactor, *, fail_on_escalation: bool) -> int:
    """Write everything; the step's exit code."""
    reason = " ".join(redactor.text(end.reason).split())[:_REASON_LIMIT]
    for write in (
        lambda: files.set_outputs(_outputs(end, reason)),
        lambda: files.add_summary(_summary(end, reason)),
    ):
        _try(write, log)
    for line in _lines(end, reason):
        log.line(redactor.text(line))
    return 0 if end.exit_code in _NEUTRAL and not fail_on_escalation else end.exit_code


def give_to_runner(directory: Path, temp: Path) -> None:
    """Let later steps, which are another user's, read the run's files."""
    with contextlib.suppress(OSError):
        owner = temp.stat()
        hand_over(directory, User(owner.st_uid, owner.st_gid))
        os.chown(directory, owner.st_uid, owner.st_gid)


def _try(write: Callable[[], None], log: ActionLog) -> None:
    try:
        write()
    except OSError as error:
        log.line(annotation("warning", f"the runner's file cannot be written: {error.strerror}", title="autofix"))


def _kept_patch(directory: Path) -> Path:
    """The patch of a run that delivered none: verified where the branch moved under it, else the last state."""
    verified = directory / PATCH_FILE
    return verified if verified.exists() else directory / PARTIAL_PATCH_FILE


def _outputs(end: End, reason: str) -> dict[str, str]:
    values = {"outcome": end.outcome.value, "reason": reason, "comment-url": end.comment, **(end.more or {})}
    report = end.report
    if report is None:
        return values
    directory, done = Path(report.run_directory), report.delivered
    values |= {
        "run-id": report.run_id,
        "result-file": host_place(directory / RESULT_FILE),
        "patch-file": host_place(Path(done.patch_file) if done else _kept_patch(directory)),
        "failing-before": str(len(report.baseline.goal)) if report.baseline else "",
        "failing-after": "" if report.failing_after is None else str(len(report.failing_after)),
        "cost-usd": f"{report.cost.usd:.6f}" if report.cost.usd is not None else "",
    }
    if done is not None:
        values |= {"pushed": str(bool(done.commit)).lower(), "delivery": done.rung, "commit": done.commit}
    return values


def host_place(file: Path) -> str:
    """Where later steps, which run outside this container, find a file; "" where there is none."""
    if not file.is_file():
        return ""
    from autofix.world.docker_engine import Engine
    from autofix.world.own_container import own_container

    if own_container():
        with contextlib.suppress(SandboxError):
            return Engine().path_of(file)
    return str(file)


def _summary(end: End, reason: str) -> str:
    if end.report is not None:
        with contextlib.suppress(OSError):
            text = (Path(end.report.run_directory) / COMMENT_FILE).read_text(encoding="utf-8")
            return fit(text, _SUMMARY_ROOM)
    return f"### autofix: {end.outcome.value}\n\n{for_markdown_line(reason)}\n"


def _lines(end: End, reason: str) -> tuple[str, ...]:
    """Annotations: the outcome, and the lines that still fail."""
    level: Level = "error" if end.outcome is Outcome.ERROR else "notice"
    told = annotation(level, reason, title=f"autofix: {end.outcome.value.replace('_', ' ')}")
    return (told, *(annotations(end.report) if end.report else ()))
