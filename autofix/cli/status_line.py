"""The last line of a terminal while a run goes on: where it is, how the failing count fell, what of its budget is used.

A fold of the same events as everything else; numbers and our own words only.
"""

from dataclasses import dataclass, field
from datetime import datetime

from autofix.ports.model import JsonObject, JsonValue
from autofix.state.events import Kind
from autofix.state.journal import Event

BARS = "▁▂▃▄▅▆▇█"
BUDGET_WIDTH = 10
_LONGEST_LINE = 24
"""Failing counts shown, the latest."""


@dataclass(slots=True)
class StatusLine:
    """What the events so far add up to. Limits of 0 are none."""

    stage: str = "starting"
    began: datetime | None = None
    turns: int = 0
    usd: float = 0.0
    most_turns: float = 0.0
    most_usd: float = 0.0
    most_seconds: float = 0.0
    failing: list[int] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        data = event.data
        match event.kind:
            case Kind.RUN_STARTED:
                self.began = event.at
                limits = data.get("limits")
                given = limits if isinstance(limits, dict) else {}
                self.most_turns, self.most_usd, self.most_seconds = (
                    _number(given.get(name)) for name in ("turns", "usd", "seconds")
                )
            case Kind.STAGE:
                self.stage = str(data["name"])
            case Kind.VERIFICATION_STARTED:
                self.stage = "verification"
            case Kind.MODEL_CALLED:
                self.stage = "waiting for the model"
            case Kind.TOOL_CALLED:
                self.stage = "using tools"
            case Kind.BASELINE:
                goal = data["goal"]
                self.failing = [len(goal) if isinstance(goal, list) else 0]
            case Kind.PROGRESS:
                self.failing.append(int(_number(data["failing"])))
            case Kind.MODEL_REPLIED:
                self._replied(data)
            case _:
                pass

    def text(self, now: datetime) -> str:
        """One line."""
        seconds = (now - self.began).total_seconds() if self.began else 0.0
        turns = f"turn {self.turns}" + (f"/{self.most_turns:.0f}" if self.most_turns else "")
        usd = f"{self.usd:.2f}" + (f"/{self.most_usd:g}" if self.most_usd else "")
        parts = [self.stage, turns, f"budget {budget_bar(self.used(seconds))} {usd} USD", _clock(seconds)]
        if self.failing:
            parts.insert(1, f"failing {sparkline(self.failing)} {self.failing[-1]}")
        return " · ".join(parts)

    def used(self, seconds: float) -> float:
        """The share of the tightest limit that is used up."""
        pairs = ((self.turns, self.most_turns), (self.usd, self.most_usd), (seconds, self.most_seconds))
        return max((spent / most for spent, most in pairs if most), default=0.0)

    def _replied(self, data: JsonObject) -> None:
        self.turns += 1
        self.usd = _number(data["usd"])


def sparkline(counts: list[int]) -> str:
    """The latest counts as bars; the highest is the tallest, zero the lowest."""
    shown = counts[-_LONGEST_LINE:]
    top = max([*shown, 1])
    return "".join(BARS[min(len(BARS) - 1, -(-count * (len(BARS) - 1) // top))] for count in shown)


def budget_bar(share: float) -> str:
    full = min(BUDGET_WIDTH, max(0, round(share * BUDGET_WIDTH)))
    return "█" * full + "░" * (BUDGET_WIDTH - full)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(max(0, int(seconds)), 60)
    return f"{minutes}:{rest:02}"


def _number(value: JsonValue | None) -> float:
    try:
        return float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return 0.0
