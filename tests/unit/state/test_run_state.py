from datetime import UTC, datetime

import pytest

from autofix.errors import IllegalEvent
from autofix.state.events import MOVES, RUN_END_MOVES, Kind
from autofix.state.journal import Event
from autofix.state.machine import TABLE, Phase
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
    assert state == RunState(Phase.COMPLETED, "loop", 7, 1, 1, pushed="abc", outcome="fixed")


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


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("end", [*RUN_END_MOVES, "vanished", None])
def test_every_event_in_every_phase_moves_as_the_table_says_or_raises_and_changes_nothing(phase, kind, end):
    state = RunState(phase)
    (event,) = events((kind, {"phase": end}))
    move = RUN_END_MOVES.get(end) if kind is Kind.RUN_ENDED else MOVES.get(kind)
    tells = kind is not Kind.RUN_ENDED and kind not in MOVES
    if tells and not phase.ended:
        assert state.then(event).phase is phase
    elif move in TABLE[phase]:
        assert state.then(event).phase is TABLE[phase][move]
    else:
        with pytest.raises(IllegalEvent):
            state.then(event)
    assert state == RunState(phase)
