"""What started this job: a webhook payload and the job's environment -> a Trigger, or Skipped with the reason.

Nothing is asked of GitHub here, and nothing is believed that GitHub must confirm: the pull request's number is a hint,
whether anyone may start a run is `admission`'s question.
"""

from collections.abc import Callable, Mapping

from autofix.errors import UsageError
from autofix.intake.commands import parse_commands
from autofix.intake.fields import BadFieldError, Fields
from autofix.intake.own_marks import MARKER
from autofix.intake.trigger import Commanded, Dispatched, Failure, JobEnvironment, Skipped, Trigger
from autofix.ports.github_names import Account, RepositoryName

_FAILED = frozenset({"failure", "timed_out"})
"""Conclusions a fix can answer. `startup_failure` is a broken workflow file, which no fix may touch."""

_PULL_ACTIONS = frozenset({"opened", "synchronize", "reopened", "ready_for_review", "labeled"})
"""https://docs.github.com/actions/using-workflows/events-that-trigger-workflows#pull_request"""

_NO_COMMIT = "0" * 40


def read_event(job: JobEnvironment, payload: object) -> Trigger | Skipped:
    """Raises UsageError where the payload is not what GitHub documents for the event."""
    reader = _READERS.get(job.event)
    try:
        fields = Fields(payload)
        if job.pull_request is not None:
            return _dispatch(job, fields, job.pull_request)
        if reader is None:
            return Skipped(f"autofix does nothing on the event {job.event!r}")
        return reader(job, fields)
    except BadFieldError as error:
        raise UsageError(f"the payload of event {job.event!r} is not what GitHub documents: {error}") from error


def account(fields: Fields) -> Account:
    """A user object of GitHub's JSON."""
    login = fields.text("login")
    return Account(login, is_bot=fields.raw("type") == "Bot" or login.endswith("[bot]"))


def repository_name(fields: Fields) -> RepositoryName:
    """A repository object of GitHub's JSON."""
    return RepositoryName(fields.number("id"), fields.text("full_name"))


