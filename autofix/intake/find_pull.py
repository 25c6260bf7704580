"""Which pull request a trigger is about: the event's hint, confirmed by the API, or a search by head.

`workflow_run` and `check_suite` list no pull request for a fork's commit, so its branch and its commit are asked for.
Exactly one open pull request with the failing head, or no run: which of two was meant is not ours to guess.
"""

import contextlib
from collections.abc import Iterable

from autofix.errors import ForgeNotFound
from autofix.intake.trigger import Failure, Skipped, Trigger
from autofix.ports.github import Pull, PullRequests


def find_pull(github: PullRequests, trigger: Trigger) -> Pull | Skipped:
    """The pull request as it is now."""
    if trigger.pull_number is not None:
        return _named(github, trigger, trigger.pull_number)
    assert isinstance(trigger.cause, Failure), "only a failure comes without a number"
    return choose(_candidates(github, trigger.cause), trigger.repository.id, trigger.cause.head)


def _named(github: PullRequests, trigger: Trigger, number: int) -> Pull | Skipped:
    try:
        pull = github.pull(number)
    except ForgeNotFound:
        return Skipped(f"there is no pull request #{number}")
    if isinstance(trigger.cause, Failure):
        return choose([pull], trigger.repository.id, trigger.cause.head)
    return pull if pull.open else _closed(pull)


def _candidates(github: PullRequests, failure: Failure) -> Iterable[Pull]:
    """By branch where the event names one, then by commit, which also finds what the event hides."""
    found: dict[int, Pull] = {}
    if failure.owner and failure.branch:
        found |= {pull.number: pull for pull in github.open_pulls(failure.owner, failure.branch)}
    with contextlib.suppress(ForgeNotFound):  # GitHub may not know a fork's commit under the base repository
        found |= {pull.number: pull for pull in github.pulls_with_commit(failure.head)}
    return found.values()


def choose(candidates: Iterable[Pull], repository_id: int, head: str) -> Pull | Skipped:
    """The one open pull request into this repository whose head is `head`."""
    ours = [pull for pull in candidates if pull.base_repository.id == repository_id]
    live = [pull for pull in ours if pull.open]
    exact = [pull for pull in live if pull.head == head]
    if len(exact) == 1:
        return exact[0]
    if exact:
        numbers = " and ".join(f"#{pull.number}" for pull in sorted(exact, key=lambda pull: pull.number))
        return Skipped(f"{numbers} have the same head {head[:8]}; say `/autofix run` on the one you mean")
    if live:
        pull = live[0]
        return Skipped(
            f"#{pull.number} has moved from {head[:8]}, whose checks failed, to {pull.head[:8]}", superseded=True
        )
    return _closed(ours[0]) if ours else Skipped(f"no open pull request has the head {head[:8]}")


def _closed(pull: Pull) -> Skipped:
    return Skipped(f"#{pull.number} is closed")
