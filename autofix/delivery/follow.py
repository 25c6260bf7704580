"""After a push: waits, not for ever, until the new commit's checks have ended, and says how.

Checks appear one by one, minutes after a push, and a check that nobody started looks like one that is late. So an end
is believed when two looks in a row saw the same checks, all of them ended.
"""

from dataclasses import dataclass
from enum import Enum

from autofix.ports.clock import Clock
from autofix.ports.github_checks import CheckRun, FailedChecks

OWN_CHECK = "autofix"
"""The name our own annotations are reported under; it says nothing about the commit."""

_FIRST_LOOK = 15.0
"""Seconds; looks then come half as often again each time, a minute apart at most: an unchanged one costs no quota."""

_LONGEST_GAP = 60.0

_NOTHING_AFTER = 180.0
"""Seconds without any check before we say that none was started; a queued workflow shows up within one or two."""


class ChecksState(Enum):
    PASSED = "passed"
    FAILED = "failed"
    RUNNING = "running"
    """Some had not ended when the time was over."""
    NONE = "none"
    """No check was started: what a push with GITHUB_TOKEN looks like."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How the checks of a commit stand; `failing` names those that failed, untrusted text."""

    state: ChecksState
    failing: tuple[str, ...] = ()
    ended: int = 0
    total: int = 0


def follow(github: FailedChecks, clock: Clock, commit: str, seconds: float) -> Followed:
    """Look again and again for at most `seconds`.

    Raises:
        ForgeError: the checks cannot be read.
    """
    start = clock.monotonic()
    gap = _FIRST_LOOK
    before: frozenset[int] | None = None
    while True:
        checks = _others(github.checks(commit))
        now = judge(checks)
        seen = frozenset(check.id for check in checks)
        spent = clock.monotonic() - start
        settled = now.state in {ChecksState.PASSED, ChecksState.FAILED} and seen == before
        given_up = now.state is ChecksState.NONE and spent >= _NOTHING_AFTER
        if settled or given_up or spent + gap > seconds:
            return now
        before = seen
        clock.sleep(gap)
        gap = min(gap * 1.5, _LONGEST_GAP)


def judge(checks: tuple[CheckRun, ...]) -> Followed:
    """One look, judged."""
    if not checks:
        return Followed(ChecksState.NONE)
    ended = sum(check.status == "completed" for check in checks)
    failing = tuple(check.name for check in checks if check.failing)
    state = ChecksState.RUNNING
    if ended == len(checks):
        state = ChecksState.FAILED if failing else ChecksState.PASSED
    return Followed(state, failing, ended, len(checks))


def _others(checks: tuple[CheckRun, ...]) -> tuple[CheckRun, ...]:
    return tuple(check for check in checks if check.name != OWN_CHECK)
