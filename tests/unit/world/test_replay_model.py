from collections.abc import Callable

import pytest

from autofix.errors import ModelRejected, ModelUnavailable, ReplayMismatch, UsageError
from autofix.ports.model import Message, Model, ModelReply, ModelRequest, TextBlock, ToolResultBlock, ToolSpec
from autofix.world.replay_model import RecordingModel, ReplayModel, first_difference
from tests.fakes.model import ScriptedModel, call, say

READ = ToolSpec("Read", "Reads.", {"type": "object"})


def silent(_: str) -> None:
    """Nobody listens."""


def converse(
    model: Model, turns: int, result: Callable[[int], str] = lambda turn: f"output {turn}", /, **changes
) -> None:
    messages = [Message("user", (TextBlock("The test fails."),))]
    for turn in range(1, turns + 1):
        asked = ModelRequest(
            **{"model": "m", "system": "s", "tools": (READ,), "max_tokens": 9, **changes}, messages=tuple(messages)
        )
        reply = model.reply(asked, silent)
        results = tuple(ToolResultBlock(use.id, result(turn)) for use in reply.tool_uses)
        messages += [Message("assistant", reply.blocks), Message("user", results or (TextBlock("Go on."),))]


def recorded(turns: int = 4) -> list[str]:
    lines: list[str] = []
    converse(
        RecordingModel(ScriptedModel(*[call("Read", file_path=str(n)) for n in range(turns)]), lines.append), turns
    )
    return lines


def test_what_was_recorded_is_replayed_without_a_difference() -> None:
    lines = recorded()

    converse(ReplayModel(lines, strict=True), 4)

    assert len(lines) == 4


def test_a_different_result_is_named_with_turn_and_place() -> None:
    model = ReplayModel(recorded(), strict=True)

    with pytest.raises(ReplayMismatch) as caught:
        converse(model, 4, lambda turn: "changed" if turn == 2 else f"output {turn}")

    assert (caught.value.turn, caught.value.path) == (3, "messages[4].content[0].content")
    assert "recorded 'output 2', now 'changed'" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"model": "other"}, "model"),
        ({"max_tokens": 10}, "max_tokens"),
        ({"system": "other"}, "system"),
        ({"tools": ()}, "tools[0]"),
        ({"tools": (ToolSpec("Read", "Reads all.", {"type": "object"}),)}, "tools[0].description"),
    ],
)
def test_a_different_setting_is_named(changes: dict, path: str) -> None:
    with pytest.raises(ReplayMismatch) as caught:
        converse(ReplayModel(recorded(), strict=True), 1, **changes)

    assert (caught.value.turn, caught.value.path) == (1, path)


def test_a_setting_that_changes_later_is_compared_with_what_was_in_force() -> None:
    model = ReplayModel(recorded(2), strict=True)
    converse(model, 1)

    with pytest.raises(ReplayMismatch) as caught:
        converse(model, 1, system="other")

    assert (caught.value.turn, caught.value.path) == (2, "system")


def test_a_missing_message_is_a_difference() -> None:
    model = ReplayModel(recorded(2), strict=True)
    converse(model, 1)

    with pytest.raises(ReplayMismatch) as caught:
        converse(model, 1)

    assert caught.value.path == "messages[1]"
    assert "now '(absent)'" in str(caught.value)


def test_without_strict_requests_are_not_compared() -> None:
    converse(ReplayModel(recorded()), 4, lambda _: "anything", system="other")


def test_more_turns_than_recorded_end_the_replay() -> None:
    with pytest.raises(ReplayMismatch, match="ends after 4 turns"):
        converse(ReplayModel(recorded()), 5)


def test_a_mismatch_is_never_tried_again() -> None:
    assert issubclass(ReplayMismatch, ModelRejected)


def test_recorded_failures_fail_again() -> None:
    lines: list[str] = []
    inner = ScriptedModel(ModelUnavailable("busy", status=529), ModelRejected("no", status=400), say("hi"))
    model = RecordingModel(inner, lines.append)
    for kind in (ModelUnavailable, ModelRejected):
        with pytest.raises(kind):
            converse(model, 1)
    converse(model, 1)

    replay = ReplayModel(lines, strict=True)
    for kind in (ModelUnavailable, ModelRejected):
        with pytest.raises(kind):
            converse(replay, 1)
    converse(replay, 1)


def test_lines_by_hand_are_played_with_blank_lines_between_them() -> None:
    lines = ['{"reply": {"content": "one"}}\n', "\n", '{"reply": {"content": "two"}}']
    model = ReplayModel(lines, strict=True)
    request = ModelRequest("m", "s", (), (), 1)

    assert [model.reply(request, silent).text for _ in range(2)] == ["one", "two"]


def test_a_damaged_line_is_named_when_it_is_reached() -> None:
    model = ReplayModel(['{"reply": {"content": "one"}}', "{"])
    request = ModelRequest("m", "s", (), (), 1)
    model.reply(request, silent)

    with pytest.raises(UsageError, match="line 2"):
        model.reply(request, silent)


def test_a_recording_hands_on_what_it_wrote() -> None:
    inner = ScriptedModel(say("hi"))
    heard: list[str] = []
    model = RecordingModel(inner, lambda _: None)
    model.prepare()

    assert model.reply(ModelRequest("m", "s", (), (), 1), heard.append) == ModelReply(
        (TextBlock("hi"),), "end_turn", say("").usage, "scripted"
    )
    model.close()
    assert (heard, inner.prepared, inner.closed) == (["hi"], 1, 1)


@pytest.mark.parametrize(
    ("mine", "theirs", "path"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "r.a[1].b"),
        ([1], [1, 2], "r[1]"),
        ({"a": 1}, {}, "r.a"),
        (True, 1, "r"),
        (1, 1.0, "r"),
        (None, [], "r"),
        ("x", "y", "r"),
    ],
)
def test_the_first_difference_is_found(mine, theirs, path: str) -> None:
    found = first_difference(mine, theirs, "r")

    assert found is not None
    assert found[0] == path


def test_equal_values_have_no_difference() -> None:
    assert first_difference({"a": [1, None, {"b": "c"}]}, {"a": [1, None, {"b": "c"}]}, "r") is None


def test_a_difference_deep_in_a_long_text_is_shown_where_it_is() -> None:
    found = first_difference("a" * 5000 + "MINE", "a" * 5000 + "THEIRS", "r")

    assert found is not None
    assert "MINE" in found[1]
    assert "THEIRS" in found[1]
    assert len(found[1]) < 300
