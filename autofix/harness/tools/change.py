"""What Edit and Write share: a file may be changed when it is in scope and still as the model saw it."""

from autofix.errors import TreeError
from autofix.harness.tools.file_text import EDITABLE_BYTES, FileText
from autofix.harness.tools.tool import ToolOutcome, Workshop

REDACTED = "[redacted:"


def require_in_scope(path: str, workshop: Workshop) -> None:
    """The gate has asked this before; a tool does not rely on it."""
    if path not in workshop.scope:
        raise TreeError(f"{workshop.scope.why_not(path)}. RequestScope asks for more.")


def as_seen(path: str, workshop: Workshop) -> FileText:
    """The present text of a file the model has seen.

    Raises:
        TreeError: it was not read, has changed since, is gone, binary or too large.
    """
    if path not in workshop.seen:
        workshop.tree.read(path, EDITABLE_BYTES)  # says so where there is no such file
        raise TreeError(f"{path} was not read yet: Read it first.")
    expected = workshop.seen.pop(path)
    state = workshop.tree.read(path, EDITABLE_BYTES)
    if state.token != expected:
        raise TreeError(f"{path} has changed since it was read: Read it again.")
    workshop.seen[path] = expected
    file = FileText.of(state.content)
    if file is None:
        raise TreeError(f"{path} is binary; it cannot be edited as text.")
    return file


def put(path: str, content: bytes, workshop: Workshop, *, done: str) -> ToolOutcome:
    """Write over what was seen (or create what was not), and take the result for seen."""
    if len(content) > EDITABLE_BYTES:
        raise TreeError(f"{path} would be {len(content)} bytes; at most {EDITABLE_BYTES} can be written.")
    workshop.tree.write(path, content, expected=workshop.seen.get(path))
    state = workshop.tree.read(path, EDITABLE_BYTES)
    if state.content == content:
        workshop.seen[path] = state.token
    else:
        workshop.seen.pop(path, None)
    return ToolOutcome(done, changed=(path,))


def refuse_redaction_marks(new: str, old: str) -> None:
    """What was hidden from the model must not be replaced by the mark that hides it."""
    if new.count(REDACTED) > old.count(REDACTED):
        raise TreeError(f"The text holds {REDACTED}...], which stands for a value you were not shown. Edit around it.")
