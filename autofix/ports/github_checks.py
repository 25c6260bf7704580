"""The part of GitHub's door that reads what CI did: runs, jobs, logs, artifacts, check runs.

Errors are those of `ports.github`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from autofix.ports.github_names import Account, RepositoryName


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """One run of a workflow. `event` is what started it ("pull_request", "push" ...)."""

    id: int
    name: str
    event: str
    head: str
    head_branch: str
    head_repository: RepositoryName | None
    attempt: int
    conclusion: str | None
    check_suite_id: int | None
    actor: Account
    triggering_actor: Account
    url: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a job; times have whole seconds. `conclusion` hides `continue-on-error`, which shows as success."""

    number: int
    name: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Job:
    id: int
    name: str
    conclusion: str | None
    steps: tuple[Step, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """`size` is the zip's, in bytes, as GitHub states it."""

    id: int
    name: str
    size: int
    expired: bool


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One check of a commit. `app` is the slug of the app that reports it ("github-actions")."""

    id: int
    name: str
    status: str
    conclusion: str | None
    app: str
    url: str

    @property
    def failing(self) -> bool:
        return self.conclusion in {"failure", "timed_out", "startup_failure"}


class FailedChecks(Protocol):
    """Reading what CI did."""

    def run(self, run_id: int) -> WorkflowRun: ...

    def runs_of_suite(self, suite_id: int) -> tuple[WorkflowRun, ...]: ...

    def runs_of_commit(self, sha: str) -> tuple[WorkflowRun, ...]:
        """The runs on a commit, the newest first. Needs `actions: read` alone, where `checks` needs `checks: read`."""
        ...

    def jobs(self, run_id: int, attempt: int | None = None) -> tuple[Job, ...]:
        """The jobs of one attempt; of the latest where none is named."""
        ...

    def log(self, job_id: int) -> AbstractContextManager[Iterator[bytes]]:
        """A finished job's log, streamed from storage. The token is not sent there."""
        ...

    def artifacts(self, run_id: int) -> tuple[Artifact, ...]: ...

    def download(self, artifact: Artifact, into: Path, limit: int) -> None:
        """The artifact's zip.

        Raises:
            ForgeError: it is larger than `limit` bytes, whatever GitHub said of its size; nothing is left at `into`.
        """

    def checks(self, sha: str) -> tuple[CheckRun, ...]:
        """The latest check runs of a commit."""
        ...
