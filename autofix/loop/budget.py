"""What a run may spend, and what it has spent: turns, tokens, money, time, calls.

Budgets are a tree: a child has limits of its own and draws on its parent, so that what any of them spends counts all
the way up, and nobody goes on when one above is used up. The pull request's life is the root, the run its child.
Money is counted in exact micro-dollars. A share of time is kept back, so that verification and the report always run.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

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
    """One account. Asked before anything is paid for, told after."""

    def __init__(
        self,
        limits: Limits,
        price: Price | None,
        clock: Clock,
        *,
        started: float | None = None,
        keep: float | None = None,
        parent: "Budget | None" = None,
        name: str = "",
    ) -> None:
        """Open the account.

        Args:
            limits: of this account alone.
            price: None where it is not known; then no money is counted.
            clock: measures the run.
            started: when the run started, by the clock; now where it is not given.
            keep: seconds kept back for the run's end; a share of the limit where it is not given.
            parent: what this account draws on.
            name: whose it is, for the reason; "" for the run's own.
        """
        self._parent = parent
        self._name = f" of {name}" if name else ""
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

    @classmethod
    def of_money(cls, name: str, usd: Decimal, price: Price | None, clock: Clock) -> Self:
        """An account that limits money alone."""
        most = 2**63
        limits = Limits(
            turns=most,
            usd=usd,
            seconds=math.inf,
            tool_calls=most,
            input_tokens=most,
            output_tokens=most,
            invalid_calls=most,
            output_tokens_per_call=most,
        )
        return cls(limits, price, clock, keep=0, name=name)

    def child(self, name: str, limits: Limits) -> "Budget":
        """An account that draws on this one; its time begins now, and ends with this one's at the latest."""
        return Budget(limits, self._price, self._clock, keep=0, parent=self, name=name)

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
        own = self._started + self._limits.seconds - self._kept_back
        return min(own, self._parent.loop_deadline) if self._parent else own

    def loop_seconds_left(self) -> float:
        return max(0.0, self.loop_deadline - self._clock.monotonic())

    def spend_call(self, usage: Usage) -> None:
        """Account for a model call that gave a reply."""
        self.spend_tokens(usage, turns=1)

    def spend_tokens(self, usage: Usage, turns: int = 0) -> None:
        """Account for what a call used; a call that failed halfway is paid for, too."""
        self._turns += turns
        self._usage += usage
        if self._price is not None:
            self._usd += cost(usage, self._price)
        if self._parent:
            self._parent.spend_tokens(usage, turns)

    def spend_tool(self, *, valid: bool) -> None:
        self._tool_calls += 1
        self._invalid_in_a_row = 0 if valid else self._invalid_in_a_row + 1
        if self._parent:
            self._parent.spend_tool(valid=True)  # whose calls make no sense is the child's own affair

    def reached(self) -> str | None:
        """The limit that is reached, here or above, in words; None while there is something left of all."""
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
        own = next((f"the limit of {words}{self._name} is reached" for hit, words in table if hit), None)
        return own or (self._parent.reached() if self._parent else None)

    def _elapsed(self) -> float:
        return self._clock.monotonic() - self._started
