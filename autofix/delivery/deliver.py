"""Delivers one verified patch: a patch file in any case, then the highest rung of the ladder that holds.

The patch file comes first, so that whatever the forge says, nothing is lost. A head that moved is handed back: the fix
has to be verified on the new one.
"""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from autofix.delivery.ladder import Passed, Rung, Step
from autofix.delivery.patch import Patch
from autofix.delivery.rungs import Fix, HeadMoved, Landed, Places, deliver
from autofix.errors import ForgeError
from autofix.ports.git import CommitText, EntryType, Git
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.recorder import Recorder

PATCH_FILE = "fix.patch"
DIFF_LIMIT = 4 * 1024 * 1024
"""Bytes of the diff that suggestions are made from; the patch limits keep a real one far below."""

Highest = Literal["push", "suggest", "pull-request", "patch", "dry-run"]
"""The input `delivery`: where the ladder is entered, or nothing but the patch file."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """How the patch reached people.

    Attributes:
        rung: the rung that held.
        commit: the pushed commit, "" where nothing was pushed.
        branch: where it was pushed, "" where it was not.
        patch_file: where the patch lies.
        apply: one line for a terminal in the repository.
        fell: why higher rungs were not used, in words.
        url: of the review or the pull request; "" for the others.
        rest: a unified diff of what suggestions could not hold; "" for none.
    """

    rung: Highest
    commit: str
    branch: str
    patch_file: str
    apply: str
    fell: tuple[str, ...] = ()
    url: str = ""
    rest: str = ""


def apply_line(apply: str, directory: str, file: str) -> str:
    """The line for a terminal that applies a run's file, from where `apply` gets it, else from the run's directory."""
    return apply.format(file=file) or f"git apply {shlex.quote(f'{directory}/{file}')}"


def delivered_of(event: Event) -> Delivered:
    """What an event DELIVERED tells."""
    data = {name: str(event.data[name]) for name in ("commit", "branch", "patch_file", "apply", "url", "rest")}
    fell = event.data["fell"]
    rung: Highest = next(one for one in get_args(Highest) if one == event.data["rung"])
    return Delivered(rung=rung, fell=tuple(map(str, fell)) if isinstance(fell, list) else (), **data)


@dataclass(frozen=True, slots=True)
class Moved:
    """The branch is no longer at the commit the patch was verified on: nothing was delivered but the patch file."""

    reason: str
    head: str | None
    """Where the branch is now; None where it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What delivering needs.

    Attributes:
        keep: stores a file with the run and returns its place.
        apply: one line that applies the run's `{file}`; "" for `git apply` and its place.
    """

    run_id: str
    highest: Highest
    places: Places
    git: Git
    recorder: Recorder
    keep: Callable[[str, bytes], str]
    apply: str = ""

    def deliver(self, patch: Patch, text: CommitText) -> Delivered | Moved:
        """Raises GitError where the commit cannot be made."""
        file = self.keep(PATCH_FILE, patch.text)
        apply = self.apply.format(file=PATCH_FILE) or f"git apply {shlex.quote(file)}"
        if self.highest == "dry-run":
            return Delivered("dry-run", "", "", file, apply, ("a dry run was asked for",))
        fix = self._fix(patch, text)
        landed = self._landed(fix, Rung(self.highest))
        if isinstance(landed, HeadMoved):
            return self._moved(patch.base)
        pushed = landed.rung is Rung.PUSH
        target = self.places.forge.target() if pushed else None
        return Delivered(
            landed.rung.value,
            landed.commit if pushed else "",
            target.branch if target else "",
            file,
            apply,
            tuple(dict.fromkeys(passed.reason for passed in landed.passed)),
            landed.url,
            landed.patch if landed.rung is Rung.SUGGEST else "",
        )

    def _fix(self, patch: Patch, text: CommitText) -> Fix:
        commit = self.git.commit(patch.base, dict(patch.files), text)
        diff = self.git.diff(patch.base, commit, sorted(patch.files), DIFF_LIMIT)
        return Fix(
            run_id=self.run_id,
            head=patch.base,
            commit=commit,
            diff=diff.decode("utf-8", "surrogateescape"),
            title=text.subject,
            body=text.body,
            files=patch.files,
            modes=self._modes(patch),
        )

    def _modes(self, patch: Patch) -> dict[str, str]:
        """What decides whether GitHub could make this commit: the modes of its files, and where submodules lie."""
        entries = self.git.entries(patch.base)
        return {
            one.path: one.type.value for one in entries if one.path in patch.files or one.type is EntryType.SUBMODULE
        }

    def _landed(self, fix: Fix, wanted: Rung) -> Landed | HeadMoved:
        def announce(step: Step) -> None:
            self.recorder.record(
                Kind.DELIVERY_STARTED,
                rung=step.rung.value,
                commit=fix.commit,
                passed=[f"{passed.rung.value}: {passed.reason}" for passed in step.passed],
            )

        try:
            return deliver(self.places, fix, wanted, announce)
        except ForgeError as error:  # where the branch is cannot even be asked
            return Landed(Rung.PATCH, (Passed(wanted, str(error)),), patch=fix.diff)

    def _moved(self, expected: str) -> Moved:
        target = self.places.forge.target()
        try:
            now = self.places.forge.head()
        except ForgeError:
            now = None
        place = f"is now at {now[:12]}" if now else "is gone"
        return Moved(f"{target.branch if target else 'the branch'} {place}; this run worked on {expected[:12]}", now)
