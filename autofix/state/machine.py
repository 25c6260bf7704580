"""The phases of a run, as a table.

A run is READY until its first stage starts. While it is RUNNING the harness decides what to do next: call the model,
measure, verify, deliver. Before a tool acts, the run is WAITING_FOR_TOOL: from then until the tool's result is on the
journal, what the tool did is unknown, and a run that dies there must say so when it is resumed. A verdict that needs
a person puts the run into WAITING_FOR_APPROVAL, from which an answer brings it back. A run ends once, as COMPLETED
(an outcome was reached, good or bad), FAILED (an error ended it) or CANCELLED (somebody did); nothing leaves an end.

All that moves the machine is in the table below. An event without an entry raises and changes nothing.
"""

from enum import Enum

from autofix.errors import IllegalEvent


class Phase(Enum):
    READY = "ready"
    RUNNING = "running"
    WAITING_FOR_TOOL = "waiting_for_tool"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        return self in {Phase.COMPLETED, Phase.FAILED, Phase.CANCELLED}


class Move(Enum):
    """What can happen to a run."""

    START = "start"
    CALL_TOOL = "call_tool"
    TOOL_ENDED = "tool_ended"
    ASK_PERSON = "ask_person"
    PERSON_ANSWERED = "person_answered"
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"


TABLE: dict[Phase, dict[Move, Phase]] = {
    Phase.READY: {
        Move.START: Phase.RUNNING,
        Move.FAIL: Phase.FAILED,
        Move.CANCEL: Phase.CANCELLED,
    },
    Phase.RUNNING: {
        Move.CALL_TOOL: Phase.WAITING_FOR_TOOL,
        Move.ASK_PERSON: Phase.WAITING_FOR_APPROVAL,
        Move.COMPLETE: Phase.COMPLETED,
        Move.FAIL: Phase.FAILED,
        Move.CANCEL: Phase.CANCELLED,
    },
    Phase.WAITING_FOR_TOOL: {
        Move.TOOL_ENDED: Phase.RUNNING,
        Move.FAIL: Phase.FAILED,
        Move.CANCEL: Phase.CANCELLED,
    },
    Phase.WAITING_FOR_APPROVAL: {
        Move.PERSON_ANSWERED: Phase.RUNNING,
        Move.COMPLETE: Phase.COMPLETED,
        Move.FAIL: Phase.FAILED,
        Move.CANCEL: Phase.CANCELLED,
    },
    Phase.COMPLETED: {},
    Phase.FAILED: {},
    Phase.CANCELLED: {},
}


def after(phase: Phase, move: Move) -> Phase:
    """The phase that follows.

    Raises:
        IllegalEvent: the table has no such entry.
    """
    try:
        return TABLE[phase][move]
    except KeyError:
        raise IllegalEvent(f"a run that is {phase.value} cannot {move.value}") from None
