"""What a run may spend, and what it has spent: turns, tokens, money, time, calls.

Money is counted in exact micro-dollars. A share of time is kept back, so that verification and the report always run.
"""

from dataclasses import dataclass
from decimal import Decimal

from autofix.loop.prices import Price, cost
from autofix.ports.clock import Clock
from autofix.ports.model import Usage

TIME_KEPT_BACK = 0.15
"""Share of the wall clock that only verification, delivery and report may use, at least."""
MOST_KEPT_BACK = 0.5
"""Share at most: the loop must have a chance."""
_SLACK = 20.0
"""Seconds for a fresh tree, a fresh sandbox, the push and the comment."""


def kept_back(seconds: float, check_seconds: float) -> float:
    """Seconds of a run kept back for its end, when its checks took `check_seconds` at the head."""
    return min(MOST_KEPT_BACK * seconds, max(TIME_KEPT_BACK * seconds, 1.5 * check_seconds + _SLACK))


@dataclass(frozen=True, slots=True)
class Limits:
    """Where to stop. `usd` of zero is no limit of money; seconds are of the whole run."""

    turns: int
    usd: Decimal
    seconds: float
    tool_calls: int
    input_tokens: int
    output_tokens: int
    invalid_calls: int
    output_tokens_per_call: int


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used so far."""

    turns: int
    usd: Decimal
    seconds: float
    tool_calls: int
    usage: Usage


class Budget:
    """The account of one run. Asked before anything is paid for, told after."""

    def __init__(
        self,
        limits: Limits,
        price: Price | None,
        clock: Clock,
        *,
        started: float | None = None,
        keep: float | None = None,
    ) -> None:
        """Open the account.

        Args:
            limits: of the whole run.
            price: None where it is not known; then no money is counted.
            clock: measures the run.
            started: when the run started, by the clock; now where it is not given.
            keep: seconds kept back for the run's end; a share of the limit where it is not given.
        """
        self._limits = limits
        self._price = price
        self._clock = clock
        self._started = clock.monotonic() if started is None else started
        self._kept_back = TIME_KEPT_BACK * limits.seconds if keep is None else keep
        self._turns = 0
        self._tool_calls = 0
        self._invalid_in_a_row = 0
        self._usage = Usage()
        self._usd = Decimal(0)

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def priced(self) -> bool:
        """Whether `spent.usd` means anything: the model's price is known."""
        return self._price is not None

    @property
    def spent(self) -> Spent:
        return Spent(self._turns, self._usd, self._elapsed(), self._tool_calls, self._usage)

    @property
    def loop_deadline(self) -> float:
        """When the loop must have ended, by the monotonic clock; what follows is kept back."""
        return self._started + self._limits.seconds - self._kept_back

    def loop_seconds_left(self) -> float:
        return max(0.0, self.loop_deadline - self._clock.monotonic())

    def spend_call(self, usage: Usage) -> None:
        """Account for a model call that gave a reply."""
        self._turns += 1
        self.spend_tokens(usage)

    def spend_tokens(self, usage: Usage) -> None:
        """Account for what a call used; a call that failed halfway is paid for, too."""
        self._usage += usage
        if self._price is not None:
            self._usd += cost(usage, self._price)

    def spend_tool(self, *, valid: bool) -> None:
        self._tool_calls += 1
        self._invalid_in_a_row = 0 if valid else self._invalid_in_a_row + 1

    def reached(self) -> str | None:
        """The limit that is reached, in words; None while there is something left of all."""
        limits = self._limits
        table = (
            (self._turns >= limits.turns, f"{limits.turns} turns"),
            (limits.usd > 0 and self._usd >= limits.usd, f"{limits.usd} USD"),
            (self._clock.monotonic() >= self.loop_deadline, f"{limits.seconds / 60:g} minutes"),
            (self._tool_calls >= limits.tool_calls, f"{limits.tool_calls} tool calls"),
            (self._usage.total_input >= limits.input_tokens, f"{limits.input_tokens} input tokens"),
            (self._usage.output >= limits.output_tokens, f"{limits.output_tokens} output tokens"),
            (self._invalid_in_a_row >= limits.invalid_calls, f"{limits.invalid_calls} invalid tool calls in a row"),
        )
        return next((f"the limit of {words} is reached" for hit, words in table if hit), None)

    def _elapsed(self) -> float:
        return self._clock.monotonic() - self._started
