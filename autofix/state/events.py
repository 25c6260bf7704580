"""What can stand on a journal: the kinds of events, and which of them move the machine."""

from enum import StrEnum

from autofix.state.machine import Move


class Kind(StrEnum):
    """The kinds of journal events. Those marked "before" are written before the deed they announce."""

    RUN_STARTED = "run_started"
    """before anything: the run's id, version, commits, configuration without secrets."""
    STAGE = "stage"
    """before: a stage of the pipeline begins."""
    CHECK_STARTED = "check_started"
    """before: a check runs in a sandbox."""
    CHECK_RAN = "check_ran"
    BASELINE = "baseline"
    CI_EVIDENCE = "ci_evidence"
    """what CI itself showed of the failure."""
    PLAN = "plan"
    """a version of the plan is in force."""
    TASK_STARTED = "task_started"
    MODEL_CALLED = "model_called"
    """before: a request is paid for."""
    MODEL_RETRIED = "model_retried"
    MODEL_REPLIED = "model_replied"
    TOOL_CALLED = "tool_called"
    """before: a call, every layer's verdict on it, and the hash of what will run."""
    TOOL_ENDED = "tool_ended"
    APPROVAL_ASKED = "approval_asked"
    """before: a person is asked whether something may be done; until the answer the run waits."""
    APPROVAL_ANSWERED = "approval_answered"
    """a person's word, and whose."""
    PROGRESS = "progress"
    """a measured attempt: the failing count and the best so far."""
    TASK_ENDED = "task_ended"
    END_ASKED = "end_asked"
    """the Stop hooks were asked whether the task may end: `blocked` is the first objection, "" for none."""
    VERIFICATION_STARTED = "verification_started"
    """before: a fresh tree and sandbox are made."""
    VERIFIED = "verified"
    DELIVERY_STARTED = "delivery_started"
    """before: a push or a patch file."""
    DELIVERED = "delivered"
    COMMENT_STARTED = "comment_started"
    """before: the comment is written."""
    COMMENTED = "commented"
    RESUMED = "resumed"
    """before anything else a new process does: `after` is the last event it took over; what follows that was left in
    the middle, and is begun again."""
    PAUSED = "paused"
    """the run has told whom it waits for; its process ends, and another one goes on when there is an answer."""
    NOTE = "note"
    """something odd a reader should know."""
    RUN_ENDED = "run_ended"


REPORTS = frozenset({Kind.CHECK_RAN, Kind.MODEL_REPLIED, Kind.TOOL_ENDED, Kind.PROGRESS})
"""Events that tell of something that is over: the sync of whatever is announced next makes them durable too."""

RUN_END_MOVES = {"completed": Move.COMPLETE, "failed": Move.FAIL, "cancelled": Move.CANCEL}
"""The `phase` of a RUN_ENDED event -> its move."""

MOVES = {
    Kind.RUN_STARTED: Move.START,
    Kind.TOOL_CALLED: Move.CALL_TOOL,
    Kind.TOOL_ENDED: Move.TOOL_ENDED,
    Kind.APPROVAL_ASKED: Move.ASK_PERSON,
    Kind.APPROVAL_ANSWERED: Move.PERSON_ANSWERED,
}
"""Events that move the machine, besides RUN_ENDED; all others leave the phase as it is."""
