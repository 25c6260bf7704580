"""Bash: one command in a fresh shell of the sandbox, at the tree's root.

Tier: execute. Side effects: whatever the sandbox allows; the caller compares the tree afterwards. Never repeated by the
harness. Timeout: the call's, enforced by the sandbox. Cut: a quarter from the head, the rest from the tail (where
test runners say what went wrong); the whole is kept.
"""

from dataclasses import dataclass

from autofix.harness.fence import as_on_screen
from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput, said
from autofix.harness.tools.tool import CommandEnd, Tool, ToolOutcome, Workshop

DEFAULT_SECONDS = 120.0
LONGEST_MS = 600_000
"""As in Claude Code, whose models know the unit and both figures."""
SHORTEST_MS = 1000
"""Less is a number of seconds taken for milliseconds."""


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    command: str
    timeout: int | None = said(None, least=SHORTEST_MS, most=LONGEST_MS, description="ms, default 120000")


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    from autofix.ports.sandbox import ShellCommand  # late: start-up time

    seconds = DEFAULT_SECONDS if wanted.timeout is None else wanted.timeout / 1000
    result = workshop.sandbox.run(ShellCommand(wanted.command, seconds, workshop.bash_environment()))
    workshop.after_bash(wanted.command, result)
    output = as_on_screen(result.text).rstrip("\n")
    end = f"[timed out after {seconds:g} s]" if result.timed_out else f"[exit {result.exit_code}]"
    return ToolOutcome(
        f"{output}\n{end}" if output else end,
        is_error=result.timed_out,
        command=CommandEnd(result.exit_code, result.timed_out, result.seconds),
    )


TOOL = Tool(
    name="Bash",
    description="Run a command in a fresh bash at the repository's root, without network. Of long output you get the"
    " beginning and the end, and artifact:NAME for the rest.",
    input=Input,
    tier=Tier.EXECUTE,
    act=act,
    timeout=LONGEST_MS / 1000,
)
