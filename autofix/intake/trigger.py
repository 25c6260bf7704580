"""A reason to look at a pull request, as values; and the answer of a stage that ends without a run."""

from dataclasses import dataclass
from datetime import datetime

from autofix.intake.commands import Reading
from autofix.ports.github_names import Account, RepositoryName


@dataclass(frozen=True, slots=True)
class JobEnvironment:
    """What the runner says of the job autofix itself runs in (GITHUB_*), parsed by the caller.

    Attributes:
        ref: "refs/pull/7/merge" where the job checked out a test merge.
        workflow_path: path of the workflow file this job belongs to, from GITHUB_WORKFLOW_REF; or "".
        pull_request: the input `pull-request`; it overrides what the event says.
    """

    event: str
    repository: RepositoryName
    run_id: int | None = None
    run_attempt: int | None = None
    ref: str = ""
    actor: str = ""
    triggering_actor: str = ""
    workflow_path: str = ""
    pull_request: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Checks of one commit failed.

    Attributes:
        head: the pull request's commit whose checks failed (never a test merge).
        branch, owner: where the commit lives, for finding the pull request; None where the event does not say.
        run_id, attempt, suite_id, job_id: what failed, as far as the event names it.
        tested_merge: CI ran on GitHub's merge of head into base, not on head itself.
        in_progress: the failing job is the one we run in: its log cannot be read yet.
    """

    head: str
    branch: str | None = None
    owner: str | None = None
    run_id: int | None = None
    attempt: int | None = None
    suite_id: int | None = None
    job_id: int | None = None
    tested_merge: bool = False
    in_progress: bool = False


@dataclass(frozen=True, slots=True)
class Commanded:
    """Someone wrote commands on the pull request."""

    comment_id: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Dispatched:
    """Someone asked for a run on a pull request by number."""


Cause = Failure | Commanded | Dispatched


@dataclass(frozen=True, slots=True)
class Trigger:
    """A reason to look at a pull request.

    Attributes:
        pull_number: as the event names it; None where it must be found by its head.
        actors: everyone who had a hand in starting this, without repetition.
        at: when it happened; text changed later is not read (G4). None where the event carries no time.
    """

    event: str
    repository: RepositoryName
    pull_number: int | None
    actors: tuple[Account, ...]
    at: datetime | None
    cause: Cause


@dataclass(frozen=True, slots=True)
class Skipped:
    """No run, and why, in one line for people. `superseded`: a newer head has taken over."""

    reason: str
    superseded: bool = False
