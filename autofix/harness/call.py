"""A tool call, and what is said of it. Pure values; they do not know the loop, the budget or the run."""

from dataclasses import dataclass
from enum import IntEnum

from autofix.ports.model import JsonObject, JsonValue


class Decision(IntEnum):
    """Ordered: the highest opinion wins (deny over ask over allow)."""

    ALLOW = 0
    ASK = 1
    DENY = 2


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asked for. `input` is None where it was no JSON object."""

    id: str
    name: str
    input: JsonObject | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One layer's opinion. `rule` is the id of what spoke; `reason` says why and what to do instead."""

    decision: Decision
    layer: str
    rule: str
    reason: str = ""

    @property
    def message(self) -> str:
        """What the model reads of a denial."""
        return f"Blocked by autofix ({self.layer}/{self.rule}): {self.reason}"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The gate's answer: the verdict in force, and what every layer said (all are asked, also after a deny)."""

    verdict: Verdict
    opinions: tuple[Verdict, ...]

    @property
    def allowed(self) -> bool:
        return self.verdict.decision is Decision.ALLOW

    def told(self) -> list[JsonValue]:
        """Every opinion, for the journal: layer, rule, decision, reason."""
        return [[one.layer, one.rule, one.decision.name.lower(), one.reason] for one in self.opinions]
