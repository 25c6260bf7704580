"""Carries one verified fix down the ladder until a rung holds: through the forge and GitHub's door, each deed once.

A head that moved is no rung that failed: the fix has to be verified on the new head first, so it is handed back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from autofix.delivery.ladder import DeliveryFacts, Passed, Rung, Step, first_step, next_step, obstacles
from autofix.delivery.suggestions import Suggestions, suggest
from autofix.errors import CannotPush, ForgeError
from autofix.ports.forge import Forge
from autofix.ports.github import GitHub, Pull

_FORK = "the pull request comes from a fork: its branch is not in this repository"
_NO_HUNK = "no hunk of the fix lies inside the pull request's diff"


class NewBranches(Protocol):
    """Puts a commit on the server under a branch of our own."""

    def push_new(self, commit: str, branch: str) -> None:
        """Make `branch` at `commit`; never move one that exists. Made twice is made once.

        Raises:
            CannotPush: it exists at another commit, or a rule of the remote refused.
        """


@dataclass(frozen=True, slots=True)
class Fix:
    """A verified fix.

    Attributes:
        run_id: names the branch of a stacked pull request.
        head: the commit it was verified on.
        commit: the fix, one commit on `head`, in the harness's repository.
        diff: head..commit, as git prints it, with context.
        title, body: of a review or a pull request; ready text.
    """

    run_id: str
    head: str
    commit: str
    diff: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """Where the fix is now.

    Attributes:
        passed: the rungs above that did not hold, each with its reason.
        url: of the review or the pull request; "" for the others.
        patch: what people still have to apply by hand: all of it on the lowest rung, the rest beside suggestions.
    """

    rung: Rung
    passed: tuple[Passed, ...]
    url: str = ""
    patch: str = ""


@dataclass(frozen=True, slots=True)
class HeadMoved:
    """Someone pushed meanwhile; nothing was delivered."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a fix can be delivered: one pull request, by every door to it."""

    github: GitHub
    forge: Forge
    branches: NewBranches
    pull: Pull


def deliver(places: Places, fix: Fix, wanted: Rung) -> Delivered | HeadMoved:
    """Deliver by the highest rung that holds; whatever is refused falls to the next, and the last always holds."""
    if places.forge.head() != fix.head:
        return HeadMoved()
    split = suggest(fix.diff, _shown_diff(places))
    known = obstacles(
        DeliveryFacts(
            no_push=places.forge.why_not(),
            no_suggestions="" if split.comments else _NO_HUNK,
            no_pull_request=_FORK if places.pull.from_fork else "",
        )
    )
    step = first_step(wanted, known)
    while True:
        try:
            return _try(places, fix, step, split)
        except CannotPush as error:
            if error.moved:
                return HeadMoved()
            step = next_step(step, str(error), known)
        except ForgeError as error:
            step = next_step(step, f"GitHub refused: {error}", known)


def _try(places: Places, fix: Fix, step: Step, split: Suggestions) -> Delivered:
    match step.rung:
        case Rung.PUSH:
            places.forge.push(fix.commit, fix.head)
            return Delivered(step.rung, step.passed)
        case Rung.SUGGEST:
            text = f"{fix.title}\n\n{fix.body}"
            url = places.github.review(places.pull.number, fix.head, text, split.comments)
            return Delivered(step.rung, step.passed, url, split.rest)
        case Rung.PULL_REQUEST:
            return Delivered(step.rung, step.passed, _stacked(places, fix).url)
        case Rung.PATCH:
            return Delivered(step.rung, step.passed, patch=fix.diff)


def _stacked(places: Places, fix: Fix) -> Pull:
    """A pull request into the head branch; the one that is already there, where an earlier try got so far."""
    branch = f"autofix/{fix.run_id}"
    places.branches.push_new(fix.commit, branch)
    there = places.github.open_pulls(places.pull.base_repository.owner, branch)
    if there:
        return there[0]
    return places.github.create_pull(title=fix.title, body=fix.body, head=branch, base=places.pull.head_branch)


def _shown_diff(places: Places) -> Mapping[str, str | None]:
    """Each file's hunks as GitHub shows them; nothing where they cannot be read, so that nothing is suggested."""
    try:
        return {file.path: file.patch for file in places.github.changed_files(places.pull.number).files}
    except ForgeError:
        return {}
