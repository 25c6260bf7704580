"""GitHub's JSON -> the values of `ports.github`. Every reader raises BadFieldError for what is not as documented."""

from autofix.intake.event import account, repository_name
from autofix.intake.fields import Fields
from autofix.ports.github import Branch, ChangedFile, Comment, CommitSummary, Pull, Repository
from autofix.ports.github_checks import Artifact, CheckRun, Job, Step, WorkflowRun
from autofix.ports.github_names import Account

_GHOST = Account("ghost")
"""Whom GitHub names where an account was deleted; the API answers null."""


def someone(fields: Fields, name: str) -> Account:
    found = fields.maybe_object(name)
    return account(found) if found is not None else _GHOST


def repository(fields: Fields) -> Repository:
    return Repository(
        repository_name(fields), fields.text("default_branch"), fields.flag("private"), fields.flag("archived")
    )


def pull(fields: Fields) -> Pull:
    head, base = fields.object("head"), fields.object("base")
    fork = head.maybe_object("repo")
    return Pull(
        number=fields.number("number"),
        title=fields.text("title"),
        body=fields.maybe_text("body") or "",
        open=fields.text("state") == "open",
        draft=fields.flag("draft"),
        author=someone(fields, "user"),
        head=head.text("sha"),
        head_branch=head.text("ref"),
        head_repository=repository_name(fork) if fork is not None else None,
        base=base.text("sha"),
        base_branch=base.text("ref"),
        base_repository=repository_name(base.object("repo")),
        merge_commit=fields.maybe_text("merge_commit_sha"),
        maintainer_can_modify=fields.flag("maintainer_can_modify"),
        url=fields.text("html_url"),
    )


def changed_file(fields: Fields) -> ChangedFile:
    return ChangedFile(
        fields.text("filename"),
        fields.text("status"),
        fields.maybe_text("previous_filename"),
        fields.maybe_text("patch"),
    )


def commit(fields: Fields) -> CommitSummary:
    inner = fields.object("commit")
    author, committer = inner.maybe_object("author"), inner.maybe_object("committer")
    return CommitSummary(
        fields.text("sha"),
        inner.text("message"),
        (author.maybe_text("name") if author else None) or "",
        (author.maybe_text("email") if author else None) or "",
        committer.maybe_time("date") if committer else None,
    )


def branch(fields: Fields) -> Branch:
    return Branch(fields.text("name"), fields.object("commit").text("sha"), fields.flag("protected"))


def workflow_run(fields: Fields) -> WorkflowRun:
    head_repository = fields.maybe_object("head_repository")
    return WorkflowRun(
        id=fields.number("id"),
        name=fields.maybe_text("name") or "",
        event=fields.text("event"),
        head=fields.text("head_sha"),
        head_branch=fields.maybe_text("head_branch") or "",
        head_repository=repository_name(head_repository) if head_repository is not None else None,
        attempt=fields.maybe_number("run_attempt") or 1,
        conclusion=fields.maybe_text("conclusion"),
        check_suite_id=fields.maybe_number("check_suite_id"),
        actor=someone(fields, "actor"),
        triggering_actor=someone(fields, "triggering_actor"),
        url=fields.text("html_url"),
    )


def job(fields: Fields) -> Job:
    steps = tuple(
        Step(
            step.number("number"),
            step.text("name"),
            step.maybe_text("conclusion"),
            step.maybe_time("started_at"),
            step.maybe_time("completed_at"),
        )
        for step in fields.each("steps")
    )
    return Job(
        fields.number("id"),
        fields.text("name"),
        fields.maybe_text("conclusion"),
        steps,
        fields.maybe_text("html_url") or "",
    )


def artifact(fields: Fields) -> Artifact:
    return Artifact(fields.number("id"), fields.text("name"), fields.number("size_in_bytes"), fields.flag("expired"))


def check_run(fields: Fields) -> CheckRun:
    app = fields.maybe_object("app")
    return CheckRun(
        fields.number("id"),
        fields.text("name"),
        fields.text("status"),
        fields.maybe_text("conclusion"),
        (app.maybe_text("slug") if app else None) or "",
        fields.maybe_text("html_url") or "",
    )


def comment(fields: Fields) -> Comment:
    return Comment(
        fields.number("id"),
        someone(fields, "user"),
        fields.maybe_text("body") or "",
        fields.time("created_at"),
        fields.time("updated_at"),
        fields.text("html_url"),
    )
