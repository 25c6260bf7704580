"""Pull requests and triggers, as values."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from autofix.intake.commands import parse_commands
from autofix.intake.trigger import Cause, Commanded, Dispatched, Failure, Trigger
from autofix.ports.github import Pull
from autofix.ports.github_names import Account, RepositoryName

ACME = RepositoryName(1, "acme/widgets")
FORK = RepositoryName(2, "eve/widgets")
HEAD = "a" * 40
NEXT = "c" * 40
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

PULL = Pull(
    number=7,
    title="Change things",
    body="",
    open=True,
    draft=False,
    author=Account("ada"),
    head=HEAD,
    head_branch="feature",
    head_repository=ACME,
    base="b" * 40,
    base_branch="main",
    base_repository=ACME,
)


def pull(**changes: Any) -> Pull:
    return replace(PULL, **changes)


def trigger(cause: Cause, *logins: str, number: int | None = 7) -> Trigger:
    actors = tuple(Account(login, is_bot=login.endswith("[bot]")) for login in logins)
    return Trigger("workflow_run", ACME, number, actors, NOW, cause)


def failure(*logins: str, head: str = HEAD, number: int | None = 7, **more: Any) -> Trigger:
    return trigger(Failure(head, **more), *(logins or ("ada",)), number=number)


def command(text: str, *logins: str) -> Trigger:
    return trigger(Commanded(1, parse_commands(text)), *(logins or ("ada",)))


def dispatched(*logins: str) -> Trigger:
    return trigger(Dispatched(), *(logins or ("ada",)))
