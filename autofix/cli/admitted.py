"""From a job's event to a run that may start: the pull request fetched, the base's policy read, admission asked.

Nothing is spent here: no model call, no container, no word on the pull request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autofix.cli.check_choice import Choice, Project, choose_checks
from autofix.cli.composing import POLICY_LIMIT, large_file_pointers, run_id
from autofix.cli.inputs import Inputs
from autofix.cli.job import Job
from autofix.cli.parking import ActionWords, Parking
from autofix.errors import UsageError
from autofix.harness.approval import Answer
from autofix.harness.scope import Scope, scope_of
from autofix.intake.admission import AdmissionPolicy
from autofix.intake.consider import AdmittedRun, consider
from autofix.intake.event import read_event
from autofix.intake.find_pull import find_pull
from autofix.intake.preflight import Limit
from autofix.intake.pull_request import PullRequest
from autofix.intake.trigger import Failure, Skipped, Trigger
from autofix.ports.clock import Clock
from autofix.ports.git import Git
from autofix.ports.github import GitHub, Pull
from autofix.ports.github_names import RepositoryName
from autofix.settings import CONFIGURATION_PATH, AdmissionSettings, Settings, parse_settings
from autofix.world.git_cli import GitCli
from autofix.world.git_source import Source
from autofix.world.github_api import GitHubApi, open_github
from autofix.world.github_git import GitRemote
from autofix.world.private_refs import PrivateRefs
from autofix.world.run_directory import RunDirectory

STATE = "autofix"
"""Directory below the runner's temporary one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """What deciding needs: who asks, and by what doors."""

    inputs: Inputs
    job: Job
    github: GitHubApi
    clock: Clock
    needs_key: bool = True
    """A stage that calls no model needs no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoingOn:
    """A run that another job began: where it was kept, what it was started with, and what a person has said."""

    parking: Parking
    words: ActionWords
    answers: Mapping[str, Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """An admitted run with everything that was fetched for it."""

    entrance: Entrance
    run: AdmittedRun
    directory: RunDirectory
    git: GitCli
    remote: GitRemote
    pull_request: PullRequest
    settings: Settings
    going_on: GoingOn | None = None
    """Set where a person has answered what the run waits for."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What people should know of this run's token and of what CI tested."""
        if self.going_on:
            return self.going_on.words.findings
        texts = tuple(finding.text for finding in self.run.findings)
        cause, pull = self.run.trigger.cause, self.pull_request
        if isinstance(cause, Failure) and cause.tested_merge and pull.merge_base != pull.base:
            tested = f"CI tested the merge of this branch with {pull.base_branch}, which has newer commits"
            return (*texts, f"{tested}; autofix works on the branch itself. Should nothing fail there, update it first")
        return texts

    @property
    def no_push(self) -> str:
        """Why nothing may be pushed; "" where it may."""
        found = next((finding.text for finding in self.run.findings if finding.limit is Limit.PUSH), "")
        return self.run.no_push or found


def github_of(inputs: Inputs, job: Job, clock: Clock) -> GitHubApi:
    """The door to this repository.

    Raises:
        UsageError: there is no token.
    """
    if not inputs.token:
        raise UsageError("the input 'token' is empty: leave it out for the job's own token, or pass an App's")
    return open_github(job.repository, inputs.token, clock, api_url=job.api_url)


def enter(entrance: Entrance) -> Site | Skipped:
    """Decide whether a run may start, and fetch what it needs.

    Raises:
        UsageError: an input, the payload or the base's configuration is wrong.
        ForgeError, GitError: GitHub cannot be asked what must be known.
    """
    trigger = trigger_of(entrance)
    if isinstance(trigger, Skipped):
        return trigger
    pull = find_pull(entrance.github, trigger)
    if isinstance(pull, Skipped):
        return pull
    directory = RunDirectory.create(entrance.job.temp / STATE, run_id(entrance.clock.now()))
    try:
        found = _admitted(entrance, replace(trigger, pull_number=pull.number), pull, directory)
    except BaseException:
        directory.remove()
        raise
    if isinstance(found, Skipped):
        directory.remove()
    return found


def trigger_of(entrance: Entrance) -> Trigger | Skipped:
    """What started this job. Raises UsageError where the payload is not what GitHub documents."""
    job = entrance.job
    if job.repository_id is None:
        name = entrance.github.repository().name
    else:
        name = RepositoryName(job.repository_id, job.repository)
    return read_event(job.environment(name, entrance.inputs.pull_request), job.payload())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A pull request's commits and the base's policy, in a repository of the run's own."""

    git: GitCli
    remote: GitRemote
    head: str
    base: str
    settings: Settings


