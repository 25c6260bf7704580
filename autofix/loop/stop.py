"""When a task ends, as functions in order: each says why, or None.

They are asked before a model call is paid for. A limit reached is never a success.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from autofix.harness.tools import ScopeRequest
from autofix.loop.budget import Budget
from autofix.loop.outcome import Judgement, Stopped
from autofix.loop.progress import Progress
from autofix.state.outcome import Outcome


@dataclass(slots=True)
class Standing:
    """What the conditions look at; kept up to date by the turn loop.

    Attributes:
        scope_request: the model asked for a path that is not in scope.
        withheld: edits the harness held back because only a person may allow them, in words.
        judgement: the last verdict on a claim to be done.
    """

    scope_request: ScopeRequest | None = None
    withheld: list[str] | None = None
    judgement: Judgement | None = None

    def blame(self) -> Stopped | None:
        """A better reason than "no progress" for an end without a fix; None where there is none."""
        if self.judgement is not None and self.judgement.blame is not Outcome.NO_PROGRESS:
            return Stopped(self.judgement.blame, self.judgement.evidence)
        if self.withheld:
            return Stopped(Outcome.BLOCKED, f"the fix needs what only a person may allow: {self.withheld[-1]}")
        return None


class Looked(Protocol):
    """The parts of a turn loop that the conditions see."""

    @property
    def budget(self) -> Budget: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def standing(self) -> Standing: ...


Condition = Callable[[Looked], Stopped | None]


def scope_requested(task: Looked) -> Stopped | None:
    asked = task.standing.scope_request
    if asked is None:
        return None
    return Stopped(
        Outcome.OUT_OF_SCOPE, f"the model asks to change {asked.path}, which is out of scope: {asked.reason}"
    )


def person_needed(task: Looked) -> Stopped | None:
    judgement = task.standing.judgement
    if judgement is None or not judgement.person_needed:
        return None
    return Stopped(judgement.blame, judgement.evidence)


def no_progress(task: Looked) -> Stopped | None:
    reason = task.progress.stop_reason()
    if reason is None:
        return None
    return task.standing.blame() or Stopped(Outcome.NO_PROGRESS, reason)


def limit_reached(task: Looked) -> Stopped | None:
    reason = task.budget.reached()
    return Stopped(Outcome.BUDGET_EXCEEDED, reason) if reason else None


CONDITIONS: tuple[Condition, ...] = (scope_requested, person_needed, no_progress, limit_reached)


def first_stop(task: Looked) -> Stopped | None:
    """The first condition that ends the task."""
    return next((stopped for condition in CONDITIONS if (stopped := condition(task))), None)
