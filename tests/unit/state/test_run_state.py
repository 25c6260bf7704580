from datetime import UTC, datetime

import pytest

from autofix.errors import IllegalEvent
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.machine import Phase
from autofix.state.run_state import RunState, fold


def events(*told):
    return [
        Event(number, datetime(2026, 1, 1, tzinfo=UTC), kind, 0, data)
        for number, (kind, data) in enumerate(told, start=1)
    ]


def test_the_state_is_the_fold_of_the_events():
    state = fold(
        events(
            (Kind.RUN_STARTED, {}),
            (Kind.STAGE, {"name": "loop"}),
            (Kind.MODEL_CALLED, {}),
            (Kind.TOOL_CALLED, {"id": "toolu_1"}),
            (Kind.TOOL_ENDED, {"id": "toolu_1"}),
            (Kind.DELIVERY_STARTED, {"commit": "abc"}),
            (Kind.RUN_ENDED, {"phase": "completed", "outcome": "fixed"}),
        )
    )
    assert state == RunState(Phase.COMPLETED, "loop", 7, 1, 1, "", "abc", "fixed")


def test_a_call_without_a_result_stays_open():
    state = fold(events((Kind.RUN_STARTED, {}), (Kind.TOOL_CALLED, {"id": "toolu_9"})))
    assert state.open_call == "toolu_9"
    assert state.phase is Phase.WAITING_FOR_TOOL


@pytest.mark.parametrize(
    "told",
    [
        [(Kind.TOOL_CALLED, {"id": "x"})],
        [(Kind.RUN_STARTED, {}), (Kind.RUN_STARTED, {})],
        [(Kind.RUN_STARTED, {}), (Kind.TOOL_ENDED, {})],
        [(Kind.RUN_STARTED, {}), (Kind.RUN_ENDED, {"phase": "vanished"})],
        [(Kind.RUN_STARTED, {}), (Kind.RUN_ENDED, {"phase": "completed"}), (Kind.NOTE, {"text": "late"})],
    ],
)
def test_an_illegal_event_raises_and_changes_nothing(told):
    *before, last = events(*told)
    state = fold(before)
    with pytest.raises(IllegalEvent):
        state.then(last)
    assert state == fold(before)
