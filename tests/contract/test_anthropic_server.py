"""The scripted API itself: does it refuse what the real one refuses, and count as the real one counts?"""

import http.client
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.fakes.anthropic_rules import message_violations, rewritten, shape_violations
from tests.fakes.anthropic_server import API_VERSION, AnthropicServer, Failure, Turn, call, text
from tests.fakes.prompt_cache import PromptCache

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = "word " * 1000  # 1,250 tokens by the bytes


def user(*blocks: dict) -> dict:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict) -> dict:
    return {"role": "assistant", "content": list(blocks)}


def use(id_: str) -> dict:
    return {"type": "tool_use", "id": id_, "name": "Read", "input": {}}


def result(id_: str) -> dict:
    return {"type": "tool_result", "tool_use_id": id_, "content": "ok"}


def body(*messages: dict, **more) -> dict:
    return {"model": "m", "max_tokens": 10, "messages": list(messages), **more}


def post(server: AnthropicServer, sent: dict | bytes, path: str = "/v1/messages", **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]), timeout=10)
    try:
        usual = {"authorization": f"Bearer {server.key}", "anthropic-version": API_VERSION}
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        connection.request("POST", path, raw, {**usual, **{k.replace("_", "-"): v for k, v in headers.items()}})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


GOOD = body(user(text("go")), assistant(text("look"), use("a"), use("b")), user(result("b"), result("a"), text("more")))


def test_a_right_conversation_is_accepted() -> None:
    assert shape_violations(GOOD) + message_violations(GOOD) == []


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (body(), "first message"),
        (body(assistant(text("hi"))), "first message"),
        (body(user(text("a")), user(text("b"))), "one role in a row"),
        (body(user()), "no content"),
        (body(user(text(" "))), "empty text"),
        (body(user(text("go")), assistant(use("a"))), "without results"),
        (body(user(text("go")), assistant(use("a")), user(text("so?"))), "answered by"),
        (body(user(text("go")), assistant(use("a")), user(text("so?"), result("a"))), "after other content"),
        (body(user(text("go")), assistant(use("a"), use("b")), user(result("a"))), "answered by"),
        (body(user(text("go")), assistant(use("a")), user(result("a"), result("a"))), "answered by"),
        (body(user(result("a"))), "answered by"),
        (body(user(text("go")), assistant(use("a"), use("a")), user(result("a"), result("a"))), "not unique"),
        (
            body(user(text("go")), assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))),
            "not unique",
        ),
        (body(user(text("go")), tools=[{"name": "a b", "input_schema": {"type": "object"}}]), "pattern"),
        (body(user(text("go")), tools=[{"name": "a", "input_schema": {"type": "object"}}] * 2), "one name"),
        (body(user(text("go")), tools=[{"name": "a", "input_schema": {"type": "array"}}]), "object schema"),
        (body(user(*[{**text("x"), **MARK}] * 5)), "4 at most"),
        (
            body(user(text("go")), assistant({"type": "thinking", "thinking": "t", "signature": "s", **MARK})),
            "cannot carry",
        ),
    ],
)
def test_a_broken_rule_between_messages_is_found(wrong: dict, complaint: str) -> None:
    assert any(complaint in violation for violation in message_violations(wrong))


@pytest.mark.parametrize(
    "wrong",
    [
        body(user(text("go")), temperature=0.5),
        body(user({"type": "text", "text": "go", "extra": 1})),
        body(user({"type": "text"})),
        body({"role": "robot", "content": "go"}),
        body(user(text("go")), max_tokens="many"),
        body(user(text("go")), assistant({"type": "tool_use", "id": "a", "name": "Read"}), user(result("a"))),
        {"messages": []},
    ],
)
def test_a_wrong_shape_is_found(wrong: dict) -> None:
    assert shape_violations(wrong)


def test_a_violation_is_refused_and_remembered() -> None:
    with AnthropicServer([Turn([text("never")])]) as server:
        status, answer = post(server, body(user(text("a")), user(text("b"))))

    assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
    assert "one role in a row" in server.violations[0]


def test_the_key_and_the_version_are_checked() -> None:
    with AnthropicServer([]) as server:
        assert post(server, GOOD, authorization="Bearer other")[0] == 401
        assert post(server, GOOD, authorization="", x_api_key=server.key)[0] == 401
        assert server.violations == []
        assert post(server, GOOD, anthropic_version="2023-06-01")[0] == 400
        assert "2023-06-01" in server.violations[0]


def test_a_request_beyond_the_script_is_a_violation() -> None:
    with AnthropicServer([Failure(529)]) as server:
        assert post(server, GOOD)[0] == 529
        assert post(server, GOOD)[0] == 400

    assert "the script has 1 steps" in server.violations[0]


def test_a_script_that_fails_is_a_violation() -> None:
    def script(_: dict) -> Turn:
        raise AssertionError("the model was asked something odd")

    with AnthropicServer(script) as server:
        assert post(server, GOOD)[0] == 400

    assert "something odd" in server.violations[0]


