"""Carries one verified fix down the ladder until a rung holds: through the forge and GitHub's door, each deed once.

A head that moved is no rung that failed: the fix has to be verified on the new head first, so it is handed back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autofix.delivery.api_commit import unfit_for_api
from autofix.delivery.ladder import DeliveryFacts, Passed, Rung, Step, first_step, next_step, obstacles
from autofix.delivery.suggestions import Suggestions, suggest
from autofix.errors import CannotPush, ForgeError, ForgeUnavailable, GitError, NotAsVerified
from autofix.ports.forge import Forge
from autofix.ports.github import FileWrite, GitHub, Pull

_NO_HUNK = "no hunk of the fix lies inside the pull request's diff"
_TAKE_BACK = "look at it, or take it back with `/autofix revert`"
_PLAIN_REMOTE = "a plain git remote has no pull requests"


class Remote(Protocol):
    """The base repository's git remote, besides the push to the pull request's branch."""

    def push_new(self, commit: str, branch: str) -> None:
        """Make `branch` at `commit`; never move one that exists. Made twice is made once.

        Raises:
            CannotPush: it exists at another commit, or a rule of the remote refused.
        """

    def same_as(self, ours: str, theirs: str) -> bool:
        """Whether a commit on the server has the very tree and parents of one in the harness's repository.

        Raises:
            GitError, ForgeUnavailable: it cannot be looked at.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fix:
    """A verified fix.

    Attributes:
        run_id: names the branch of a stacked pull request.
        head: the commit it was verified on.
        commit: the fix, one commit on `head`, in the harness's repository.
        diff: head..commit, as git prints it, with context.
        title, body: of a commit GitHub makes, a review or a pull request; ready text.
        files: path -> new content, None where the file is deleted.
        modes: path -> mode at `head` of these files, and of submodules.
    """

    run_id: str
    head: str
    commit: str
    diff: str
    title: str
    body: str
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    modes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Landed:
    """The rung that held.

    Attributes:
        passed: the rungs above that did not hold, each with its reason.
        url: of the review or the pull request; "" for the others.
        commit: what the branch is at now, where it was pushed; "" for the others.
        patch: what people still have to apply by hand: all of it on the lowest rung, the rest beside suggestions.
    """

    rung: Rung
    passed: tuple[Passed, ...]
    url: str = ""
    patch: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class HeadMoved:
    """Someone pushed meanwhile; nothing was delivered."""


@dataclass(frozen=True, slots=True)
class PullDoors:
    """The doors to one pull request on GitHub, besides the push.

    `by_api`: GitHub is asked to make the commit, and to sign it, where it can.
    """

    github: GitHub
    remote: Remote
    pull: Pull
    by_api: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """Where a fix can be delivered; `pull` is None where the forge is a plain git remote."""

    forge: Forge
    pull: PullDoors | None = None


Announce = Callable[[Step], None]
"""Told of each rung before it is tried."""


def deliver(places: Places, fix: Fix, wanted: Rung, announce: Announce = lambda _step: None) -> Landed | HeadMoved:
    """Deliver by the highest rung that holds; whatever is refused falls to the next, and the last always holds.

    Raises:
        NotAsVerified: GitHub put something on the branch that is not known to be the fix.
    """
    standing = _standing(places, fix, wanted)
    if standing is not None:
        return standing
    split = suggest(fix.diff, _shown_diff(places.pull) if places.pull else {})
    known = obstacles(_facts(places, split))
    step = first_step(wanted, known)
    while True:
        try:
            announce(step)
            return _try(places, fix, step, split)
        except CannotPush as error:
            if error.moved:
                return HeadMoved()
            step = next_step(step, str(error), known)
        except ForgeError as error:
            step = next_step(step, f"GitHub refused: {error}", known)


def _standing(places: Places, fix: Fix, wanted: Rung) -> Landed | HeadMoved | None:
    """What is settled before anything is tried: the head moved, or the fix is there (a run that was killed pushed it).

    A plain remote is asked only where something would be pushed to it.
    """
    if places.pull is None and (wanted is Rung.PATCH or places.forge.target() is None):
        return None
    head = places.forge.head()
    if head == fix.commit:
        return Landed(Rung.PUSH, (), commit=head)
    return None if head == fix.head else HeadMoved()


