"""Reads what CI showed through GitHub's door: the failing jobs' logs, and JUnit reports among the run's artifacts."""

from collections.abc import Iterable

from autofix.checks.ci_evidence import CiCase, CiEvidence, CiJob
from autofix.checks.reports.junit import JUnitCase, read_junit
from autofix.checks.reports.junit_cases import first_line
from autofix.intake.artifacts import ReportFile, ZipRefused
from autofix.intake.failing_jobs import FailingJob, NotListed, artifact_reports, failing_jobs
from autofix.intake.trigger import Cause, Failure
from autofix.ports.github_checks import FailedChecks

LOG_BYTES = 8_000
"""Of each failing job's log."""
MOST_CASES = 200
"""Failing cases of CI's reports that are kept; a run that shows more is broken as a whole."""
MOST_NOTES = 10
NAME_CHARACTERS = 100


def ci_evidence(github: FailedChecks, cause: Cause, head: str) -> CiEvidence:
    """What CI shows of the head commit. What cannot be read is a note.

    Args:
        github: the door.
        cause: the failure that started the run; where a person did, all failing runs of the head are looked at.
        head: the commit.
    """
    found = failing_jobs(github, cause if isinstance(cause, Failure) else Failure(head), LOG_BYTES)
    cases, more, refused = _cases(artifact_reports(github, found.runs))
    notes = (*found.notes, *refused)
    return CiEvidence(tuple(map(_told, found.jobs)), tuple(cases), found.left_out, more, notes[:MOST_NOTES])


def _told(failing: FailingJob) -> CiJob:
    part = failing.excerpt
    steps = tuple(_name(step.name) for step in failing.steps)
    told = (part.command, part.text) if part else ("", "")
    return CiJob(_name(failing.job.name), steps, failing.job.url, *told, failing.note)


def _name(text: str) -> str:
    """Of a job or step, in one line: who writes the workflow may call them anything."""
    line = " ".join(text.split())
    return line if len(line) <= NAME_CHARACTERS else f"{line[: NAME_CHARACTERS - 1]}…"


def _cases(reports: Iterable[ReportFile | ZipRefused | NotListed]) -> tuple[list[CiCase], int, list[str]]:
    """The failing cases, how many more there are, and what was not used."""
    found: dict[str, CiCase] = {}
    more = 0
    notes: list[str] = []

    def keep(case: JUnitCase) -> None:
        nonlocal more
        problems = [problem for problem in case.problems if problem.kind in {"failure", "error"}]
        name = f"{case.classname}::{case.name}" if case.classname else case.name
        if not problems or name in found:
            return
        if len(found) < MOST_CASES:
            found[name] = CiCase(name[:500], first_line(problems[0])[:500])
        else:
            more += 1

    for report in reports:
        if isinstance(report, NotListed):
            notes.append(f"the artifacts of the run {report.run} could not be listed: {report.reason}")
        elif isinstance(report, ZipRefused):
            notes.append(f"the artifact {report.artifact} was not used: {report.reason}")
        elif damage := read_junit(report.content, keep):
            notes.append(f"{report.name} of the artifact {report.artifact} could be read only in part: {damage}")
    return list(found.values()), more, notes
