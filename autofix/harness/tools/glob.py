"""Glob: paths that match a pattern.

Tier: read. No side effects; repeatable. Cut: the first `LISTED` in order, and how many more there are.
"""

from dataclasses import dataclass

from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput, said
from autofix.harness.tools.listing import files_below
from autofix.harness.tools.patterns import path_pattern
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop

LISTED = 100
"""Paths; a longer list says that the pattern was too wide."""


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    pattern: str
    path: str | None = said(None, description="directory")


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    pattern = path_pattern(wanted.pattern)
    found, count = [], 0
    for name, below, _ in files_below(wanted.path, workshop):
        if pattern.match(below.encode("utf-8", "replace")):
            count += 1
            if count <= LISTED:
                found.append(name)
    if not found:
        return ToolOutcome("No files.")
    if count > LISTED:
        found.append(f"[{count - LISTED} more; narrow the pattern]")
    return ToolOutcome("\n".join(found))


TOOL = Tool(
    name="Glob",
    description="List files by pattern, such as src/**/*.py.",
    input=Input,
    tier=Tier.READ,
    act=act,
    shown=8 * 1024,
)
