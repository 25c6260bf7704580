"""May this trigger start a run on this pull request, and may the run push? Decided from facts fetched before.

Rights are the collaborator API's word alone: never a name, an account's type, an association or the job's actor
variable (G1). Whatever is not known is refused. Nothing has been spent when this is asked.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from autofix.intake.commands import Verb
from autofix.intake.ledger import Ledger
from autofix.intake.trigger import Commanded, Failure, Skipped, Trigger
from autofix.ports.github import Pull
from autofix.ports.github_names import Account, Permission

STARTING_VERBS = frozenset({Verb.RUN, Verb.RETRY})
"""The commands that start a run; the others answer one."""
ANSWERING_VERBS = frozenset({Verb.APPROVE, Verb.DENY, Verb.STOP})
"""The commands that answer what a run waits for."""


@dataclass(frozen=True, slots=True)
class AdmissionPolicy:
    """What the base commit's configuration allows.

    Attributes:
        bots: exact logins (`dependabot[bot]`) whose pull requests and triggers count as a writer's.
        drafts: serve draft pull requests without being asked.
        runs_per_pull, runs_per_day, usd_per_pull: limits over one pull request's life; 0 USD is no limit.
    """

    bots: Collection[str] = ()
    drafts: bool = False
    runs_per_pull: int = 10
    runs_per_day: int = 3
    usd_per_pull: Decimal = Decimal(10)


@dataclass(frozen=True, slots=True)
class AdmissionFacts:
    """What was fetched about the pull request.

    Attributes:
        permissions: by login; a missing login has none.
        own_head: autofix made the head commit.
        default_branch: never pushed to, whoever's head it is.
        missing_secrets: inputs that hold a secret and are empty.
    """

    pull: Pull
    permissions: Mapping[str, Permission]
    ledger: Ledger
    now: datetime
    default_branch: str
    own_head: bool = False
    missing_secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Admitted:
    """A run may start. `no_push` says why its result must not be pushed; "" where it may be."""

    no_push: str = ""


Admission = Admitted | Skipped
Reason = str | None


def people_to_ask_about(trigger: Trigger, pull: Pull, policy: AdmissionPolicy) -> tuple[str, ...]:
    """The logins whose permission `admit` needs; bots have none to ask for."""
    named = (pull.author, *trigger.actors)
    return tuple(dict.fromkeys(one.login for one in named if not one.is_bot and one.login not in policy.bots))


def admit(trigger: Trigger, facts: AdmissionFacts, policy: AdmissionPolicy, *, going_on: bool = False) -> Admission:
    """The first rule that speaks against it decides. A run that goes on was admitted and counted when it began."""
    for rule in _GOING_ON if going_on else _RULES:
        if reason := rule(trigger, facts, policy):
            return Skipped(reason)
    if facts.pull.from_fork:
        return Admitted(no_push="the pull request comes from a fork, and nothing is pushed to forks")
    if facts.pull.head_branch == facts.default_branch:
        return Admitted(no_push=f"the head branch, {facts.default_branch}, is the default branch")
    return Admitted()


def _is_open(_: Trigger, facts: AdmissionFacts, __: AdmissionPolicy) -> Reason:
    return None if facts.pull.open else f"#{facts.pull.number} is closed"


def _starts_a_run(trigger: Trigger, _: AdmissionFacts, __: AdmissionPolicy) -> Reason:
    if isinstance(trigger.cause, Commanded):
        verbs = {command.verb for command in trigger.cause.reading.commands}
        return None if verbs & STARTING_VERBS else "the comment's commands start no run"
    return None


def _not_our_commit(trigger: Trigger, facts: AdmissionFacts, _: AdmissionPolicy) -> Reason:
    if isinstance(trigger.cause, Failure) and facts.own_head:
        return "the failing commit is autofix's own; say `/autofix run` to let it try again"
    return None


def _not_draft(trigger: Trigger, facts: AdmissionFacts, policy: AdmissionPolicy) -> Reason:
    if facts.pull.draft and not policy.drafts and isinstance(trigger.cause, Failure):
        return "the pull request is a draft; say `/autofix run` or mark it ready"
    return None


def _has_secrets(trigger: Trigger, facts: AdmissionFacts, _: AdmissionPolicy) -> Reason:
    if not facts.missing_secrets:
        return None
    names = " and ".join(facts.missing_secrets)
    dependabot = any(one.login == "dependabot[bot]" for one in (facts.pull.author, *trigger.actors))
    if dependabot:
        return f"{names} is empty: Dependabot's runs read the repository's Dependabot secrets, so set it there"
    if facts.pull.from_fork:
        return f"{names} is empty: GitHub gives no secrets to a fork's runs; start from `workflow_run` or a comment"
    return f"{names} is empty: set it as a secret and pass it to the action"


def _writers_asked(trigger: Trigger, facts: AdmissionFacts, policy: AdmissionPolicy) -> Reason:
    """G1: everyone who had a hand in this may write here. A command needs its author's right alone."""
    author = (facts.pull.author,) if isinstance(trigger.cause, Failure) else ()
    if not trigger.actors:
        return "the event does not say who started it"
    for one in (*author, *trigger.actors):
        if not _may_write(one, facts, policy):
            return _refusal(one)
    return None


def _fork_was_asked_for(trigger: Trigger, facts: AdmissionFacts, _: AdmissionPolicy) -> Reason:
    if facts.pull.from_fork and not isinstance(trigger.cause, Commanded):
        return "the pull request comes from a fork; someone with write access can say `/autofix run`"
    if facts.pull.from_fork and facts.pull.head_repository is None:
        return "the fork this pull request came from is gone"
    return None


def _within_limits(trigger: Trigger, facts: AdmissionFacts, policy: AdmissionPolicy) -> Reason:
    ledger = facts.ledger
    if isinstance(trigger.cause, Failure) and ledger.worked_on(facts.pull.head):
        return f"autofix has already worked on {facts.pull.head[:8]}; say `/autofix retry` to let it try again"
    if ledger.runs_since(facts.now - timedelta(days=1)) >= policy.runs_per_day:
        return f"this pull request has had its {policy.runs_per_day} runs of the day"
    if ledger.runs >= policy.runs_per_pull:
        return f"this pull request has had its {policy.runs_per_pull} runs"
    if policy.usd_per_pull and ledger.usd >= policy.usd_per_pull:
        return f"this pull request has cost {ledger.usd:.2f} USD of the {policy.usd_per_pull:.2f} it may"
    return None


Rule = Callable[[Trigger, AdmissionFacts, AdmissionPolicy], Reason]

_RULES: tuple[Rule, ...] = (
    _is_open,
    _starts_a_run,
    _not_our_commit,
    _not_draft,
    _has_secrets,
    _fork_was_asked_for,
    _writers_asked,
    _within_limits,
)
"""In this order: what people can do something about comes before what only time changes."""
_GOING_ON: tuple[Rule, ...] = (_is_open, _has_secrets, _fork_was_asked_for, _writers_asked)


def _may_write(one: Account, facts: AdmissionFacts, policy: AdmissionPolicy) -> bool:
    if one.is_bot or one.login.endswith("[bot]"):
        return one.login in policy.bots
    return facts.permissions.get(one.login, Permission.NONE).can_write


def _refusal(one: Account) -> str:
    if one.is_bot or one.login.endswith("[bot]"):
        return f"{one.login} is a bot that the configuration does not list"
    return f"{one.login} has no write access to this repository"
