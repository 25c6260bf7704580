"""From what a tool says to what the model reads: redacted, made visible, cut; the whole kept where it was cut."""

from dataclasses import replace
from typing import Any

from autofix.harness.cut import cut
from autofix.harness.fence import revealed
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop


def finished(outcome: ToolOutcome, tool: Tool[Any], workshop: Workshop) -> ToolOutcome:
    text = revealed(workshop.redactor.text(outcome.text))
    data = text.encode("utf-8", "replace")
    if len(data) <= tool.shown:
        return replace(outcome, text=text)
    name = workshop.artifacts.keep(tool.name.lower(), data)
    return replace(outcome, text=cut(data, tool.shown, whole=f"artifact:{name}", head_share=tool.head_share).text)
