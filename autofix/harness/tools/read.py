"""Read: a file of the tree, or a kept result, by part, with line numbers.

Tier: read. Side effects: the file counts as seen, so that Edit and Write may change it. Repeatable.
Cut: `READ_BYTES` of whole lines, then where to go on; long lines are shortened in their middle (kept results are
wrapped instead, so that every part can be read).
"""

from dataclasses import dataclass
from itertools import islice

from autofix.harness.cut import LINE_LIMIT, short_line
from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput, said
from autofix.harness.tools.file_text import EDITABLE_BYTES, FileText
from autofix.harness.tools.place import ARTIFACT, kept, located
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop

READ_BYTES = 16 * 1024
"""Shown at once: about 400 lines, as many as a turn can use."""


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    file_path: str
    offset: int | None = said(None, least=1, description="first line")
    limit: int | None = said(None, least=1, description="lines")


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    if wanted.file_path.startswith(ARTIFACT):
        lines = _artifact_lines(wanted.file_path, workshop)
    else:
        path = located(wanted.file_path, workshop)
        state = workshop.tree.read(path, EDITABLE_BYTES)
        workshop.seen[path] = state.token
        file = FileText.of(state.content)
        if file is None:
            return ToolOutcome(f"{path} is binary, {len(state.content)} bytes; not shown.")
        lines = workshop.redactor.text(file.text).split("\n")
    return _numbered(lines, wanted)


def _artifact_lines(name: str, workshop: Workshop) -> list[str]:
    content = kept(name, workshop)
    lines = content.decode("utf-8", "replace").split("\n")
    return [line[at : at + LINE_LIMIT] for line in lines for at in range(0, len(line) or 1, LINE_LIMIT)]


def _numbered(lines: list[str], wanted: Input) -> ToolOutcome:
    if lines[-1] == "":
        lines = lines[:-1]
    first = wanted.offset or 1
    if first > max(len(lines), 1):
        return ToolOutcome(f"It has {len(lines)} lines; offset {first} is past its end.", is_error=True)
    last = len(lines) if wanted.limit is None else min(len(lines), first - 1 + wanted.limit)
    shown, size = [], 0
    for number, line in enumerate(islice(lines, first - 1, last), first):
        shown.append(f"{number}\t{short_line(line)}")
        size += len(shown[-1].encode("utf-8", "replace")) + 1
        if size > READ_BYTES:
            last = number
            break
    if last < len(lines):
        shown.append(f"[lines {first}-{last} of {len(lines)}; go on with offset {last + 1}]")
    return ToolOutcome("\n".join(shown) or "[empty]")


TOOL = Tool(
    name="Read",
    description="Read a file of the repository, or a kept result (artifact:NAME), with line numbers.",
    input=Input,
    tier=Tier.READ,
    act=act,
    shown=2 * READ_BYTES,
)
