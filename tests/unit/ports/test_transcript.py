import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.errors import ModelRejected, ModelUnavailable, UsageError
from autofix.ports.model import (
    Message,
    ModelReply,
    ModelRequest,
    OpaqueBlock,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    Usage,
)
from autofix.ports.transcript import read_line, write_line

READ = ToolSpec("Read", "Reads.", {"type": "object"})
TASK = Message("user", (TextBlock("fix"),))


def request(*messages: Message, **changes) -> ModelRequest:
    return ModelRequest(
        **{"model": "m", "system": "s", "tools": (READ,), "messages": messages, "max_tokens": 9, **changes}
    )


text = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | text, lambda v: st.lists(v) | st.dictionaries(text, v)
)
blocks = (
    st.builds(TextBlock, text)
    | st.builds(ToolUseBlock, text, text, st.dictionaries(text, json_values, max_size=3))
    | st.builds(lambda id_, name, raw: ToolUseBlock(id_, name, None, raw), text, text, text)
    | st.builds(lambda words: OpaqueBlock({"type": "thinking", "thinking": words, "signature": "s"}), text)
)
replies = st.builds(
    ModelReply,
    st.lists(blocks, max_size=4).map(tuple),
    st.sampled_from(["end_turn", "tool_use", "max_tokens", None]),
    st.builds(Usage, *[st.integers(0, 10**9)] * 4),
    text,
    text,
)


@given(replies)
def test_a_reply_is_read_back_as_it_was_written(reply: ModelReply) -> None:
    line = write_line(request(TASK), reply, None)

    assert line.count("\n") == 1
    assert read_line(line, 1).outcome == reply


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("busy", status=429, retry_after=3.5),
        ModelUnavailable("broken"),
        ModelRejected("no", status=400),
    ],
)
def test_a_failure_is_read_back_as_it_was_written(error) -> None:
    back = read_line(write_line(request(TASK), error, None), 1).outcome

    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


def test_a_request_is_written_as_its_difference_from_the_one_before() -> None:
    reply = ModelReply((ToolUseBlock("t", "Read", {}),), "tool_use")
    before = request(TASK)
    now = request(TASK, Message("assistant", reply.blocks), Message("user", (ToolResultBlock("t", "x" * 10),)))

    written = json.loads(write_line(now, reply, before))["request"]

    assert "system" not in written
    assert "tools" not in written
    assert written["kept"] == 1
    assert [message["role"] for message in written["messages"]] == ["assistant", "user"]


def test_a_transcript_grows_with_the_conversation_and_not_with_its_square() -> None:
    def size(turns: int) -> int:
        previous, messages, total = None, [TASK], 0
        for turn in range(turns):
            now = request(*messages)
            total += len(write_line(now, ModelReply((), "end_turn"), previous))
            previous = now
            messages.append(Message("user", (TextBlock(f"{turn:06d} " * 100),)))
        return total

    assert size(200) < 2.2 * size(100)


def test_a_rewritten_history_is_written_from_where_it_changed() -> None:
    one, two, other = (Message("user", (TextBlock(words),)) for words in ("1", "2", "other"))

    written = json.loads(write_line(request(one, other, two), ModelReply((), "end_turn"), request(one, two, two)))

    assert written["request"]["kept"] == 1
    assert len(written["request"]["messages"]) == 2


def test_a_changed_system_prompt_is_written_again() -> None:
    written = json.loads(write_line(request(TASK, system="new"), ModelReply((), "end_turn"), request(TASK)))

    assert written["request"]["system"] == "new"


def test_a_line_by_hand_may_be_short() -> None:
    assert read_line('{"reply": {"content": "I see."}}', 3).outcome == ModelReply((TextBlock("I see."),), "end_turn")


def test_a_call_by_hand_needs_only_name_and_input() -> None:
    line = '{"reply": {"content": [{"type": "text", "text": "Look."}, {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}}]}}'

    outcome = read_line(line, 7).outcome

    assert outcome == ModelReply(
        (TextBlock("Look."), ToolUseBlock("toolu_replay_7_2", "Read", {"file_path": "a"})), "tool_use"
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "neither"),
        ("{}", "neither"),
        ('{"reply": "hi"}', "neither"),
        ('{"reply": {}}', "content"),
        ('{"reply": {"content": [1]}}', "type"),
        ('{"reply": {"content": [{"text": "no type"}]}}', "type"),
        ('{"reply": {"content": [{"type": "tool_use"}]}}', "name"),
        ('{"reply": {"content": [{"type": "tool_use", "name": "Read", "input": []}]}}', "object as input"),
        ('{"reply": {"content": "x", "stop_reason": "bored"}}', "bored"),
        ('{"request": {"model": "m"}, "reply": {"content": "x"}}', "max_tokens"),
        ('{"request": 3, "reply": {"content": "x"}}', "max_tokens"),
    ],
)
def test_a_damaged_line_is_refused_with_its_number_and_what_is_wrong(line: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=rf"line 12\b.*{complaint}"):
        read_line(line, 12)
