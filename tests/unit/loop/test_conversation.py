from autofix.loop.conversation import Conversation
from autofix.ports.model import ModelReply, OpaqueBlock, TextBlock, ToolResultBlock, ToolUseBlock

THINKING = OpaqueBlock({"type": "thinking", "thinking": "…", "signature": "s"})
USE = ToolUseBlock("toolu_1", "Read", {"file_path": "a.py"})


def conversation():
    return Conversation(model="m", system="s", tools=(), task="fix it", max_tokens=100)


def test_history_only_grows_and_a_request_copies_nothing():
    talk = conversation()
    first = talk.request()
    before = list(first.messages)
    talk.add_reply(ModelReply((USE,), "tool_use"))
    talk.add_results([ToolResultBlock("toolu_1", "text")], "and a note")
    assert list(talk.request().messages)[: len(before)] == before
    assert [message.role for message in talk.messages] == ["user", "assistant", "user"]
    assert talk.messages[-1].blocks == (ToolResultBlock("toolu_1", "text"), TextBlock("and a note"))


def test_thinking_goes_back_as_it_came():
    talk = conversation()
    talk.add_reply(ModelReply((THINKING, USE), "tool_use"))
    assert talk.messages[-1].blocks == (THINKING, USE)


def test_a_reply_cut_at_the_limit_keeps_only_its_text():
    talk = conversation()
    talk.add_reply(ModelReply((THINKING, TextBlock("I will"), USE), "max_tokens"))
    assert talk.messages[-1].blocks == (TextBlock("I will"),)


def test_an_empty_reply_leaves_a_message_the_api_accepts():
    talk = conversation()
    talk.add_reply(ModelReply((TextBlock("  "), USE), "max_tokens"))
    assert talk.messages[-1].blocks == (TextBlock("(cut off)"),)


def test_what_comes_after_a_pause_belongs_to_the_same_message():
    talk = conversation()
    talk.add_reply(ModelReply((TextBlock("one"),), "pause_turn"))
    talk.add_reply(ModelReply((TextBlock("two"),), "end_turn"))
    assert [message.role for message in talk.messages] == ["user", "assistant"]
    assert talk.messages[-1].blocks == (TextBlock("one"), TextBlock("two"))
