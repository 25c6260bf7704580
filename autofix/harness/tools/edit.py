"""Edit: replace one passage of a file the model has read, or every occurrence of it.

Tier: edit. Side effects: one file. Everything but the passage stays: encoding, byte-order mark, line endings (also
mixed ones), tabs, a missing newline at the end, mode. Not retried: it wrote all or nothing.
A passage that is not there, or there more than once, is an error that shows where to look, a dozen lines at most.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from autofix.errors import TreeError
from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput
from autofix.harness.tools.change import as_seen, put, refuse_redaction_marks, require_in_scope
from autofix.harness.tools.file_text import FileText
from autofix.harness.tools.nearest import whats_near
from autofix.harness.tools.place import located
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop

LISTED_MATCHES = 10


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    path = located(wanted.file_path, workshop)
    require_in_scope(path, workshop)
    file = as_seen(path, workshop)
    content, lines = edited(wanted, file, path)
    places = f", line {lines[0]}." if len(lines) == 1 else f", {len(lines)} places."
    return put(path, content, workshop, done=f"Edited {path}{places}")


def edited(wanted: Input, file: FileText, path: str) -> tuple[bytes, list[int]]:
    """What the file becomes, and the lines where it changes.

    Raises:
        TreeError: the edit does not fit this file.
    """
    old, new = (text.replace("\r\n", "\n") for text in (wanted.old_string, wanted.new_string))
    if not old:
        raise TreeError("old_string is empty. Give the text to replace; Write replaces a whole file.")
    if old == new:
        raise TreeError("old_string and new_string are the same: nothing would change.")
    refuse_redaction_marks(new, old)
    starts = _places(file.text, old, path, every=wanted.replace_all)
    return file.replaced(starts, old, new), _line_numbers(file.text, starts)


def _places(text: str, old: str, path: str, *, every: bool) -> list[int]:
    """Where to replace.

    Raises:
        TreeError: nowhere, or in several places although one was meant.
    """
    if every:
        starts = list(_found(text, old, step=len(old)))
    else:
        starts = list(islice(_found(text, old, step=1), LISTED_MATCHES + 1))  # overlapping ones are ambiguous, too
    if not starts:
        raise TreeError(f"old_string is not in {path}. {whats_near(text, old)}")
    if len(starts) > 1 and not every:
        lines = ", ".join(str(line) for line in _line_numbers(text, starts[:LISTED_MATCHES]))
        more = " and more" if len(starts) > LISTED_MATCHES else ""
        raise TreeError(
            f"old_string is in {path} several times, at lines {lines}{more}. Give more of the lines around the one you"
            " mean, or set replace_all."
        )
    return starts


def _found(text: str, part: str, *, step: int) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + step)


def _line_numbers(text: str, starts: list[int]) -> list[int]:
    numbers, line, counted = [], 1, 0
    for start in starts:
        line += text.count("\n", counted, start)
        counted = start
        numbers.append(line)
    return numbers


TOOL = Tool(
    name="Edit",
    description="Replace old_string, which must occur exactly once (else set replace_all), in a file you have read. "
    "Leave out line numbers.",
    input=Input,
    tier=Tier.EDIT,
    act=act,
)
