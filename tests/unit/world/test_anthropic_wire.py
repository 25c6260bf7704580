import json

from autofix.ports.model import Message, ModelRequest, OpaqueBlock, TextBlock, ToolResultBlock, ToolUseBlock
from autofix.world import anthropic_wire
from autofix.world.anthropic_wire import RequestEncoder, marked_messages

THINKING = OpaqueBlock({"type": "thinking", "thinking": "hm", "signature": "s"})


def user(words: str = "go") -> Message:
    return Message("user", (TextBlock(words),))


def assistant(*blocks) -> Message:
    return Message("assistant", blocks or (TextBlock("ok"),))


def body(*messages: Message, system: str = "s", encoder: RequestEncoder | None = None) -> dict:
    return json.loads((encoder or RequestEncoder()).encode(ModelRequest("m", system, (), messages, 10)))


def marks(*messages: Message) -> list[tuple[int, int]]:
    """(message, block) of every cache mark."""
    return [
        (place, index)
        for place, message in enumerate(body(*messages)["messages"])
        for index, block in enumerate(message["content"])
        if "cache_control" in block
    ]


def test_first_previous_and_last_messages_are_marked() -> None:
    turns = [user(), assistant(), user(), assistant(), user(), assistant(), user()]

    assert [index for index, _ in marks(*turns)] == [0, 4, 6]
    assert [index for index, _ in marks(*turns[:3])] == [0, 2]
    assert [index for index, _ in marks(user())] == [0]


def test_a_conversation_that_ends_with_the_model_marks_the_user_before_it() -> None:
    assert marked_messages([user(), assistant(), user(), assistant()]) == {0, 2, 3}
    assert marked_messages([user(), assistant()]) == {0, 1}


def test_no_messages_have_no_marks() -> None:
    assert marked_messages([]) == frozenset()


def test_the_mark_is_on_the_last_block() -> None:
    results = Message("user", (ToolResultBlock("a", "1"), ToolResultBlock("b", "2"), TextBlock("Go on.")))

    assert marks(user(), assistant(), results) == [(0, 0), (2, 2)]


def test_thinking_is_never_marked() -> None:
    assert marks(user(), assistant(TextBlock("so"), THINKING)) == [(0, 0), (1, 0)]
    assert marks(user(), assistant(THINKING)) == [(0, 0)]


def test_blank_text_is_left_out_and_an_empty_message_says_so() -> None:
    sent = body(user(), assistant(TextBlock(""), THINKING, TextBlock(" \n")), user(), assistant(), Message("user", ()))

    assert sent["messages"][1]["content"] == [THINKING.payload]
    assert sent["messages"][4]["content"][0]["text"] == "(no content)"


def test_an_empty_tool_result_stays() -> None:
    assert (
        body(user(), assistant(), Message("user", (ToolResultBlock("a", ""),)))["messages"][2]["content"][0]["content"]
        == ""
    )


def test_no_system_prompt_and_no_tools_are_left_out() -> None:
    assert set(body(user(), system="")) == {"model", "max_tokens", "stream", "messages"}


def test_marking_never_touches_the_conversation_itself() -> None:
    payload = {"type": "from_the_future"}
    use = ToolUseBlock("a", "Read", {"x": 1})

    body(user(), Message("assistant", (OpaqueBlock(payload), use)))

    assert payload == {"type": "from_the_future"}
    assert use.input == {"x": 1}


def test_a_message_has_the_same_bytes_in_every_request_once_its_mark_is_gone() -> None:
    encoder = RequestEncoder()
    turns = [user(f"turn {n}") if n % 2 == 0 else assistant(TextBlock(f"é {n}")) for n in range(21)]
    bodies = [encoder.encode(ModelRequest("m", "s", (), turns[:n], 10)) for n in range(1, 22, 2)]

    settled = bodies[5].rpartition(b'{"role":"user","content":[{"type":"text","text":"turn 8"')[0]
    assert all(later.startswith(settled) for later in bodies[5:])


def test_equal_messages_of_two_conversations_are_not_mixed_up() -> None:
    encoder = RequestEncoder()
    one, other = user("a"), user("b")

    assert body(one, assistant(), other, assistant(), user(), encoder=encoder) == body(
        one, assistant(), other, assistant(), user()
    )
    assert body(other, assistant(), one, assistant(), user(), encoder=encoder) == body(
        other, assistant(), one, assistant(), user()
    )


def test_messages_that_are_gone_are_not_remembered_as_others() -> None:
    encoder = RequestEncoder()
    for n in range(300):  # each may get the address of one before it
        sent = body(
            user("task"), Message("assistant", (TextBlock(str(n)),)), user(), assistant(), user(), encoder=encoder
        )
        assert sent["messages"][1]["content"][0]["text"] == str(n)


def test_what_is_remembered_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(anthropic_wire, "_MEMORY", 10_000)
    encoder = RequestEncoder()
    for n in range(50):
        body(user(), assistant(TextBlock(f"{n}" * 500)), user(), assistant(), user(), encoder=encoder)

    assert sum(len(encoded) for _, encoded in encoder._encoded.values()) <= 10_000


def test_any_text_can_be_sent() -> None:
    words = 'quote " back \\ nul \x00 line \u2028 emoji 😀 surrogate \udce9 bidi \u202e'

    assert body(user(words))["messages"][0]["content"][0]["text"] == words.replace("\udce9", "?")
