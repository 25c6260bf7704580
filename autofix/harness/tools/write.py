"""Write: create a file, or replace all of one the model has read.

Tier: edit. Side effects: one file; encoding, byte-order mark, line endings and mode of an existing one stay.
Not retried: it wrote all or nothing. Cut: never, its answer is a line.
"""

from dataclasses import dataclass

from autofix.errors import TreeError
from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput
from autofix.harness.tools.change import as_seen, put, refuse_redaction_marks, require_in_scope
from autofix.harness.tools.file_text import FileText
from autofix.harness.tools.place import located
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    file_path: str
    content: str


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    path = located(wanted.file_path, workshop)
    require_in_scope(path, workshop)
    if path in workshop.seen:
        return put(path, written(wanted, as_seen(path, workshop)), workshop, done=f"Replaced {path}.")
    try:
        return put(path, written(wanted, None), workshop, done=f"Created {path}.")
    except TreeError as error:
        raise TreeError(f"{error}. To replace a file that is there, Read it first.") from error


def written(wanted: Input, old: FileText | None) -> bytes:
    """What the file becomes; `old` is what it is, None where there is none.

    Raises:
        TreeError: the file cannot hold it.
    """
    refuse_redaction_marks(wanted.content, old.text if old else "")
    return old.whole(wanted.content) if old else FileText(wanted.content, "utf-8").encoded(wanted.content)


TOOL = Tool(
    name="Write",
    description="Create a file in scope, or replace one you have read.",
    input=Input,
    tier=Tier.EDIT,
    act=act,
)
