"""RuledOut: put a hypothesis that was given up on the ledger, with what speaks against it.

Tier: talk. Side effects: none here; the loop keeps the ledger, which no compaction shortens.
"""

from dataclasses import dataclass

from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput
from autofix.harness.tools.tool import RuledOutEntry, Tool, ToolOutcome, Workshop


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    hypothesis: str
    evidence: str


def act(wanted: Input, _workshop: Workshop) -> ToolOutcome:
    return ToolOutcome("Noted.", ruled_out=RuledOutEntry(wanted.hypothesis, wanted.evidence))


TOOL = Tool(
    name="RuledOut",
    description="Record a hypothesis you gave up and why, so that it is not tried again.",
    input=Input,
    tier=Tier.TALK,
    act=act,
)
