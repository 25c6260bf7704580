import pytest

from autofix.errors import ModelRejected, ModelUnavailable
from autofix.ports.model import OpaqueBlock, TextBlock, ToolUseBlock, Usage
from autofix.world.anthropic_stream import ReplyFold, parse_object, stream_error


def start(index: int, block: dict) -> dict:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **pieces) -> dict:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **pieces}}


def folded(*events):
    fold = ReplyFold("req_1")
    heard = "".join(fold.feed(event) for event in events)
    return fold.reply(), heard


STOP = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
END = {"type": "message_stop"}


def test_nothing_is_a_reply_without_anything() -> None:
    reply, heard = folded()

    assert (reply.blocks, reply.stop_reason, reply.usage, heard) == ((), None, Usage(), "")


def test_text_at_a_blocks_start_is_heard_too() -> None:
    reply, heard = folded(start(0, {"type": "text", "text": "Hel"}), delta(0, "text_delta", text="lo"))

    assert (reply.text, heard) == ("Hello", "Hello")


def test_a_stop_reason_counts_only_when_the_message_has_ended() -> None:
    assert folded(STOP)[0].stop_reason is None
    assert folded(STOP, END)[0].stop_reason == "end_turn"
    assert folded(END)[0].stop_reason is None


def test_later_usage_replaces_earlier_and_null_is_no_news() -> None:
    reply, _ = folded(
        {
            "type": "message_start",
            "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}},
        },
        {**STOP, "usage": {"output_tokens": 30, "input_tokens": None, "cache_creation_input_tokens": 2}},
        {**STOP, "usage": {"output_tokens": 40}},
        END,
    )

    assert reply.usage == Usage(input=5, output=40, cache_read=7, cache_write=2)


def test_blocks_that_interleave_keep_their_order() -> None:
    reply, _ = folded(
        start(1, {"type": "text", "text": ""}),
        start(0, {"type": "text", "text": ""}),
        delta(1, "text_delta", text="b"),
        delta(0, "text_delta", text="a"),
    )

    assert reply.blocks == (TextBlock("a"), TextBlock("b"))


def test_deltas_of_blocks_nobody_knows_are_folded_in() -> None:
    reply, heard = folded(
        start(0, {"type": "thinking", "thinking": "Let", "signature": ""}),
        delta(0, "thinking_delta", thinking=" me"),
        delta(0, "signature_delta", signature="abc"),
        start(1, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        delta(1, "input_json_delta", partial_json='{"query":'),
        delta(1, "input_json_delta", partial_json=' "x"}'),
        start(2, {"type": "summary", "citations": [1]}),
        delta(2, "citations_delta", citation={"n": 2}),
    )

    assert reply.blocks == (
        OpaqueBlock({"type": "thinking", "thinking": "Let me", "signature": "abc"}),
        OpaqueBlock({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}),
        OpaqueBlock({"type": "summary", "citations": [1, {"n": 2}]}),
    )
    assert heard == ""


def test_a_call_whose_input_came_whole_has_it() -> None:
    reply, _ = folded(start(0, {"type": "tool_use", "id": "t", "name": "Read", "input": {"a": 1}}))

    assert reply.blocks == (ToolUseBlock("t", "Read", {"a": 1}),)


def test_asking_for_the_reply_twice_gives_the_same() -> None:
    fold = ReplyFold()
    for event in (
        start(0, {"type": "tool_use", "id": "t", "name": "Read", "input": {}}),
        delta(0, "input_json_delta", partial_json='{"a": 1}'),
    ):
        fold.feed(event)

    assert fold.reply() == fold.reply()
    assert fold.reply().blocks == (ToolUseBlock("t", "Read", {"a": 1}),)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, "x"]}', {"a": [1, "x"]}),
        ("{}", {}),
        ("", None),
        ("null", None),
        ("3", None),
        ('{"a": Infinity}', None),
        ('{"a": 1} {', None),
        ('{"a":' * 100_000, None),
        ("9" * 10_000, None),
    ],
)
def test_only_a_json_object_is_a_tools_input(text: str, value) -> None:
    assert parse_object(text) == value


def test_an_error_without_explanation_is_unavailable() -> None:
    assert isinstance(stream_error({"type": "error"}), ModelUnavailable)
    assert isinstance(stream_error({"type": "error", "error": {"type": 3}}), ModelUnavailable)


def test_an_error_that_no_retry_helps_is_rejected() -> None:
    error = {"type": "error", "error": {"type": "authentication_error", "message": "who are you"}}

    assert isinstance(stream_error(error), ModelRejected)
