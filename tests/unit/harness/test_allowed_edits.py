"""What a file may become on a person's word: the edits that were seen, on what the pull request has there."""

from autofix.harness.allowed_edits import allowed_content
from autofix.harness.call import ToolCall

PATH = "tests/test_sums.py"
HEAD = b"assert add(2, 3) == 6\r\nassert half(6) == 3\r\n"


def edit(old: str, new: str, **more: object) -> ToolCall:
    return ToolCall("t", "Edit", {"file_path": PATH, "old_string": old, "new_string": new, **more})


def write(content: str) -> ToolCall:
    return ToolCall("t", "Write", {"file_path": PATH, "content": content})


def test_allowed_edits_follow_each_other_and_keep_the_files_line_endings():
    edits = [edit("== 6", "== 5"), edit("half(6) == 3", "half(8) == 4")]
    assert allowed_content(PATH, HEAD, edits) == b"assert add(2, 3) == 5\r\nassert half(8) == 4\r\n"


def test_without_an_allowed_edit_the_file_stays_what_it_is():
    assert allowed_content(PATH, HEAD, []) == HEAD
    assert allowed_content(PATH, None, []) is None


def test_an_edit_that_does_not_fit_changes_nothing_as_it_did_nothing_in_the_run():
    assert allowed_content(PATH, HEAD, [edit("no such text", "x"), edit("==", "!=")]) == HEAD
    assert allowed_content(PATH, HEAD, [ToolCall("t", "Edit", {"file_path": PATH})]) == HEAD
    assert allowed_content(PATH, HEAD, [ToolCall("t", "Bash", {"command": "true"})]) == HEAD


def test_a_whole_file_may_be_written_or_made():
    assert allowed_content(PATH, HEAD, [write("one\n")]) == b"one\r\n"
    assert allowed_content(PATH, None, [write("one\n"), edit("one", "two")]) == b"two\n"


def test_a_binary_file_is_never_edited():
    assert allowed_content(PATH, b"\0\1", [edit("a", "b")]) == b"\0\1"
