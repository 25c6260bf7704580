"""The tools the model may call: a literal registry, and the one way from a call to its outcome.

Names and inputs follow Claude Code's, which models know.
"""

from typing import Any

from autofix.errors import TreeError
from autofix.harness.call import ToolCall
from autofix.harness.policy import Tier
from autofix.harness.tool_input import Misfit, ToolInput
from autofix.harness.tools import bash, edit, glob, grep, read, request_scope, ruled_out, run_checks, write
from autofix.harness.tools.result import finished
from autofix.harness.tools.tool import (
    Artifacts,
    CommandEnd,
    RuledOutEntry,
    ScopeRequest,
    Tool,
    ToolOutcome,
    Workshop,
)

__all__ = [
    "TOOLS",
    "Artifacts",
    "CommandEnd",
    "RuledOutEntry",
    "ScopeRequest",
    "Tier",
    "Tool",
    "ToolInput",
    "ToolOutcome",
    "Workshop",
    "perform",
]

MAX_FAULTS = 8
"""Faults named per call; a hostile input could have one per field it invents."""

TOOLS: dict[str, Tool[Any]] = {
    "Read": read.TOOL,
    "Edit": edit.TOOL,
    "Write": write.TOOL,
    "Bash": bash.TOOL,
    "Grep": grep.TOOL,
    "Glob": glob.TOOL,
    "RunChecks": run_checks.TOOL,
    "RequestScope": request_scope.TOOL,
    "RuledOut": ruled_out.TOOL,
}


def perform(call: ToolCall, workshop: Workshop) -> ToolOutcome:
    """Do what the gate allowed. The model's mistakes come back as an outcome with `is_error` that says what to do.

    Raises:
        SandboxBroken: the sandbox failed, not the command in it.
    """
    tool = TOOLS.get(call.name)
    if tool is None:
        return ToolOutcome(f"There is no tool {call.name!r}. Tools: {', '.join(TOOLS)}", is_error=True)
    try:
        parsed = tool.input.read(call.input)
    except Misfit as misfit:
        told = [f"{tool.name} was not called as its schema says:", *misfit.faults[:MAX_FAULTS]]
        return ToolOutcome("\n".join(told), is_error=True)
    try:
        outcome = tool.act(parsed, workshop)
    except TreeError as error:
        outcome = ToolOutcome(str(error), is_error=True)
    return finished(outcome, tool, workshop)
