"""What is known of a run: the fold of its journal, one event at a time."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from autofix.errors import IllegalEvent
from autofix.state.events import MOVES, RUN_END_MOVES, Kind
from autofix.state.journal import Event
from autofix.state.machine import Phase, after


@dataclass(frozen=True, slots=True)
class RunState:
    """A run at one moment.

    Attributes:
        phase: where it is in the machine.
        stage: the pipeline's stage that began last.
        events: how many events it has seen.
        model_calls, tool_calls: how many were announced.
        open_call: id of the tool call whose result is unknown, "" when there is none.
        question: id of what a person was asked and has not answered, "" when there is none.
        pushed: commit whose push was announced, "" when there is none.
        outcome: set by the end.
    """

    phase: Phase = Phase.READY
    stage: str = ""
    events: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    open_call: str = ""
    question: str = ""
    pushed: str = ""
    outcome: str = ""

    def then(self, event: Event) -> "RunState":
        """The state after `event`; IllegalEvent where the machine has no such transition."""
        return replace(self, events=self.events + 1, phase=self._phase_after(event), **self._news_of(event))

    def _news_of(self, event: Event) -> dict[str, Any]:
        data = event.data
        news: dict[str, Any] = {}
        match event.kind:
            case Kind.STAGE:
                news = {"stage": str(data.get("name", ""))}
            case Kind.MODEL_CALLED:
                news = {"model_calls": self.model_calls + 1}
            case Kind.TOOL_CALLED:
                news = {"tool_calls": self.tool_calls + 1, "open_call": str(data.get("id", ""))}
            case Kind.TOOL_ENDED:
                news = {"open_call": ""}
            case Kind.APPROVAL_ASKED:
                news = {"question": str(data.get("id", ""))}
            case Kind.APPROVAL_ANSWERED:
                news = {"question": ""}
            case Kind.DELIVERY_STARTED:
                news = {"pushed": str(data.get("commit", ""))}
            case Kind.RUN_ENDED:
                news = {"outcome": str(data.get("outcome", ""))}
        return news

    def _phase_after(self, event: Event) -> Phase:
        if event.kind is Kind.RUN_ENDED:
            move = RUN_END_MOVES.get(str(event.data.get("phase")))
            if move is None:
                raise IllegalEvent(f"event {event.number}: a run cannot end as {event.data.get('phase')!r}")
            return after(self.phase, move)
        if event.kind in MOVES:
            return after(self.phase, MOVES[event.kind])
        if self.phase.ended:
            raise IllegalEvent(f"event {event.number} ({event.kind.value}) comes after the run's end")
        return self.phase


def fold(events: Iterable[Event]) -> RunState:
    state = RunState()
    for event in events:
        state = state.then(event)
    return state
