"""After a push the new commit's checks are waited for, within bounds."""

from collections.abc import Callable

import pytest

from autofix.delivery.follow import ChecksState, Followed, follow
from autofix.ports.github_checks import CheckRun
from tests.fakes.clock import FakeClock

COMMIT = "a" * 40


def check(id_: int, conclusion: str | None = "success", name: str = "") -> CheckRun:
    status = "completed" if conclusion else "in_progress"
    return CheckRun(id_, name or f"check {id_}", status, conclusion, "github-actions", "")


class Checks:
    """Checks that change as time goes by."""

    def __init__(self, clock: FakeClock, at: Callable[[float], tuple[CheckRun, ...]]) -> None:
        self._clock = clock
        self._at = at
        self.looks = 0

    def checks(self, sha: str) -> tuple[CheckRun, ...]:
        assert sha == COMMIT
        self.looks += 1
        return self._at(self._clock.seconds)


def followed(at: Callable[[float], tuple[CheckRun, ...]], seconds: float = 1800) -> tuple[Followed, FakeClock, int]:
    clock = FakeClock()
    door = Checks(clock, at)
    return follow(door, clock, COMMIT, seconds), clock, door.looks  # type: ignore[arg-type]


def test_checks_that_pass_are_waited_for():
    found, clock, _ = followed(lambda now: (check(1, "success" if now > 100 else None), check(2)))
    assert found == Followed(ChecksState.PASSED, (), 2, 2)
    assert 100 < clock.seconds < 300


def test_a_failing_check_is_named():
    found, _, _ = followed(lambda _: (check(1), check(2, "failure", "tests"), check(3, "timed_out", "slow")))
    assert found == Followed(ChecksState.FAILED, ("tests", "slow"), 3, 3)


@pytest.mark.parametrize("conclusion", ["neutral", "skipped", "cancelled", "action_required", "stale"])
def test_what_neither_passed_nor_failed_is_no_failure(conclusion):
    assert followed(lambda _: (check(1, conclusion),))[0].state is ChecksState.PASSED


def test_a_check_that_appears_late_is_not_missed():
    def at(now: float) -> tuple[CheckRun, ...]:
        return (check(1),) if now < 10 else (check(1), check(2, "failure" if now > 60 else None, "late"))

    assert followed(at)[0] == Followed(ChecksState.FAILED, ("late",), 2, 2)


def test_when_no_check_is_started_that_is_the_answer():
    found, clock, _ = followed(lambda _: ())
    assert found.state is ChecksState.NONE
    assert 180 <= clock.seconds < 300


def test_our_own_check_is_no_check():
    assert followed(lambda _: (check(1, "neutral", "autofix"),))[0].state is ChecksState.NONE


@pytest.mark.parametrize("seconds", [0, 10, 300, 1800])
def test_the_time_is_never_overdrawn(seconds):
    found, clock, looks = followed(lambda _: (check(1, None), check(2)), seconds)
    assert found == Followed(ChecksState.RUNNING, (), 1, 2)
    assert clock.seconds <= seconds
    assert looks <= 2 + seconds / 15
