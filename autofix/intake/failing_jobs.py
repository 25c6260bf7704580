"""What failed in CI: the failing jobs of a trigger, their failing steps, the log's telling part, and test reports.

Reads through the GitHub door alone. What cannot be read (a log that expired, a token without `actions: read`) is noted
and left out: the checks are run again anyway, and a run does not fail for want of a hint.
"""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from autofix.errors import ForgeError
from autofix.intake.artifacts import ReportFile, ZipLimits, ZipRefused, reports_in
from autofix.intake.log_excerpt import LogExcerpt, excerpt
from autofix.intake.trigger import Failure
from autofix.ports.github_checks import Artifact, FailedChecks, Job, Step, WorkflowRun

_FAILED = frozenset({"failure", "timed_out"})

MAX_JOBS = 5
"""Logs read of one run: a broken build fails a whole matrix, and its logs say the same."""

MAX_RUNS = 20
"""Runs of one commit whose jobs are listed: a request each."""

MAX_ARTIFACTS = 10

_PASSED = frozenset({"success", "skipped", "neutral"})


@dataclass(frozen=True, slots=True)
class FailingJob:
    """A job that failed. `excerpt` is None where its log could not be read; then `note` says why."""

    job: Job
    run: WorkflowRun
    steps: tuple[Step, ...]
    excerpt: LogExcerpt | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class NotListed:
    """The artifacts of a run could not be listed; one line says why."""

    run: str
    reason: str


@dataclass(frozen=True, slots=True)
class FailingJobs:
    """`left_out` counts failing jobs whose logs were not read."""

    jobs: tuple[FailingJob, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[WorkflowRun, ...]:
        return tuple({failing.run.id: failing.run for failing in self.jobs}.values())


def failing_jobs(github: FailedChecks, failure: Failure, limit: int = 32 * 1024) -> FailingJobs:
    """The failing jobs behind a failure; `limit` bytes of each log. One that names its commit alone means all its runs.

    A job that is still running (the one autofix runs in) has no log yet: GitHub keeps it back until the job ends.
    """
    try:
        runs = _runs(github, failure)
    except ForgeError as error:
        return FailingJobs(notes=(f"the failing jobs could not be read: {error}",))
    found: list[tuple[WorkflowRun, Job]] = []
    notes: list[str] = []
    for run in runs:
        try:
            found += [(run, job) for job in _failed(github, run, failure)]
        except ForgeError as error:
            notes.append(f"the jobs of the run {run.name} could not be read: {error}")
    read = tuple(_with_log(github, run, job, limit) for run, job in found[:MAX_JOBS])
    return FailingJobs(read, max(0, len(found) - MAX_JOBS), tuple(notes))


def artifact_reports(
    github: FailedChecks, runs: Iterable[WorkflowRun], limits: ZipLimits | None = None
) -> Iterator[ReportFile | ZipRefused | NotListed]:
    """The JUnit reports the failing runs uploaded, one at a time."""
    bounds = limits or ZipLimits()
    left = bounds.downloads
    listed, failures = _listed(github, runs)
    yield from failures
    with tempfile.TemporaryDirectory(prefix="autofix-artifacts-") as directory:
        for artifact in listed:
            most = min(left, bounds.zip_bytes)
            if artifact.size > most:
                yield ZipRefused(artifact.name, f"it is larger than {most} bytes")
                continue
            path = Path(directory) / str(artifact.id)
            try:
                github.download(artifact, path, most)
            except ForgeError as error:
                yield ZipRefused(artifact.name, str(error))
                continue
            left -= path.stat().st_size
            with path.open("rb") as stream:
                yield from reports_in(artifact.name, stream, bounds)
            path.unlink()


def _listed(github: FailedChecks, runs: Iterable[WorkflowRun]) -> tuple[list[Artifact], list[NotListed]]:
    """Live artifacts, those that by their name hold reports first; and the runs that could not be asked."""
    listed: list[Artifact] = []
    failures: list[NotListed] = []
    for run in runs:
        try:
            listed += [artifact for artifact in github.artifacts(run.id) if not artifact.expired]
        except ForgeError as error:
            failures.append(NotListed(run.name, str(error)))
    telling = ("junit", "test", "report", "result")
    listed.sort(key=lambda artifact: not any(word in artifact.name.casefold() for word in telling))
    return listed[:MAX_ARTIFACTS], failures


def _runs(github: FailedChecks, failure: Failure) -> tuple[WorkflowRun, ...]:
    if failure.run_id is not None:
        return (github.run(failure.run_id),)
    if failure.suite_id is not None:
        return github.runs_of_suite(failure.suite_id)
    runs = (run for run in github.runs_of_commit(failure.head) if run.conclusion not in _PASSED)
    return tuple(islice(runs, MAX_RUNS))


def _failed(github: FailedChecks, run: WorkflowRun, failure: Failure) -> Iterator[Job]:
    attempt = failure.attempt if failure.run_id == run.id else None
    for job in github.jobs(run.id, attempt):
        if failure.job_id is not None and job.id != failure.job_id:
            continue
        if job.conclusion in _FAILED or (failure.in_progress and _failed_steps(job)):
            yield job


def _failed_steps(job: Job) -> tuple[Step, ...]:
    return tuple(step for step in job.steps if step.conclusion in _FAILED)


def _with_log(github: FailedChecks, run: WorkflowRun, job: Job, limit: int) -> FailingJob:
    steps = _failed_steps(job)
    if job.conclusion is None:
        return FailingJob(job, run, steps, None, "the job is still running, so its log cannot be read yet")
    try:
        with github.log(job.id) as log:
            return FailingJob(job, run, steps, excerpt(log, steps, limit))
    except ForgeError as error:
        return FailingJob(job, run, steps, None, f"its log could not be read: {error}")
