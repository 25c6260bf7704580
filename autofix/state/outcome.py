"""How a run can end: one enum for the exit code, the outputs, the comment and the journal."""

from enum import Enum


class Outcome(Enum):
    """The end of a run. `value` is what machines read; `exit_code` is the command line's."""

    FIXED = "fixed"
    NOTHING_TO_FIX = "nothing_to_fix"
    FLAKY = "flaky"
    PREEXISTING = "preexisting"
    INFRASTRUCTURE = "infrastructure"
    NO_PROGRESS = "no_progress"
    BUDGET_EXCEEDED = "budget_exceeded"
    OUT_OF_SCOPE = "out_of_scope"
    AWAITING_APPROVAL = "awaiting_approval"
    TAMPERING = "tampering"
    REFUSED = "refused"
    """The model declined: a prompt's problem."""
    BLOCKED = "blocked"
    """The harness denied what the fix needs: a rule's problem."""
    DIAGNOSIS = "diagnosis"
    """Plan mode: the model looked, nothing was edited."""
    SUPERSEDED = "superseded"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    ERROR = "error"

    @property
    def exit_code(self) -> int:
        return _EXIT_CODES.get(self, ESCALATED)

    @property
    def escalates(self) -> bool:
        """A person has to take over."""
        return self.exit_code == ESCALATED


ESCALATED = 10
_EXIT_CODES = {
    Outcome.FIXED: 0,
    Outcome.NOTHING_TO_FIX: 0,
    Outcome.ERROR: 1,
    Outcome.AWAITING_APPROVAL: 11,
    Outcome.CANCELLED: 12,
    Outcome.SKIPPED: 13,
    Outcome.SUPERSEDED: 13,
}
