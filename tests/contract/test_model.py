"""What every model door promises, on the real one against a scripted API, on a replayed transcript and on the fake."""

from collections.abc import Callable, Sequence

import pytest

from autofix.errors import ModelRejected, ModelUnavailable
from autofix.ports.model import (
    Message,
    Model,
    ModelReply,
    ModelRequest,
    StopReason,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    Usage,
)
from autofix.ports.transcript import STOP_REASONS, write_line
from autofix.world.anthropic_model import AnthropicModel
from autofix.world.replay_model import ReplayModel
from tests.fakes.anthropic_server import AnthropicServer, Failure, Step, Turn
from tests.fakes.model import ScriptedModel

READ = ToolSpec("Read", "Reads a file.", {"type": "object", "properties": {"file_path": {"type": "string"}}})


def asking(*messages: Message, system: str = "You fix tests.") -> ModelRequest:
    return ModelRequest("claude-sonnet-5", system, (READ,), messages or (said("The test fails."),), 1000)


def said(words: str) -> Message:
    return Message("user", (TextBlock(words),))


Outcome = ModelReply | ModelUnavailable | ModelRejected
Door = Callable[[Sequence[Outcome]], Model]


@pytest.fixture(params=["anthropic", "replay", "fake"])
def door(request: pytest.FixtureRequest, anthropic_server: Callable[[list[Step]], AnthropicServer]) -> Door:
    """Builds a door that will meet these outcomes, in order."""

    def build(outcomes: Sequence[Outcome]) -> Model:
        match request.param:
            case "anthropic":
                server = anthropic_server([_step(outcome) for outcome in outcomes])
                model = AnthropicModel(server.key, server.url, timeout=10)
                request.addfinalizer(model.close)
                return model
            case "replay":
                return ReplayModel([write_line(asking(), outcome, None) for outcome in outcomes])
            case _:
                return ScriptedModel(*outcomes)

    return build


def _step(outcome: Outcome) -> Step:
    if isinstance(outcome, ModelReply):
        blocks = []
        for block in outcome.blocks:
            if isinstance(block, TextBlock):
                blocks.append({"type": "text", "text": block.text})
            elif isinstance(block, ToolUseBlock):
                raw = {} if block.input is not None else {"raw": block.raw_input}
                blocks.append(
                    {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input or {}, **raw}
                )
            else:
                blocks.append(dict(block.payload))
        if outcome.stop_reason is None:
            return Turn(blocks, end_after=3 + 2 * len(blocks))
        return Turn(blocks, outcome.stop_reason)
    if isinstance(outcome, ModelUnavailable):
        wait = {} if outcome.retry_after is None else {"retry-after": str(outcome.retry_after)}
        return Failure(outcome.status or 500, "scripted", wait)
    return Failure(outcome.status or 400, "scripted")


def ask(model: Model, request: ModelRequest | None = None) -> tuple[ModelReply, str]:
    heard: list[str] = []
    reply = model.reply(request or asking(), heard.append)
    return reply, "".join(heard)


@pytest.mark.parametrize("reason", STOP_REASONS.values())
def test_every_stop_reason_the_api_knows_is_told(door: Door, reason: StopReason) -> None:
    reply, _ = ask(door([ModelReply((TextBlock("so far"),), reason)]))

    assert (reply.stop_reason, reply.text) == (reason, "so far")


def test_text_is_streamed_and_is_the_replys_text(door: Door) -> None:
    words = "I see the cause: an off-by-one. " * 40

    reply, heard = ask(door([ModelReply((TextBlock(words), TextBlock("Done — ✓")), "end_turn")]))

    assert heard == reply.text == words + "Done — ✓"


def test_tool_calls_come_in_order_with_their_inputs(door: Door) -> None:
    calls = (
        ToolUseBlock("toolu_a", "Read", {"file_path": "é.py", "lines": [1, 2.5, None, True]}),
        ToolUseBlock("toolu_b", "Read", {}),
    )

    reply, _ = ask(door([ModelReply((TextBlock("Two files."), *calls), "tool_use")]))

    assert reply.tool_uses == calls
    assert reply.blocks == (TextBlock("Two files."), *calls)


@pytest.mark.parametrize("raw", ['{"file_path": "a', "[1, 2]", '"text"', "{'a': 1}", '{"a": NaN}', "[" * 5000])
def test_a_tool_input_that_is_no_json_object_is_none_and_kept_as_it_came(door: Door, raw: str) -> None:
    call = ToolUseBlock("toolu_a", "Read", None, raw)

    reply, _ = ask(door([ModelReply((call,), "tool_use")]))

    assert reply.tool_uses == (call,)


def test_a_stream_without_an_end_has_no_stop_reason(door: Door) -> None:
    reply, _ = ask(door([ModelReply((TextBlock("I was about to"),), None)]))

    assert reply.stop_reason is None
    assert reply.text == "I was about to"


def test_overload_is_unavailable_with_the_wait_asked_for(door: Door) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        ask(door([ModelUnavailable("busy", status=429, retry_after=7.0)]))

    assert (caught.value.status, caught.value.retry_after) == (429, 7.0)


@pytest.mark.parametrize("status", [500, 503, 504, 529, 408, 409])
def test_a_passing_failure_is_unavailable(door: Door, status: int) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        ask(door([ModelUnavailable("later", status=status)]))

    assert (caught.value.status, caught.value.retry_after) == (status, None)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_a_refusal_is_rejected(door: Door, status: int) -> None:
    with pytest.raises(ModelRejected) as caught:
        ask(door([ModelRejected("no", status=status)]))

    assert caught.value.status == status


def test_a_failed_call_is_one_attempt_and_the_next_one_succeeds(door: Door) -> None:
    model = door([ModelUnavailable("busy", status=529), ModelReply((TextBlock("here"),), "end_turn")])

    with pytest.raises(ModelUnavailable):
        ask(model)

    assert ask(model)[0].text == "here"


def test_prepare_may_be_called_twice_or_never(door: Door) -> None:
    model = door([ModelReply((TextBlock("one"),), "end_turn"), ModelReply((TextBlock("two"),), "end_turn")])

    assert ask(model)[0].text == "one"
    model.prepare()
    model.prepare()
    assert ask(model)[0].text == "two"


def test_a_conversation_goes_on_with_results(door: Door) -> None:
    call = ToolUseBlock("toolu_a", "Read", {"file_path": "a.py"})
    model = door([ModelReply((call,), "tool_use", Usage(1, 1)), ModelReply((TextBlock("done"),), "end_turn")])
    first = asking()
    reply, _ = ask(model, first)

    results = Message("user", (ToolResultBlock("toolu_a", "", is_error=True), TextBlock("Three calls are left.")))
    reply, _ = ask(model, asking(*first.messages, Message("assistant", reply.blocks), results))

    assert reply.stop_reason == "end_turn"


def test_what_hears_the_text_may_end_the_call(door: Door) -> None:
    model = door([ModelReply((TextBlock("word " * 1000),), "end_turn"), ModelReply((TextBlock("two"),), "end_turn")])

    def refuse(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.reply(asking(), refuse)

    assert ask(model)[0].text == "two"
