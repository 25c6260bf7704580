"""Trying a model call again: when, after what wait, and when to give up.

The doors make one attempt per call. Here is the policy (pure) and the runner that acts through the clock it is given.
Every failed attempt is recorded before the wait it leads to, so that the journal and the budget see what it cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import random

from autofix.errors import ModelUnavailable
from autofix.ports.clock import Clock
from autofix.ports.model import Model, ModelReply, ModelRequest, Usage

_LONGEST_REQUESTED_WAIT = 60.0  # seconds; a server that asks for more is down for this run's purposes

_ENDED_EARLY = "the model's stream ended before its message did"


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with full jitter.

    Attributes:
        attempts: calls in all, the first included.
        base: seconds of the first wait's upper bound; it doubles with each attempt.
        cap: seconds no backoff exceeds.
        jitter: draws from [0, 1).
    """

    attempts: int = 6
    base: float = 1.0
    cap: float = 30.0
    jitter: Callable[[], float] = random

    def wait(self, failed: int, retry_after: float | None) -> float:
        """Seconds before the next attempt after `failed` ones: what the server asked for, or a drawn backoff."""
        if retry_after is not None:
            return max(0.0, retry_after)
        ceiling = min(self.cap, self.base * 2.0 ** min(failed - 1, 30))
        return ceiling * self.jitter()


@dataclass(frozen=True, slots=True)
class Retry:
    """One failed attempt, for the journal.

    Attributes:
        attempt: counted from 1.
        usage: what the attempt is known to have used; it is paid for although nothing came of it.
        wait: seconds until the next attempt; None where this was the last.
    """

    attempt: int
    status: int | None
    reason: str
    usage: Usage
    wait: float | None


def call_with_retries(
    model: Model,
    request: ModelRequest,
    on_text: Callable[[str], None],
    *,
    clock: Clock,
    deadline: float,
    record: Callable[[Retry], None],
    policy: RetryPolicy | None = None,
) -> ModelReply:
    """The first whole reply; its stop reason is never None.

    Args:
        model: the door; each attempt is one call of it.
        request: the same for every attempt.
        on_text: hears the text of failed attempts too, as it streamed before they failed.
        clock: measures the deadline and sleeps.
        deadline: by `clock.monotonic()`; no wait reaches beyond it.
        record: told of each failed attempt before the wait.
        policy: None for the default one.

    Raises:
        ModelUnavailable: the last failure, with why there was no further attempt.
        ModelRejected: passed on at once; the same request cannot succeed.
    """
    policy = policy or RetryPolicy()
    attempt = 0
    while True:
        attempt += 1
        usage = Usage()
        try:
            reply = model.reply(request, on_text)
        except ModelUnavailable as error:
            failure = error
        else:
            if reply.stop_reason is not None:
                return reply
            failure, usage = ModelUnavailable(_ENDED_EARLY), reply.usage
        wait = policy.wait(attempt, failure.retry_after)
        obstacle = _obstacle(policy, attempt, wait, deadline - clock.monotonic())
        record(Retry(attempt, failure.status, str(failure), usage, None if obstacle else wait))
        if obstacle:
            raise ModelUnavailable(
                f"{failure}; {obstacle}", status=failure.status, retry_after=failure.retry_after
            ) from failure
        clock.sleep(wait)


def _obstacle(policy: RetryPolicy, attempt: int, wait: float, left: float) -> str:
    """Why there is no further attempt; "" where there is one."""
    if attempt >= policy.attempts:
        return f"given up after {attempt} attempts"
    if wait > _LONGEST_REQUESTED_WAIT:
        return (
            f"given up: the server asked to wait {wait:.0f} s, longer than the {_LONGEST_REQUESTED_WAIT:.0f} s allowed"
        )
    if wait >= left:
        return f"given up: the next attempt is due in {wait:.0f} s, the run's time ends in {max(0.0, left):.0f} s"
    return ""