def test_thinking_that_was_not_sent_so_is_a_violation() -> None:
    forged = {"type": "thinking", "thinking": "other", "signature": "s"}
    with AnthropicServer([]) as server:
        post(server, body(user(text("go")), assistant(forged, text("so")), user(text("on"))))

    assert "not as it was sent" in server.violations[0]


def test_a_request_that_does_not_stream_gets_a_message() -> None:
    with AnthropicServer([Turn([text("hello"), call("Read", file_path="ü")])]) as server:
        status, answer = post(server, body(user(text("go"))))

    assert status == 200
    assert answer["content"][0] == text("hello")
    assert answer["content"][1]["input"] == {"file_path": "ü"}
    assert answer["stop_reason"] == "tool_use"
    assert answer["usage"]["input_tokens"] == server.usages[0].input_tokens


def test_tokens_are_counted_without_a_step_of_the_script() -> None:
    with AnthropicServer([]) as server:
        status, answer = post(server, body(user(text(LONG))), "/v1/messages/count_tokens")

    assert status == 200
    assert 1250 <= answer["input_tokens"] <= 1270


def test_an_unknown_path_is_not_found() -> None:
    with AnthropicServer([]) as server:
        assert post(server, GOOD, "/v1/complete")[0] == 404


def test_a_prefix_is_written_once_and_read_afterwards() -> None:
    cache = PromptCache()
    first = body(user({**text(LONG), **MARK}))
    second = body(user({**text(LONG), **MARK}), assistant(text("ok")), user(text("tail")))

    written, read = cache.use(first), cache.use(second)

    assert (written.cache_read_input_tokens, written.input_tokens) == (0, 0)
    assert read.cache_read_input_tokens == written.cache_creation_input_tokens > 1250
    assert read.cache_creation_input_tokens == 0
    assert 0 < read.input_tokens < 30


def test_without_a_mark_nothing_is_cached() -> None:
    cache = PromptCache()

    for _ in range(2):
        assert cache.use(body(user(text(LONG)))).cache_read_input_tokens == 0


def test_a_short_prefix_is_not_cached() -> None:
    cache = PromptCache()
    short = body(user({**text("word " * 700), **MARK}))

    assert cache.use(short) == cache.use(short)
    assert cache.use(short).cache_creation_input_tokens == 0


@pytest.mark.parametrize(("blocks_between", "found"), [(18, True), (19, True), (20, False), (40, False)])
def test_a_mark_looks_back_over_twenty_blocks(blocks_between: int, found: bool) -> None:
    cache = PromptCache()
    cache.use(body(user({**text(LONG), **MARK})))
    row = [text(f"{n}") for n in range(blocks_between - 1)]

    used = cache.use(body(user(text(LONG), *row, {**text("last"), **MARK})))

    assert (used.cache_read_input_tokens > 0) is found


def test_an_entry_is_read_only_where_a_mark_wrote_it() -> None:
    cache = PromptCache()
    cache.use(body(user(text(LONG), {**text("tail"), **MARK})))

    assert cache.use(body(user({**text(LONG), **MARK}))).cache_read_input_tokens == 0


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"tools": [{"name": "a", "input_schema": {"type": "object"}}]},
        {"system": "other"},
        {"messages": [user({**text(LONG + "!"), **MARK})]},
        {"messages": [assistant({**text(LONG), **MARK})]},
    ],
)
def test_anything_changed_before_the_mark_misses(change: dict) -> None:
    cache = PromptCache()
    sent = body(user({**text(LONG), **MARK}))
    cache.use(sent)

    assert cache.use({**sent, **change}).cache_read_input_tokens == 0


def test_a_rewritten_history_is_found() -> None:
    one = body(user(text("go")), assistant(text("ok")))
    longer = body(*one["messages"], user(text("more")))
    changed = body(user(text("went")), assistant(text("ok")), user(text("more")))
    marked = body(user({**text("go"), **MARK}), assistant(text("ok")))

    assert rewritten([one, longer]) == rewritten([marked, longer]) == []
    assert rewritten([one, changed]) == ["request 2 rewrote messages[0]:user of request 1"]
    assert rewritten([longer, one]) == ["request 2 rewrote the end of request 1"]


def test_it_runs_in_a_process_of_its_own_without_the_sdk(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"blocks": [text("hello")]}]))
    argv = [sys.executable, "-m", "tests.fakes.anthropic_server", "--script", str(script), "--no-validate", "--repeat"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            for _ in range(2):
                request = urllib.request.Request(
                    f"{url}/v1/messages",
                    json.dumps(GOOD).encode(),
                    {"authorization": "Bearer test-key-0123456789", "anthropic-version": API_VERSION},
                )
                with urllib.request.urlopen(request, timeout=10) as answer:
                    assert json.load(answer)["content"] == [text("hello")]
            with urllib.request.urlopen(f"{url}/stats", timeout=10) as answer:
                stats = json.load(answer)
        finally:
            process.terminate()
    assert stats["requests"] == 2
    assert stats["sdk_loaded"] is False
