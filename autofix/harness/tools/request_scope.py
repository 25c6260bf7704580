"""RequestScope: ask a person to let a path be changed that the pull request does not change.

Tier: talk. Side effects: none here; the loop decides what becomes of the request.
"""

from dataclasses import dataclass

from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput
from autofix.harness.tools.place import located
from autofix.harness.tools.tool import ScopeRequest, Tool, ToolOutcome, Workshop


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    path: str
    reason: str


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    path = located(wanted.path, workshop)
    if path in workshop.scope:
        return ToolOutcome(f"{path} is in scope already.")
    return ToolOutcome(f"Asked to change {path}.", scope_request=ScopeRequest(path, wanted.reason))


TOOL = Tool(
    name="RequestScope",
    description="Ask a person to allow changing a file out of scope. Only when no fix in scope exists.",
    input=Input,
    tier=Tier.TALK,
    act=act,
)