def fetched(entrance: Entrance, pull: Pull, directory: RunDirectory) -> Fetched:
    """Raises UsageError where the base's configuration is wrong; GitError, ForgeError."""
    inputs = entrance.inputs
    git = GitCli(Source.empty(directory.path / "repo.git" / "empty").common, directory.path / "repo.git")
    remote = GitRemote(git.process, entrance.job.clone_url, inputs.token)
    head, base = remote.fetch_pull(pull.number, pull.base_branch)
    settings = parse_settings(git.read(base, CONFIGURATION_PATH, POLICY_LIMIT), inputs.overlay(), "the inputs")
    return Fetched(git=git, remote=remote, head=head, base=base, settings=settings)


def _admitted(entrance: Entrance, trigger: Trigger, pull: Pull, directory: RunDirectory) -> Site | Skipped:
    found = fetched(entrance, pull, directory)
    run = considered(entrance, trigger, found.settings, found.remote)
    if isinstance(run, Skipped):
        return run
    if found.head != run.pull.head:
        moved = f"#{pull.number} moved from {run.pull.head[:8]} to {found.head[:8]} meanwhile"
        return Skipped(moved, superseded=True)
    return Site(
        entrance=entrance,
        run=run,
        directory=directory,
        git=found.git,
        remote=found.remote,
        pull_request=pull_request_of(found.git, run.pull, found.base, run.text.title),
        settings=found.settings,
    )


def considered(
    entrance: Entrance, trigger: Trigger, settings: Settings, remote: GitRemote, *, going_on: bool = False
) -> AdmittedRun | Skipped:
    """Admission by the base's policy; arguments and errors as for `intake.consider.consider`."""
    key = entrance.inputs.anthropic_api_key
    return consider(
        entrance.github,
        trigger,
        policy_of(settings.admission),
        now=entrance.clock.now(),
        missing_secrets=("anthropic-api-key",) if entrance.needs_key and not key else (),
        push_refusal=remote.push_refusal,
        going_on=going_on,
    )


def refusal(github: GitHub, trigger: Trigger) -> str:
    """Why the people behind a command may not give it; "" where all of them may write to this repository."""
    for one in trigger.actors:
        if one.is_bot or not github.permission(one.login).can_write:
            return f"{one.login} has no write access to this repository"
    return "" if trigger.actors else "the event does not say who started it"


def private_refs(entrance: Entrance) -> PrivateRefs:
    """What autofix keeps in the repository; the caller closes it."""
    job, now = entrance.job, entrance.clock.now
    return PrivateRefs.at(job.temp / STATE / "refs" / run_id(now()), job.clone_url, entrance.inputs.token, now)


def policy_of(told: AdmissionSettings) -> AdmissionPolicy:
    return AdmissionPolicy(
        bots=frozenset(told.bots),
        drafts=told.drafts,
        runs_per_pull=told.runs_per_pull,
        runs_per_day=told.runs_per_day,
        usd_per_pull=told.usd_per_pull,
    )


def scope_and_checks(entrance: Entrance, found: Fetched, pull: Pull) -> tuple[Scope, Choice]:
    """What a run could change, and what it would check. Raises UsageError."""
    pull_request = pull_request_of(found.git, replace(pull, head=found.head), found.base, "")
    pointers = large_file_pointers(found.git, pull_request)
    project = Project(found.git, found.head, entrance.inputs.working_directory, pull_request.touched)
    choice = choose_checks(entrance.inputs.checks, found.settings.checks, project)
    return scope_of(pull_request, found.settings.scope.extra, pointers), choice


def pull_request_of(git: Git, pull: Pull, base: str, title: str) -> PullRequest:
    """Raises UsageError where head and base have no common history."""
    merge_base = git.merge_base(base, pull.head)
    if merge_base is None:
        raise UsageError(f"#{pull.number} and {pull.base_branch} have no common history: nothing tells its changes")
    return PullRequest(
        base=base,
        head=pull.head,
        merge_base=merge_base,
        base_branch=pull.base_branch,
        branch=pull.head_branch,
        changes=git.changes(merge_base, pull.head),
        title=title,
        number=pull.number,
    )


def hidden_places(environ: Mapping[str, str], job: Job) -> tuple[Path, ...]:
    """What a room on this file system must not show: the workspace and the runner's own folders."""
    folders = ("/github/home", "/github/workflow", "/github/file_commands")
    named = [environ.get("GITHUB_WORKSPACE", ""), str(job.temp), *folders]
    return tuple(path for path in map(Path, filter(None, named)) if path.is_dir())