def _facts(places: Places, split: Suggestions) -> DeliveryFacts:
    no_push, doors = places.forge.why_not(), places.pull
    if doors is None:
        return DeliveryFacts(no_push, _PLAIN_REMOTE, _PLAIN_REMOTE)
    no_pull_request = no_push if doors.pull.from_fork else ""  # its branch is not in this repository
    return DeliveryFacts(no_push, "" if split.comments else _NO_HUNK, no_pull_request)


def _try(places: Places, fix: Fix, step: Step, split: Suggestions) -> Landed:
    if step.rung is Rung.PUSH:
        return _pushed(places, fix, step)
    if step.rung is Rung.PATCH:
        return Landed(step.rung, step.passed, patch=fix.diff)
    assert places.pull is not None, "without a pull request both rungs between are known not to hold"
    if step.rung is Rung.SUGGEST:
        url = _suggested(places.pull, fix, split)
        return Landed(step.rung, step.passed, url, split.rest)
    return Landed(step.rung, step.passed, _stacked(places.pull, fix).url)


def _pushed(places: Places, fix: Fix, step: Step) -> Landed:
    doors, passed = places.pull, step.passed
    if doors is not None and doors.by_api:
        files = [FileWrite(path, content) for path, content in sorted(fix.files.items())]
        unfit = unfit_for_api(files, fix.modes)
        if not unfit:
            return Landed(step.rung, passed, commit=_made_by_github(places.forge, doors, fix, files))
        passed = (*passed, Passed(step.rung, f"not signed by GitHub: {unfit}"))
    places.forge.push(fix.commit, fix.head)
    return Landed(step.rung, passed, commit=fix.commit)


def _made_by_github(forge: Forge, doors: PullDoors, fix: Fix, files: Sequence[FileWrite]) -> str:
    """The commit that GitHub made of these files: on the verified head, with exactly the verified tree (I5, I6).

    Raises:
        CannotPush: it was refused, or someone pushed meanwhile; nothing of ours is on the branch.
        NotAsVerified: what is on the branch is not what was verified, or cannot be read back.
    """
    if reason := forge.why_not():
        raise CannotPush(reason)
    try:
        made = doors.github.commit_on_branch(doors.pull.head_branch, fix.head, fix.title, fix.body, files)
    except ForgeUnavailable as error:  # it may have been made all the same
        found = forge.head()
        if found is None or found == fix.head:
            raise CannotPush(f"no commit was made: {error}") from error
        if not _is_the_fix(doors, fix, found):
            raise CannotPush("someone pushed to the branch meanwhile", moved=True) from error
        return found
    if not _is_the_fix(doors, fix, made):
        raise NotAsVerified(f"commit {made[:12]}, which GitHub made, is not what was verified: {_TAKE_BACK}")
    return made


def _is_the_fix(doors: PullDoors, fix: Fix, commit: str) -> bool:
    try:
        return doors.remote.same_as(fix.commit, commit)
    except (GitError, ForgeError) as error:
        raise NotAsVerified(
            f"whether commit {commit[:12]} on the branch is what was verified cannot be known ({error}): {_TAKE_BACK}"
        ) from error


def _suggested(doors: PullDoors, fix: Fix, split: Suggestions) -> str:
    text = f"{fix.title}\n\n{fix.body}"
    return doors.github.review(doors.pull.number, fix.head, text, split.comments)


def _stacked(doors: PullDoors, fix: Fix) -> Pull:
    """A pull request into the head branch; the one that is already there, where an earlier try got so far."""
    branch = f"autofix/{fix.run_id}"
    doors.remote.push_new(fix.commit, branch)
    there = doors.github.open_pulls(doors.pull.base_repository.owner, branch)
    if there:
        return there[0]
    return doors.github.create_pull(title=fix.title, body=fix.body, head=branch, base=doors.pull.head_branch)


def _shown_diff(doors: PullDoors) -> Mapping[str, str | None]:
    """Each file's hunks as GitHub shows them; nothing where they cannot be read, so that nothing is suggested."""
    try:
        return {file.path: file.patch for file in doors.github.changed_files(doors.pull.number).files}
    except ForgeError:
        return {}
