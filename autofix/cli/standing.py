"""How a run stands, told by its directory alone: for other processes, while it runs and long after."""

import os
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from autofix.cli.run import default_state_directory
from autofix.errors import JournalError
from autofix.pipeline.order import RESULT_FILE
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.journal import Event, read
from autofix.state.machine import Phase
from autofix.state.run_state import RunState, fold
from autofix.world.owner import alive
from autofix.world.run_directory import RunDirectory


class Life(StrEnum):
    RUNNING = "running"
    WAITING = "waiting"
    """Nobody plays it: a person has to answer first."""
    ENDED = "ended"
    DEAD = "dead"
    """Its process is gone, and it has not come to an end: it was killed, or the machine went down."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run at one moment.

    Attributes:
        state: the fold of its journal; that of a run which has not begun where the journal cannot be read.
        last: its last event, None before there is one.
        failing: what failed at the last measurement, None before one.
        damage: why the journal cannot be read, "" where it can.
    """

    directory: RunDirectory
    life: Life
    state: RunState
    last: Event | None = None
    failing: int | None = None
    damage: str = ""
    expires: datetime | None = None
    """When its question may not be answered any more; None where it asks nothing."""

    @property
    def name(self) -> str:
        return self.directory.path.name

    @property
    def last_at(self) -> datetime | None:
        return self.last.at if self.last else None

    @property
    def line(self) -> str:
        """One line: where it is, or how it ended, and what can be done."""
        match self.life:
            case Life.ENDED:
                return f"ended: {self.state.outcome}"
            case Life.RUNNING:
                return f"running: {self.state.stage or 'preparing'}"
            case Life.WAITING:
                return f"waits for a person: {ask_for(self.name, self.state.question)}"
        if self.damage:
            return f"dead, and its journal is damaged: {self.damage}"
        if self.last is None:
            return "dead before it began: start a new run"
        return f"dead in {self.state.stage or 'its preparation'}: go on with `autofix resume {self.name}`"


def standing(directory: RunDirectory) -> Standing:
    """Read how it stands. Never raises for what a killed run left."""
    running = is_running(directory)  # before the journal: a run that ends meanwhile has a whole one then
    try:
        events = read(directory.journal).events if directory.journal.exists() else ()
        state = fold(events)
    except JournalError as error:
        return Standing(directory, Life.RUNNING if running else Life.DEAD, RunState(), damage=str(error))
    ended = state.phase.ended and (directory.path / RESULT_FILE).exists()
    waits = state.phase is Phase.WAITING_FOR_APPROVAL
    life = Life.ENDED if ended else Life.RUNNING if running else Life.WAITING if waits else Life.DEAD
    last = events[-1] if events else None
    return Standing(directory, life, state, last, _failing(events), expires=_expires(events) if waits else None)


def ask_for(name: str, question: str) -> str:
    """What a person types to answer."""
    return f"`autofix approve {name} {question}` or `autofix deny {name} {question}`"


def is_running(directory: RunDirectory) -> bool:
    """Whether the process that plays the run lives, or may live where it cannot be seen from here."""
    owner = directory.owner
    return bool(owner) and alive(owner)


def state_directory(taken: Taken, said: Path | None) -> Path:
    """Where runs are kept: what the command line says, from the caller's directory, or the usual place."""
    return Path(os.path.normpath(Path(taken.cwd) / said)) if said else default_state_directory(taken)


def _expires(events: tuple[Event, ...]) -> datetime | None:
    asked = next((event for event in reversed(events) if event.kind is Kind.APPROVAL_ASKED), None)
    return datetime.fromisoformat(str(asked.data["expires"])) if asked else None


def _failing(events: tuple[Event, ...]) -> int | None:
    for event in reversed(events):
        failing = event.data.get("failing") if event.kind is Kind.PROGRESS else None
        if isinstance(failing, int):
            return failing
    return None
