from datetime import UTC, datetime

import pytest

from autofix.errors import ModelRejected, ModelUnavailable
from autofix.loop.retry import Retry, RetryPolicy, call_with_retries
from autofix.ports.model import ModelReply, ModelRequest, TextBlock, Usage
from tests.fakes.model import ScriptedModel, Step, say

REQUEST = ModelRequest("m", "", (), (), 10)
CERTAIN = RetryPolicy(attempts=4, base=1.0, cap=30.0, jitter=lambda: 0.5)


class SleepingClock:
    """Time passes only by sleeping, and by `per_call` seconds each time it is asked."""

    def __init__(self, per_call: float = 0.0) -> None:
        self.at = 1000.0
        self.slept: list[float] = []
        self._per_call = per_call

    def now(self) -> datetime:
        return datetime(2026, 11, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        self.at += self._per_call
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


def run(*steps: Step, clock: SleepingClock | None = None, seconds: float = 600.0, policy: RetryPolicy = CERTAIN):
    """Outcome (reply or error), what was recorded, what was slept."""
    clock = clock or SleepingClock()
    records: list[Retry] = []
    try:
        outcome: ModelReply | Exception = call_with_retries(
            ScriptedModel(*steps),
            REQUEST,
            lambda _: None,
            clock=clock,
            deadline=clock.at + seconds,
            record=records.append,
            policy=policy,
        )
    except (ModelUnavailable, ModelRejected) as error:
        outcome = error
    return outcome, records, clock.slept


def test_a_first_success_records_and_waits_for_nothing() -> None:
    outcome, records, slept = run(say("hi"))

    assert (outcome.text, records, slept) == ("hi", [], [])


def test_a_failure_is_recorded_waited_for_and_tried_again() -> None:
    outcome, records, slept = run(ModelUnavailable("overloaded", status=529), say("hi"))

    assert outcome.text == "hi"
    assert records == [Retry(1, 529, "overloaded", Usage(), 0.5)]
    assert slept == [0.5]


def test_waits_double_up_to_the_cap() -> None:
    policy = RetryPolicy(attempts=7, base=1.0, cap=5.0, jitter=lambda: 1.0)

    _, _, slept = run(*[ModelUnavailable("busy")] * 6, say("hi"), policy=policy)

    assert slept == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


def test_jitter_is_full() -> None:
    assert RetryPolicy(jitter=lambda: 0.0).wait(5, None) == 0.0
    assert RetryPolicy(base=1, cap=100, jitter=lambda: 0.999).wait(5, None) == pytest.approx(15.984)


def test_many_failures_do_not_overflow() -> None:
    assert RetryPolicy(jitter=lambda: 1.0, cap=30.0).wait(10_000, None) == 30.0


def test_the_wait_the_server_asks_for_is_kept_without_jitter() -> None:
    _, records, slept = run(ModelUnavailable("busy", status=429, retry_after=17.0), say("hi"))

    assert slept == [17.0]
    assert records[0].wait == 17.0


@pytest.mark.parametrize("asked", [60.5, 3600.0])
def test_a_server_that_asks_for_too_long_is_given_up(asked: float) -> None:
    outcome, records, slept = run(ModelUnavailable("busy", status=429, retry_after=asked), say("never"))

    assert isinstance(outcome, ModelUnavailable)
    assert "busy" in str(outcome)
    assert f"asked to wait {asked:.0f} s" in str(outcome)
    assert (outcome.status, outcome.retry_after) == (429, asked)
    assert slept == []
    assert records[0].wait is None


def test_no_wait_reaches_the_deadline() -> None:
    outcome, records, slept = run(ModelUnavailable("busy", retry_after=30.0), say("never"), seconds=30.0)

    assert isinstance(outcome, ModelUnavailable)
    assert "the run's time ends in 30 s" in str(outcome)
    assert (slept, records[0].wait) == ([], None)


def test_the_deadline_counts_what_the_calls_themselves_took() -> None:
    outcome, records, slept = run(
        *[ModelUnavailable("busy", retry_after=1.0)] * 3,
        say("never"),
        clock=SleepingClock(per_call=40.0),
        seconds=100.0,
    )

    assert isinstance(outcome, ModelUnavailable)
    assert len(records) == 3
    assert slept == [1.0, 1.0]


def test_attempts_are_counted_and_the_last_failure_is_told() -> None:
    outcome, records, slept = run(*[ModelUnavailable(f"busy {n}", status=529) for n in range(1, 5)])

    assert isinstance(outcome, ModelUnavailable)
    assert "busy 4" in str(outcome)
    assert "4 attempts" in str(outcome)
    assert outcome.status == 529
    assert [record.attempt for record in records] == [1, 2, 3, 4]
    assert [record.wait is None for record in records] == [False, False, False, True]
    assert len(slept) == 3


def test_a_rejection_is_never_tried_again() -> None:
    outcome, records, slept = run(ModelRejected("no such model", status=404), say("never"))

    assert isinstance(outcome, ModelRejected)
    assert (records, slept) == ([], [])


def test_a_reply_that_ended_early_is_tried_again_and_its_usage_recorded() -> None:
    partial = ModelReply((TextBlock("I was"),), None, Usage(input=900, output=3))

    outcome, records, _ = run(partial, say("whole"))

    assert outcome.text == "whole"
    assert records[0].usage == Usage(input=900, output=3)
    assert "ended before" in records[0].reason


def test_replies_that_keep_ending_early_are_unavailable() -> None:
    outcome, records, _ = run(*[ModelReply((), None)] * 4)

    assert isinstance(outcome, ModelUnavailable)
    assert len(records) == 4


def test_a_failure_is_recorded_before_its_wait() -> None:
    clock = SleepingClock()
    order: list[str] = []
    clock.sleep = lambda _: order.append("slept")  # type: ignore[method-assign]

    call_with_retries(
        ScriptedModel(ModelUnavailable("busy"), say("hi")),
        REQUEST,
        lambda _: None,
        clock=clock,
        deadline=clock.at + 60,
        record=lambda _: order.append("recorded"),
        policy=CERTAIN,
    )

    assert order == ["recorded", "slept"]


def test_text_is_heard_from_every_attempt() -> None:
    heard: list[str] = []
    clock = SleepingClock()
    partial = ModelReply((TextBlock("half "),), None)

    call_with_retries(
        ScriptedModel(partial, say("whole")),
        REQUEST,
        heard.append,
        clock=clock,
        deadline=clock.at + 60,
        record=lambda _: None,
    )

    assert heard == ["half ", "whole"]
