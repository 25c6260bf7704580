"""Delivers one verified patch by the highest rung that holds: a push, else a patch file with a command to apply it.

The patch file is written in any case, so that whatever the remote says, nothing is lost.
"""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from autofix.delivery.patch import Patch
from autofix.errors import CannotPush
from autofix.intake.pull_request import PullRequest
from autofix.ports.forge import Forge
from autofix.ports.git import CommitText, Git
from autofix.state.events import Kind
from autofix.state.recorder import Recorder

PATCH_FILE = "fix.patch"
Rung = Literal["push", "patch", "dry-run"]


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
    """

    rung: Rung
    commit: str
    branch: str
    patch_file: str
    apply: str
    fell: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """The branch is no longer at the commit the run worked on: nothing was pushed."""

    reason: str
    patch_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What delivering needs.

    Attributes:
        keep: stores a file with the run and returns its place.
    """

    highest: Rung
    forge: Forge
    git: Git
    recorder: Recorder
    keep: Callable[[str, bytes], str]

    def deliver(self, patch: Patch, pull_request: PullRequest, text: CommitText) -> Delivered | Moved:
        place = self.keep(PATCH_FILE, patch.text)
        apply = f"git apply {shlex.quote(place)}"
        fallen = Delivered("patch", "", "", place, apply)
        if self.highest == "dry-run":
            return Delivered("dry-run", "", "", place, apply, ("a dry run was asked for",))
        if self.highest == "patch":
            self.recorder.record(Kind.DELIVERY_STARTED, rung="patch", commit="")
            return fallen
        return self._push(patch, pull_request, text, fallen)

    def _push(self, patch: Patch, pull_request: PullRequest, text: CommitText, fallen: Delivered) -> Delivered | Moved:
        target = self.forge.target()
        if target is None:
            return self._fall(fallen, self.forge.why_not())
        now = self.forge.head()
        if now != pull_request.head:
            return Moved(_moved(target.branch, pull_request.head, now), fallen.patch_file)
        commit = self.git.commit(pull_request.head, dict(patch.files), text)
        self.recorder.record(Kind.DELIVERY_STARTED, rung="push", commit=commit, branch=target.branch)
        try:
            self.forge.push(commit, pull_request.head)
        except CannotPush as error:
            if error.moved:
                return Moved(_moved(target.branch, pull_request.head, self.forge.head()), fallen.patch_file)
            return self._fall(fallen, str(error))
        return Delivered("push", commit, target.branch, fallen.patch_file, fallen.apply)

    def _fall(self, fallen: Delivered, why: str) -> Delivered:
        self.recorder.record(Kind.DELIVERY_STARTED, rung="patch", commit="", why=why)
        return Delivered("patch", "", "", fallen.patch_file, fallen.apply, (why,))


def _moved(branch: str, expected: str, now: str | None) -> str:
    place = f"is now at {now[:12]}" if now else "is gone"
    return f"{branch} {place}; this run worked on {expected[:12]}"
