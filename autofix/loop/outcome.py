"""How a task can end, and what the judge says of a tree. An expected end is a value, not an error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autofix.checks.result import CheckResult
from autofix.state.outcome import Outcome

if TYPE_CHECKING:
    from autofix.checks.verify import Verification


@dataclass(frozen=True, slots=True)
class Finished:
    """The tree's patch was verified in a fresh tree; the judge keeps it."""

    verification: "Verification"


@dataclass(frozen=True, slots=True)
class Stopped:
    """The task ended without a verified patch."""

    outcome: Outcome
    reason: str


Ended = Finished | Stopped


@dataclass(frozen=True, slots=True)
class Judgement:
    """What verification made of the tree as it stands.

    Attributes:
        finished: the patch and its verification, when it was accepted.
        evidence: what the model reads when it was not.
        results: what the checks showed (whole pictures), () where they did not run.
        blame: the outcome this judgement would give the run if it ended here.
        person_needed: going on cannot help: only a person can decide.
    """

    finished: Finished | None
    evidence: str
    results: tuple[CheckResult, ...] = ()
    blame: Outcome = Outcome.NO_PROGRESS
    person_needed: bool = False


Judge = Callable[[], Judgement]
"""Builds the patch from the scope, runs the whole check in a fresh tree and sandbox, and compares."""
