"""What a resumed run has behind it: the part of its journal that is played again, event by event.

A run is resumed by running it again. Where it comes to an event that stands on its journal, the event is not written
anew and what it announces is not done again: its result is taken from the record. Where the record ends, the run goes
on. So there is one way through a run, and a resumed one cannot take another.

Not everything is taken from the record. A stretch that was left in the middle (the baseline, a verification, a
delivery, the comment) is begun again from its start: it either changes nothing outside its own sandbox, or finds out
itself what has been done already. A tool call that was left in the middle is not begun again: see
`harness/dispatch.py`. A question that no person has answered is the end of the past: what the run did after it was to
say that it waits.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from autofix.errors import ResumeMismatch
from autofix.state.events import Kind
from autofix.state.journal import Event

ASIDE = frozenset({Kind.NOTE, Kind.CHECK_STARTED, Kind.CHECK_RAN, Kind.RESUMED})
"""Kinds told on the way: a run that is played again does not come to them in the same order, and need not."""

_STRETCHES = {
    (Kind.STAGE, "baseline"): Kind.BASELINE,
    (Kind.STAGE, "delivery"): Kind.DELIVERED,
    (Kind.VERIFICATION_STARTED, None): Kind.VERIFIED,
    (Kind.COMMENT_STARTED, None): Kind.RUN_ENDED,
}
"""How a stretch begins -> how it ends."""


def replayable(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events that still count, without a stretch at the end that was left in the middle."""
    past = _in_force(events)
    begun: int | None = None
    end: Kind | None = None
    for place, event in enumerate(past):
        if event.kind is Kind.APPROVAL_ASKED and not _answered(past[place + 1 :]):
            return past[: place + 1]
        if end is None:
            end = _stretch_end(event)
            begun = None if end is None else place
        elif event.kind is end:
            begun, end = None, None
    return past[:begun]


def _in_force(events: Iterable[Event]) -> tuple[Event, ...]:
    """Without what an earlier resumption began again."""
    past: list[Event] = []
    for event in events:
        if event.kind is Kind.RESUMED:
            after = event.data["after"]
            past = [one for one in past if one.number <= after] if isinstance(after, int) else past
        past.append(event)
    return tuple(past)


def _answered(later: Sequence[Event]) -> bool:
    """Whether the question before these events was answered: the next word on questions is the answer."""
    words = (event.kind for event in later if event.kind in {Kind.APPROVAL_ASKED, Kind.APPROVAL_ANSWERED})
    return next(words, None) is Kind.APPROVAL_ANSWERED


def _stretch_end(event: Event) -> Kind | None:
    name = event.data.get("name")
    return _STRETCHES.get((event.kind, name if isinstance(name, str) and event.kind is Kind.STAGE else None))


def seconds_spent(events: Sequence[Event]) -> float:
    """How long the run has been at work: from first to last event of each process that worked on it."""
    spent, began, last = 0.0, None, None
    for event in events:
        if began is None or event.kind is Kind.RESUMED:
            spent += (last - began).total_seconds() if began and last else 0.0
            began = event.at
        last = event.at
    return max(0.0, spent + ((last - began).total_seconds() if began and last else 0.0))


class History:
    """The past of a run, consumed as the run comes to it again. Empty for a run that starts.

    `torn` is what was cut from the journal's end, in words.
    """

    def __init__(self, events: Sequence[Event] = (), torn: str = "") -> None:
        self._left = deque(events)
        self.torn = torn
        self.last = events[-1].number if events else 0
        """Number of the last event that counts."""

    def __bool__(self) -> bool:
        """Whether anything is left that the run has not come to yet."""
        return any(event.kind not in ASIDE for event in self._left)

    def ahead(self, kind: Kind) -> Event | None:
        """The event the run comes to next, where it is of this kind."""
        following = next((event for event in self._left if event.kind not in ASIDE), None)
        return following if following is not None and following.kind is kind else None

    def take(self, kind: Kind, tell: Callable[[Event], None]) -> Event | None:
        """The event the run has come to, and what was told on the way to it; None where the past is over.

        Raises:
            ResumeMismatch: the past holds another one here.
        """
        if kind in ASIDE and self:
            return self._left[0]  # told when its own turn comes
        while self._left:
            event = self._left.popleft()
            if event.kind not in ASIDE and event.kind is not kind:
                raise ResumeMismatch(
                    f"event {event.number} of the journal is {event.kind.value}, and the run came to {kind.value}"
                    " instead: resume it with the version, the repository and the configuration it was started with"
                )
            tell(event)
            if event.kind not in ASIDE:
                return event
        return None

    def skip_to(self, kind: Kind, tell: Callable[[Event], None]) -> Event | None:
        """The next event of this kind, all before it told; None, and nothing told, where there is none."""
        if not any(event.kind is kind for event in self._left):
            return None
        while self._left[0].kind is not kind:
            tell(self._left.popleft())
        return self._left[0]
