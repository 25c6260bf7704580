"""Reads what CI showed through GitHub's door: the failing jobs' logs, and JUnit reports among the run's artifacts."""

from collections.abc import Iterable

from autofix.checks.ci_evidence import CiCase, CiEvidence, CiJob
from autofix.checks.reports.junit import JUnitCase, read_junit
from autofix.checks.reports.junit_cases import first_line
from autofix.errors import ForgeError
from autofix.intake.artifacts import ReportFile, ZipRefused
from autofix.intake.failing_jobs import FailingJob, artifact_reports, failing_jobs
from autofix.intake.trigger import Cause, Failure
from autofix.ports.github_checks import FailedChecks

LOG_BYTES = 8_000
"""Of each failing job's log."""
MOST_CASES = 200
"""Failing cases of CI's reports that are kept; a run that shows more is broken as a whole."""
MOST_NOTES = 10
ACTIONS = "github-actions"
"""The app whose check runs are jobs of workflows."""


def ci_evidence(github: FailedChecks, cause: Cause, head: str) -> CiEvidence:
    """What CI shows of the head commit. What cannot be read is a note.

    Args:
        github: the door.
        cause: the failure that started the run; where a person did, the head's failing suites are looked at.
        head: the commit.
    """
    try:
        failures = _failures(github, cause, head)
    except ForgeError as error:
        return CiEvidence(notes=(f"what failed in CI could not be read: {error}",))
    found = [failing_jobs(github, failure, LOG_BYTES) for failure in failures]
    jobs = [job for one in found for job in one.jobs]
    cases, more, refused = _cases(artifact_reports(github, {job.run.id: job.run for job in jobs}.values()))
    notes = [note for one in found for note in one.notes] + refused
    return CiEvidence(
        tuple(_told(job) for job in jobs),
        tuple(cases),
        sum(one.left_out for one in found),
        more,
        tuple(notes[:MOST_NOTES]),
    )


def _failures(github: FailedChecks, cause: Cause, head: str) -> tuple[Failure, ...]:
    if isinstance(cause, Failure):
        return (cause,)
    suites = {check.suite for check in github.checks(head) if check.failing and check.app == ACTIONS and check.suite}
    return tuple(Failure(head, suite_id=suite) for suite in sorted(suites))


def _told(failing: FailingJob) -> CiJob:
    part = failing.excerpt
    steps = tuple(step.name for step in failing.steps)
    told = (part.command, part.text) if part else ("", "")
    return CiJob(failing.job.name, steps, failing.job.url, *told, failing.note)


def _cases(reports: Iterable[ReportFile | ZipRefused]) -> tuple[list[CiCase], int, list[str]]:
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
        if isinstance(report, ZipRefused):
            notes.append(f"the artifact {report.artifact} was not used: {report.reason}")
        elif damage := read_junit(report.content, keep):
            notes.append(f"{report.name} of the artifact {report.artifact} could be read only in part: {damage}")
    return list(found.values()), more, notes