def _workflow_run(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    run = payload.object("workflow_run")
    if payload.text("action") != "completed":
        return Skipped("the workflow run is not finished")
    if refusal := _not_failed(run, "the workflow run"):
        return refusal
    workflow = payload.maybe_object("workflow")
    if workflow is not None and job.workflow_path and workflow.raw("path") == job.workflow_path:
        return Skipped("the failed run is autofix's own workflow")
    head_repository = run.maybe_object("head_repository")
    people = [run.maybe_object("actor"), run.maybe_object("triggering_actor"), payload.object("sender")]
    return Trigger(
        job.event,
        job.repository,
        _only_pull(run, job.repository),
        _distinct(*(account(person) for person in people if person is not None)),
        run.time("updated_at"),
        Failure(
            head=run.text("head_sha"),
            branch=run.maybe_text("head_branch"),
            owner=repository_name(head_repository).owner if head_repository else None,
            run_id=run.number("id"),
            attempt=run.maybe_number("run_attempt"),
            suite_id=run.maybe_number("check_suite_id"),
            tested_merge=run.text("event") == "pull_request",
        ),
    )


def _check_suite(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    suite = payload.object("check_suite")
    if payload.text("action") != "completed":
        return Skipped("the check suite is not finished")
    if refusal := _not_failed(suite, "the check suite"):
        return refusal
    return Trigger(
        job.event,
        job.repository,
        _only_pull(suite, job.repository),
        _distinct(account(payload.object("sender"))),
        suite.time("updated_at"),
        Failure(head=suite.text("head_sha"), branch=suite.maybe_text("head_branch"), suite_id=suite.number("id")),
    )


def _check_run(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    run = payload.object("check_run")
    if payload.text("action") != "completed":
        return Skipped("the check run is not finished")
    if refusal := _not_failed(run, "the check run"):
        return refusal
    suite = run.object("check_suite")
    app = run.maybe_object("app")
    of_actions = app is not None and app.raw("slug") == "github-actions"
    return Trigger(
        job.event,
        job.repository,
        _only_pull(run, job.repository),
        _distinct(account(payload.object("sender"))),
        run.maybe_time("completed_at"),
        Failure(
            head=run.text("head_sha"),
            branch=suite.maybe_text("head_branch"),
            suite_id=suite.maybe_number("id"),
            job_id=run.number("id") if of_actions else None,  # a job's check run bears the job's id
        ),
    )


def _pull_request(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    pull = payload.object("pull_request")
    number = pull.number("number")
    action = payload.text("action")
    if action not in _PULL_ACTIONS:
        return Skipped(f"a pull request that was {action.replace('_', ' ')} starts no run")
    head = pull.object("head")
    head_repository = head.maybe_object("repo")
    return Trigger(
        job.event,
        job.repository,
        number,
        _own_job_actors(job, payload),
        pull.time("updated_at"),
        Failure(
            head=head.text("sha"),
            branch=head.text("ref"),
            owner=repository_name(head_repository).owner if head_repository else None,
            run_id=job.run_id,
            attempt=job.run_attempt,
            tested_merge=job.ref == f"refs/pull/{number}/merge",
            in_progress=True,
        ),
    )


def _push(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    ref = payload.text("ref")
    head = payload.text("after")
    if not ref.startswith("refs/heads/") or payload.flag("deleted") or head == _NO_COMMIT:
        return Skipped("only a push that leaves a commit on a branch can have a failing check")
    return Trigger(
        job.event,
        job.repository,
        None,
        _own_job_actors(job, payload),
        None,
        Failure(
            head=head,
            branch=ref.removeprefix("refs/heads/"),
            owner=job.repository.owner,
            run_id=job.run_id,
            attempt=job.run_attempt,
            in_progress=True,
        ),
    )


def _issue_comment(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    if payload.text("action") != "created":
        return Skipped("only a new comment can hold commands, not one that was edited or deleted")
    issue = payload.object("issue")
    if issue.raw("pull_request") is None:
        return Skipped("the comment is on an issue, not on a pull request")
    comment = payload.object("comment")
    body = comment.text("body")
    if MARKER in body:
        return Skipped("the comment carries autofix's own marker")
    reading = parse_commands(body)
    if not reading.commands and not reading.unknown:
        return Skipped("the comment holds no command")
    return Trigger(
        job.event,
        job.repository,
        issue.number("number"),
        _distinct(account(comment.object("user")), account(payload.object("sender"))),
        comment.time("created_at"),
        Commanded(comment.number("id"), reading),
    )


def _workflow_dispatch(job: JobEnvironment, payload: Fields) -> Trigger | Skipped:
    inputs = payload.maybe_object("inputs")
    text = str(inputs.raw("pull-request") or "").strip() if inputs else ""
    if not text:
        raise UsageError("workflow_dispatch needs the input `pull-request`, a pull request's number")
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise UsageError(f"the input `pull-request` is {text[:40]!r}; it must be a pull request's number")
    return _dispatch(job, payload, int(text))


def _dispatch(job: JobEnvironment, payload: Fields, number: int) -> Trigger:
    return Trigger(job.event, job.repository, number, _own_job_actors(job, payload), None, Dispatched())


_READERS: Mapping[str, Callable[[JobEnvironment, Fields], Trigger | Skipped]] = {
    "workflow_run": _workflow_run,
    "check_suite": _check_suite,
    "check_run": _check_run,
    "pull_request": _pull_request,
    "pull_request_target": _pull_request,
    "push": _push,
    "issue_comment": _issue_comment,
    "workflow_dispatch": _workflow_dispatch,
}


def _not_failed(fields: Fields, what: str) -> Skipped | None:
    conclusion = fields.maybe_text("conclusion")
    if conclusion in _FAILED:
        return None
    if conclusion == "startup_failure":
        return Skipped(f"{what} could not start: its workflow file is wrong, and autofix edits no workflow")
    return Skipped(f"{what} did not fail: {(conclusion or 'no conclusion').replace('_', ' ')}")


def _only_pull(fields: Fields, repository: RepositoryName) -> int | None:
    """The one pull request into this repository that a run or suite lists; forks' lists are empty."""
    numbers = {
        pull.number("number")
        for pull in fields.each("pull_requests")
        if pull.object("base").object("repo").number("id") == repository.id
    }
    return numbers.pop() if len(numbers) == 1 else None


def _own_job_actors(job: JobEnvironment, payload: Fields) -> tuple[Account, ...]:
    """Those of the job autofix runs in: the payload's sender, and whoever (re-)started the workflow run."""
    sender = payload.maybe_object("sender")  # a scheduled event has none
    logins = [login for login in (job.actor, job.triggering_actor) if login]
    named = [Account(login, is_bot=login.endswith("[bot]")) for login in logins]
    return _distinct(*([account(sender)] if sender else []), *named)


def _distinct(*accounts: Account) -> tuple[Account, ...]:
    return tuple({one.login: one for one in accounts}.values())
