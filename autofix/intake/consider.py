"""From a trigger to an admitted run: asks GitHub what admission needs, in the order that spends least.

This is the whole of intake for one event. Nothing here calls a model, starts a container or writes anything.
"""

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from autofix.errors import ForgeError, ForgeNotFound
from autofix.intake.admission import AdmissionFacts, AdmissionPolicy, admit, people_to_ask_about
from autofix.intake.find_pull import find_pull
from autofix.intake.ledger import Ledger, decode, from_commits, merged
from autofix.intake.own_marks import WORKFLOW_ACCOUNT, is_own_comment, is_own_commit
from autofix.intake.preflight import Finding, TokenFacts, preflight
from autofix.intake.spoken_text import SpokenText, spoken_text
from autofix.intake.trigger import Failure, Skipped, Trigger
from autofix.ports.github import Branch, Comment, GitHub, Pull
from autofix.ports.github_names import Account, Permission

_MAX_AUTHORS = 30
"""Authors of comments whose permission is asked for, a request each; whoever is left over counts as no writer."""


@dataclass(frozen=True, slots=True)
class AdmittedRun:
    """What a run starts from.

    Attributes:
        trigger: with everyone who had a hand in it.
        accounts: logins autofix writes as.
        no_push: why the result must not be pushed; "" where it may be.
        ledger: what the pull request has cost before this run.
        findings: of the token's preflight, for the comment.
    """

    trigger: Trigger
    pull: Pull
    accounts: frozenset[str]
    no_push: str
    ledger: Ledger
    findings: tuple[Finding, ...]
    text: SpokenText


def consider(
    github: GitHub,
    trigger: Trigger,
    policy: AdmissionPolicy,
    *,
    now: datetime,
    missing_secrets: tuple[str, ...] = (),
    push_refusal: Callable[[], str | None],
    going_on: bool = False,
) -> AdmittedRun | Skipped:
    """Decide about one trigger.

    Args:
        github: the door.
        trigger: from `read_event`.
        policy: from the base commit's configuration.
        now: for the limits per day.
        missing_secrets: names of the inputs that hold a secret and are empty.
        push_refusal: asks the git remote whether this token may push.
        going_on: the run was admitted before, and a person has answered what it waits for.

    Raises:
        ForgeError: GitHub could not be asked what must be known; nothing is decided without it.
    """
    pull = find_pull(github, trigger)
    if isinstance(pull, Skipped):
        return pull
    trigger = replace(trigger, actors=_everyone(github, trigger))
    login = _own_login(github)
    accounts = frozenset({login, WORKFLOW_ACCOUNT})
    commits = github.commits(pull.number)
    comments = github.comments(pull.number)
    permissions = {one: github.permission(one) for one in people_to_ask_about(trigger, pull, policy)}
    ledger = merged(_told_by_comment(comments, accounts), from_commits(commits))
    facts = AdmissionFacts(
        pull,
        permissions,
        ledger,
        now,
        default_branch=github.repository().default_branch,
        own_head=any(commit.sha == pull.head and is_own_commit(commit) for commit in commits),
        missing_secrets=missing_secrets,
    )
    decision = admit(trigger, facts, policy, going_on=going_on)
    if isinstance(decision, Skipped):
        return decision
    findings: tuple[Finding, ...] = ()
    if not pull.from_fork:
        findings = preflight(TokenFacts(login, push_refusal(), _head_branch(github, pull)), pull)
    text = spoken_text(
        pull, github.text_edits(pull.number), comments, _of_authors(github, comments, permissions), trigger.at
    )
    return AdmittedRun(trigger, pull, accounts, decision.no_push, ledger, findings, text)


def _everyone(github: GitHub, trigger: Trigger) -> tuple[Account, ...]:
    """The trigger's actors, and those of the workflow runs behind a check, which its event does not name (G1)."""
    cause = trigger.cause
    if not isinstance(cause, Failure) or cause.run_id is not None or cause.suite_id is None:
        return trigger.actors
    runs = github.runs_of_suite(cause.suite_id)
    behind = [one for run in runs for one in (run.actor, run.triggering_actor)]
    return tuple({one.login: one for one in (*trigger.actors, *behind)}.values())


def _own_login(github: GitHub) -> str:
    try:
        return github.whoami()
    except ForgeError:
        return WORKFLOW_ACCOUNT  # an old Enterprise server; only this token is usual there


def _told_by_comment(comments: Iterable[Comment], accounts: frozenset[str]) -> Ledger:
    """What our comment hides; of several, as after a change of accounts, the largest totals."""
    ledger = Ledger()
    for comment in comments:
        if is_own_comment(comment, accounts):
            ledger = merged(decode(comment.body) or Ledger(), ledger)
    return ledger


def _head_branch(github: GitHub, pull: Pull) -> Branch | None:
    with contextlib.suppress(ForgeNotFound):
        return github.branch(pull.head_branch)
    return None


def _of_authors(github: GitHub, comments: Iterable[Comment], known: dict[str, Permission]) -> dict[str, Permission]:
    """The permission of those whose comments might reach a prompt: of the latest, where there are very many."""
    logins = dict.fromkeys(one.author.login for one in reversed(tuple(comments)) if not one.author.is_bot)
    unknown = [login for login in logins if login not in known][:_MAX_AUTHORS]
    return {**known, **{login: github.permission(login) for login in unknown}}
