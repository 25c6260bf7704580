"""A resumed run comes to its past again, event by event."""

from datetime import UTC, datetime
from typing import Any

import pytest

from autofix.errors import ResumeMismatch
from autofix.state.events import Kind
from autofix.state.history import History, replayable
from autofix.state.journal import Event


def events(*told: Kind | tuple[Kind, dict[str, Any]]) -> list[Event]:
    pairs = [one if isinstance(one, tuple) else (one, {}) for one in told]
    return [
        Event(number, datetime(2026, 1, 1, tzinfo=UTC), kind, 0, data) for number, (kind, data) in enumerate(pairs, 1)
    ]


def stage(name: str) -> tuple[Kind, dict[str, Any]]:
    return Kind.STAGE, {"name": name}


def resumed(after: int) -> tuple[Kind, dict[str, Any]]:
    return Kind.RESUMED, {"after": after}


def numbers(past: tuple[Event, ...]) -> list[int]:
    return [event.number for event in past]


def test_all_that_is_finished_counts() -> None:
    told = events(Kind.RUN_STARTED, stage("baseline"), Kind.CHECK_RAN, Kind.BASELINE, Kind.MODEL_CALLED)
    assert numbers(replayable(told)) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "stretch",
    [
        [stage("baseline"), Kind.CHECK_STARTED, Kind.CHECK_RAN],
        [stage("delivery"), Kind.DELIVERY_STARTED],
        [stage("delivery"), Kind.VERIFICATION_STARTED, Kind.VERIFIED, Kind.DELIVERY_STARTED],
        [Kind.VERIFICATION_STARTED, Kind.CHECK_RAN],
        [Kind.COMMENT_STARTED, Kind.COMMENTED],
    ],
)
def test_a_stretch_left_in_the_middle_is_begun_again(stretch: list[Any]) -> None:
    assert numbers(replayable(events(Kind.RUN_STARTED, *stretch))) == [1]


def test_a_tool_call_left_in_the_middle_stays_because_the_model_must_be_told_of_it() -> None:
    assert (
        numbers(replayable(events(Kind.RUN_STARTED, Kind.MODEL_CALLED, Kind.MODEL_REPLIED, Kind.TOOL_CALLED)))[-1] == 4
    )


def test_what_an_earlier_resumption_began_again_does_not_count_a_second_time() -> None:
    told = events(Kind.RUN_STARTED, stage("baseline"), resumed(1), stage("baseline"), Kind.BASELINE)
    assert numbers(replayable(told)) == [1, 3, 4, 5]


def test_a_run_killed_in_the_same_stretch_twice_goes_back_to_before_it() -> None:
    told = events(Kind.RUN_STARTED, stage("baseline"), resumed(1), stage("baseline"), Kind.CHECK_RAN)
    assert numbers(replayable(told)) == [1, 3]


def test_the_past_is_told_in_order_with_what_was_said_on_the_way() -> None:
    history, heard = History(events(Kind.RUN_STARTED, Kind.NOTE, Kind.CHECK_RAN, Kind.PLAN, Kind.NOTE)), []
    assert history.take(Kind.RUN_STARTED, heard.append)
    assert history.take(Kind.PLAN, heard.append)
    assert not history
    assert history.take(Kind.MODEL_CALLED, heard.append) is None
    assert numbers(tuple(heard)) == [1, 2, 3, 4, 5]


def test_a_run_that_goes_another_way_is_stopped_at_the_event_where_it_does() -> None:
    with pytest.raises(ResumeMismatch, match="event 1 of the journal is run_started, and the run came to plan"):
        History(events(Kind.RUN_STARTED)).take(Kind.PLAN, lambda _event: None)


def test_looking_ahead_takes_nothing() -> None:
    history = History(events(Kind.NOTE, Kind.TOOL_CALLED))
    assert history.ahead(Kind.TOOL_CALLED) == history.ahead(Kind.TOOL_CALLED)
    assert history.ahead(Kind.TOOL_ENDED) is None


def test_skipping_to_an_end_tells_what_lies_between() -> None:
    history, heard = History(events(Kind.CHECK_STARTED, Kind.CHECK_RAN, Kind.BASELINE)), []
    assert history.skip_to(Kind.BASELINE, heard.append) is history.ahead(Kind.BASELINE)
    assert numbers(tuple(heard)) == [1, 2]
    assert history.skip_to(Kind.DELIVERED, heard.append) is None
