"""What people have allowed a file to become: the edits they saw, applied to what the pull request has there.

A person who allowed one edit of a test has not allowed another one. Before a protected file or a test is delivered on
that person's word, its content must be exactly what the allowed edits make of the head commit's.
"""

from collections.abc import Iterable

from autofix.errors import TreeError
from autofix.harness.call import ToolCall
from autofix.harness.tool_input import Misfit
from autofix.harness.tools import edit, write
from autofix.harness.tools.file_text import FileText


def allowed_content(path: str, head: bytes | None, edits: Iterable[ToolCall]) -> bytes | None:
    """The content that the edits lead to. One that does not fit (it failed in the run, too) changes nothing.

    Args:
        path: of the file, for nothing but words.
        head: the file at the head commit; None where there is none.
        edits: calls of Edit and Write on this file, in their order.
    """
    content = head
    for call in edits:
        try:
            content = _after(call, content, path)
        except (Misfit, TreeError):
            continue
    return content


def _after(call: ToolCall, content: bytes | None, path: str) -> bytes | None:
    file = FileText.of(content) if content is not None else None
    if content is not None and file is None:
        return content  # binary: no tool edits it
    if call.name == write.TOOL.name:
        return write.written(write.Input.read(call.input), file)
    if call.name == edit.TOOL.name and file is not None:
        return edit.edited(edit.Input.read(call.input), file, path)[0]
    return content
