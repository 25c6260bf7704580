"""The delivery ladder for one patch: push, else suggest, else a stacked pull request, else the patch itself.

A run starts on the rung it was asked for and goes down only, past rungs that are known not to hold, and from a rung
that just failed; each rung left behind keeps its reason, because the comment tells them. The last rung always holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Rung(Enum):
    """Top to bottom. The values are the words of the input `delivery`."""

    PUSH = "push"
    SUGGEST = "suggest"
    PULL_REQUEST = "pull-request"
    PATCH = "patch"


_DOWN = tuple(Rung)


@dataclass(frozen=True, slots=True)
class Passed:
    """A rung not used, and why."""

    rung: Rung
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """Where delivery stands: the rung to try now, and those above it that were left, in order."""

    rung: Rung
    passed: tuple[Passed, ...] = ()


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """What is known before anything is delivered. Each text is a reason, "" where nothing stands in the way.

    Attributes:
        no_push: from admission and preflight: a fork, the default branch, a token that may not write.
        no_suggestions: no hunk lies inside the pull request's diff, or the token may not write reviews.
        no_pull_request: a fork (the head branch is not in this repository), or the token may not open one.
    """

    no_push: str = ""
    no_suggestions: str = ""
    no_pull_request: str = ""


def obstacles(facts: DeliveryFacts) -> Mapping[Rung, str]:
    known = {
        Rung.PUSH: facts.no_push,
        Rung.SUGGEST: facts.no_suggestions,
        Rung.PULL_REQUEST: facts.no_pull_request,
    }
    return {rung: reason for rung, reason in known.items() if reason}


def first_step(wanted: Rung, known: Mapping[Rung, str]) -> Step:
    """The highest rung, from `wanted` down, that nothing is known to forbid."""
    return _from(wanted, (), known)


def next_step(failed: Step, reason: str, known: Mapping[Rung, str]) -> Step:
    """The rung below one that was tried and refused."""
    if failed.rung is Rung.PATCH:
        raise ValueError("there is no rung below the patch")
    below = _DOWN[_DOWN.index(failed.rung) + 1]
    return _from(below, (*failed.passed, Passed(failed.rung, reason)), known)


def _from(rung: Rung, passed: tuple[Passed, ...], known: Mapping[Rung, str]) -> Step:
    for candidate in _DOWN[_DOWN.index(rung) :]:
        if candidate is Rung.PATCH or candidate not in known:
            return Step(candidate, passed)
        passed = (*passed, Passed(candidate, known[candidate]))
    raise AssertionError("the patch always holds")
