"""RunChecks: the run's own checks, measured by the harness in the attempt's sandbox.

Tier: execute. Side effects: those of the checks. Timeout: each check's own. Not retried. Cut: most is
from the head, which counts and shows the first failures; the whole is kept.
"""

from dataclasses import dataclass

from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput, said
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    check: str | None = said(None, description="default: all")
    tests: list[str] | None = said(None, description="ids; default: all")  # noqa: RUF009 - as dataclasses.field


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    return ToolOutcome(workshop.run_checks(wanted.check, tuple(wanted.tests or ())))


TOOL = Tool(
    name="RunChecks",
    description="Run the failing checks, or some of their tests, and report what fails.",
    input=Input,
    tier=Tier.EXECUTE,
    act=act,
    timeout=3600.0,
    shown=6 * 1024,
    head_share=0.75,
)
