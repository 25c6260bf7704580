import pytest

from autofix.errors import IllegalEvent
from autofix.state.machine import TABLE, Move, Phase, after
from tests.diagrams import DOCUMENT, drawn, machine


def test_a_run_goes_from_ready_through_tools_to_its_end():
    phase = Phase.READY
    for move in (Move.START, Move.CALL_TOOL, Move.TOOL_ENDED, Move.COMPLETE):
        phase = after(phase, move)
    assert phase is Phase.COMPLETED


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("move", Move)
def test_every_pair_is_in_the_table_or_refused_by_name(phase, move):
    if move in TABLE[phase]:
        assert after(phase, move) is TABLE[phase][move]
    else:
        with pytest.raises(IllegalEvent, match=f"{phase.value} cannot {move.value}"):
            after(phase, move)


def test_nothing_leaves_an_end():
    assert all(not TABLE[phase] for phase in Phase if phase.ended)


def test_every_phase_can_be_reached_and_every_running_one_cancelled():
    reachable = {Phase.READY}
    for _ in Phase:
        reachable |= {target for phase in reachable for target in TABLE[phase].values()}
    assert reachable == set(Phase)
    assert all(Move.CANCEL in TABLE[phase] for phase in Phase if not phase.ended)


def test_the_diagram_of_the_document_is_the_table():
    text = DOCUMENT.read_text("utf-8")
    assert drawn(text) == text, "make diagrams"


def test_the_diagram_has_an_arrow_for_each_entry_and_one_into_and_out_of_the_machine():
    arrows = [line for line in machine().splitlines() if "-->" in line]
    assert len(arrows) == sum(map(len, TABLE.values())) + 1 + sum(phase.ended for phase in Phase)
