"""What only the real door can do wrong: the wire, the network, the key, the cache."""

import json
import socket
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from autofix.errors import ModelError, ModelRejected, ModelUnavailable, UsageError
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
from autofix.world.anthropic_model import AnthropicModel
from tests.fakes.anthropic_rules import rewritten
from tests.fakes.anthropic_server import (
    Answer,
    AnthropicServer,
    Drop,
    Failure,
    Script,
    Step,
    Turn,
    call,
    raw_call,
    text,
    thinking,
)

Start = Callable[[Script], AnthropicServer]

BASH = ToolSpec("Bash", "Runs a command. " * 150, {"type": "object", "properties": {"command": {"type": "string"}}})


@pytest.fixture
def connect(request: pytest.FixtureRequest) -> Callable[..., AnthropicModel]:
    def build(server: AnthropicServer, **changes) -> AnthropicModel:
        model = AnthropicModel(**{"api_key": server.key, "base_url": server.url, "timeout": 10.0, **changes})
        request.addfinalizer(model.close)
        return model

    return build


def asking(*messages: Message, system: str = "You fix tests. " * 200) -> ModelRequest:
    return ModelRequest("claude-sonnet-5", system, (BASH,), messages or (said("The test fails."),), 1000)


def said(words: str) -> Message:
    return Message("user", (TextBlock(words),))


def silent(_: str) -> None:
    """Nobody listens."""


def converse(model: AnthropicModel, turns: int, results: Callable[[ToolUseBlock], str]) -> list[ModelReply]:
    """A conversation in which every call is answered."""
    messages = [said("The test fails. " * 50)]
    replies = []
    for _ in range(turns):
        reply = model.reply(asking(*messages), silent)
        replies.append(reply)
        messages.append(Message("assistant", reply.blocks))
        messages.append(Message("user", tuple(ToolResultBlock(use.id, results(use)) for use in reply.tool_uses)))
    return replies


def test_the_request_carries_the_model_the_tools_and_one_system_block(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("hello")])])

    connect(server).reply(asking(said("go")), silent)

    (body,) = server.bodies
    assert body["model"] == "claude-sonnet-5"
    assert body["max_tokens"] == 1000
    assert body["stream"] is True
    assert body["tools"] == [{"name": "Bash", "description": BASH.description, "input_schema": BASH.input_schema}]
    assert body["system"] == [
        {"type": "text", "text": "You fix tests. " * 200, "cache_control": {"type": "ephemeral"}},
    ]
    assert set(body) == {"model", "max_tokens", "stream", "tools", "system", "messages"}


def test_usage_model_and_request_id_come_from_the_stream(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("hello")], output_tokens=77)])

    reply = connect(server).reply(asking(), silent)

    (used,) = server.usages
    assert reply.usage == Usage(used.input_tokens, 77, 0, used.cache_creation_input_tokens)
    assert used.cache_creation_input_tokens > 1024
    assert (reply.model, reply.request_id) == ("claude-sonnet-5", "req_000001")


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_cut_connection_is_a_reply_without_stop_reason_whatever_had_come(
    anthropic_server: Start, connect, cut: int
) -> None:
    turn = Turn([text("I will run it."), call("Bash", command="pytest")], piece=10, cut_after=cut)
    server = anthropic_server([turn, Turn([text("back")])])
    model = connect(server)

    reply = model.reply(asking(), silent)

    assert reply.stop_reason is None
    assert reply.usage.total_input > 1024, "what was paid for is known although nothing came of it"
    assert model.reply(asking(), silent).text == "back"


def test_a_connection_cut_before_the_message_began_is_unavailable(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("never")], cut_after=0), Drop()])
    model = connect(server)

    with pytest.raises(ModelUnavailable, match="before the model's reply began"):
        model.reply(asking(), silent)
    with pytest.raises(ModelUnavailable, match=r"cannot reach 127\.0\.0\.1"):
        model.reply(asking(), silent)


@pytest.mark.parametrize("sent", [0, 1, 3, 4])
@pytest.mark.parametrize(
    ("kind", "status"), [("overloaded_error", 529), ("rate_limit_error", 429), ("api_error", 500), ("new_error", None)]
)
def test_an_error_event_is_unavailable(anthropic_server: Start, connect, sent: int, kind: str, status) -> None:
    server = anthropic_server([Turn([text("half a sentence")], error_after=sent, error=kind)])

    with pytest.raises(ModelUnavailable, match=kind) as caught:
        connect(server).reply(asking(), silent)

    assert caught.value.status == status


def test_an_error_event_that_no_retry_helps_is_rejected(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("half")], error_after=3, error="invalid_request_error")])

    with pytest.raises(ModelRejected, match="scripted error"):
        connect(server).reply(asking(), silent)


def test_an_event_that_is_not_json_is_unavailable(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("half")], garbage_after=3)])

    with pytest.raises(ModelUnavailable, match="not JSON"):
        connect(server).reply(asking(), silent)


def test_events_nobody_knows_are_passed_over(anthropic_server: Start, connect) -> None:
    stream = (
        b'event: message_start\ndata: {"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}}\n\n'
        b'event: from_the_future\ndata: {"type":"from_the_future","index":"?"}\n\n'
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    )
    server = anthropic_server([Answer(stream, content_type="text/event-stream")])

    reply = connect(server).reply(asking(), silent)

    assert reply == ModelReply((), "end_turn", Usage(input=3), "m", "req_000001")


@pytest.mark.parametrize(
    "event",
    [
        b'{"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"x"}}',
        b'["no event"]',
        b'{"no": "type"}',
    ],
)
def test_a_stream_that_makes_no_sense_is_unavailable(anthropic_server: Start, connect, event: bytes) -> None:
    server = anthropic_server([Answer(b"event: x\ndata: " + event + b"\n\n", content_type="text/event-stream")])

    with pytest.raises(ModelUnavailable, match="the model's stream"):
        connect(server).reply(asking(), silent)


def test_a_stop_reason_nobody_knows_asks_for_an_update(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("so")], "from_the_future")])

    with pytest.raises(ModelRejected, match=r"from_the_future.*update autofix"):
        connect(server).reply(asking(), silent)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(b'{"ok": true}'), ModelRejected),
        (Answer(b'{"type": "message", "content": []}'), ModelRejected),
        (Answer(b"<html>Log in to the hotel</html>", content_type="text/html"), ModelRejected),
        (Answer(b"", content_type=""), ModelRejected),
        (Answer(b'{"half": '), ModelUnavailable),
    ],
)
def test_a_success_that_is_no_stream_is_an_error(anthropic_server: Start, connect, answer: Step, error) -> None:
    with pytest.raises(error):
        connect(anthropic_server([answer])).reply(asking(), silent)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_the_wait_asked_for_is_read(anthropic_server: Start, connect, headers, expected) -> None:
    with pytest.raises(ModelUnavailable) as caught:
        connect(anthropic_server([Failure(429, headers=headers)])).reply(asking(), silent)

    if "GMT" in headers.get("retry-after", ""):
        assert caught.value.retry_after > 365 * 86400
    else:
        assert caught.value.retry_after == expected


def test_the_server_may_say_that_no_retry_helps(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Failure(429, "spend limit reached", {"x-should-retry": "false"})])

    with pytest.raises(ModelRejected, match="spend limit reached"):
        connect(server).reply(asking(), silent)


@pytest.mark.parametrize(
    ("failure", "advice"),
    [
        (Failure(401), "ANTHROPIC_API_KEY"),
        (Failure(402), "billing"),
        (Failure(404), "model's name"),
        (Failure(413), "less context"),
        (Failure(400, "prompt is too long: 210000 tokens > 200000 maximum"), "context window"),
        (Failure(307, headers={"location": "http://127.0.0.1:1/"}), "base URL"),
    ],
)
def test_a_refusal_says_what_to_do(anthropic_server: Start, connect, failure: Failure, advice: str) -> None:
    server = anthropic_server([failure])

    with pytest.raises(ModelRejected, match=advice) as caught:
        connect(server).reply(asking(), silent)

    assert caught.value.status == failure.status
    assert len(server.raw_bodies) == 1


def test_a_server_that_falls_silent_is_unavailable(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("late")], delay=3.0)])

    with pytest.raises(ModelUnavailable, match="did not answer"):
        connect(server, timeout=0.2).reply(asking(), silent)


def test_a_stream_that_falls_silent_ends_without_stop_reason(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("slow")], pause=2.0)])

    assert connect(server, timeout=0.3).reply(asking(), silent).stop_reason is None


def test_a_slow_stream_is_waited_for(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("slow but steady")], pause=0.05, piece=4)])
    heard: list[str] = []

    reply = connect(server, timeout=1.0).reply(asking(), heard.append)

    assert reply.stop_reason == "end_turn"
    assert heard == ["slow", " but", " ste", "ady"]


def test_nobody_there_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        model = AnthropicModel("some-key", f"http://127.0.0.1:{unused.getsockname()[1]}", timeout=5)
        with pytest.raises(ModelUnavailable, match=r"cannot reach 127\.0\.0\.1"):
            model.reply(asking(), silent)
        model.close()


def test_thinking_goes_back_exactly_as_it_came(anthropic_server: Start, connect) -> None:
    secret = {"type": "redacted_thinking", "data": "gibberish=="}
    odd = {"type": "from_the_future", "payload": {"nested": [1, 2.5, None]}}
    first = Turn([thinking("Let me see… " * 100), secret, odd, call("Bash", command="ls")])
    seen: list[list[dict]] = []

    def script(body: dict) -> Turn:
        if len(body["messages"]) == 1:
            return first
        seen.append(body["messages"][1]["content"])
        return Turn([text("done")])

    with AnthropicServer(script, validate=False) as server:  # the SDK's types refuse a block they do not know
        model = connect(server)
        (reply, _) = converse(model, 2, lambda _: "ok")

    assert [type(block) for block in reply.blocks] == [OpaqueBlock, OpaqueBlock, OpaqueBlock, ToolUseBlock]
    assert seen == [[first.blocks[0], secret, odd, {**first.blocks[3], "id": "toolu_000001_3"}]]


def test_thinking_is_accepted_by_a_server_that_checks_it(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([thinking("hm " * 500), call("Bash", command="ls")]), Turn([text("done")])])

    assert converse(connect(server), 2, lambda _: "ok")[-1].text == "done"


def test_replies_the_api_would_refuse_to_take_back_are_made_acceptable(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("ok")])])
    messages = (
        said("go"),
        Message("assistant", ()),
        said("You said nothing."),
        Message("assistant", (TextBlock(" \n"), ToolUseBlock("t1", "Bash", None, "{broken"))),
        Message("user", (ToolResultBlock("t1", "no JSON object", is_error=True),)),
    )

    assert connect(server).reply(asking(*messages), silent).text == "ok"


def test_bytes_that_are_no_text_do_not_stop_a_request(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("ok")])])

    connect(server).reply(asking(said(b"caf\xe9".decode(errors="surrogateescape"))), silent)

    assert server.bodies[0]["messages"][0]["content"][0]["text"] == "caf?"


def test_a_conversation_that_pauses_goes_on_from_the_models_own_message(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("Searching")], "pause_turn"), Turn([text("Found")])])
    model = connect(server)
    task = said("go " * 3000)
    reply = model.reply(asking(task), silent)

    model.reply(asking(task, Message("assistant", reply.blocks)), silent)

    assert server.usages[1].cache_read_input_tokens > 0.9 * server.usages[1].total


def test_forty_turns_read_nine_tenths_of_their_input_from_the_cache(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("Next."), call("Bash", command=f"cat {n}")]) for n in range(40)])

    converse(connect(server), 40, lambda use: f"{use.input} prints this. " * 150)

    assert server.cached_share >= 0.9
    for before, now in zip(server.usages, server.usages[1:], strict=False):
        assert now.cache_read_input_tokens == before.total, "each turn reads all of the request before it"
        assert now.input_tokens == 0, "nothing is paid in full: the last block is marked"


@pytest.mark.parametrize("calls", [8, 30, 60])
def test_the_cache_is_found_again_after_a_turn_of_many_calls(anthropic_server: Start, connect, calls: int) -> None:
    turn = Turn([call("Bash", command=f"cat {n}") for n in range(calls)])
    server = anthropic_server([turn] * 4)

    converse(connect(server), 4, lambda _: "a line of output " * 20)

    for before, now in zip(server.usages, server.usages[1:], strict=False):
        assert now.cache_read_input_tokens == before.total


def test_the_task_is_read_from_the_cache_after_history_was_folded(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([call("Bash", command="ls")])] * 3 + [Turn([text("done")])])
    model = connect(server)
    converse(model, 3, lambda _: "output " * 500)

    task = said("The test fails. " * 50)
    kept = [Message("assistant", (TextBlock("Summary: " + "tried " * 40),)), said("Go on.")] * 15
    folded = (task, *kept)  # more than the 20 blocks the API looks back
    model.reply(asking(*folded), silent)

    assert server.usages[3].cache_read_input_tokens == server.usages[0].total


def test_a_second_run_shares_the_prefix_of_tools_and_system(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("one")]), Turn([text("two")])])

    connect(server).reply(asking(said("task A")), silent)
    connect(server).reply(asking(said("task B")), silent)

    assert server.usages[1].cache_read_input_tokens > 1024


def test_no_request_rewrites_what_an_earlier_one_sent(anthropic_server: Start, connect) -> None:
    turns = [Turn([thinking(f"step {n}"), text("ü"), call("Bash", command=f"ls {n}")]) for n in range(12)]
    server = anthropic_server(turns)

    converse(connect(server), 12, lambda _: "output")

    assert rewritten(server.bodies) == []
    prefix = server.raw_bodies[5].partition(b'"messages":')[0]
    assert all(raw.startswith(prefix) for raw in server.raw_bodies), "byte for byte, not only as JSON"


KEY = "sk-ant-canary-0123456789"


@pytest.mark.parametrize(
    "step",
    [
        Failure(401, f"no such key: {KEY}"),
        Failure(500, f"dump: Authorization: Bearer {KEY}"),
        Failure(429, KEY),
        Answer(f"<pre>{KEY}</pre>".encode(), 502, "text/html"),
        Answer(KEY.encode(), 200, f"text/{KEY}"),
        Answer(
            b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"' + KEY.encode() + b'"}}\n\n',
            content_type="text/event-stream",
        ),
        Turn([text("x")], f"reason {KEY}"),
        Drop(),
    ],
)
def test_no_error_shows_the_key(connect, step: Step) -> None:
    with AnthropicServer([step], key=KEY) as server, pytest.raises(ModelError) as caught:
        connect(server).reply(asking(), silent)

    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in f"{error} {error!r} {vars(error)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_the_key_is_nowhere_in_what_the_door_shows_of_itself() -> None:
    assert KEY not in repr(AnthropicModel(KEY, None, timeout=1))


@pytest.mark.parametrize("key", ["", " \n", "two words", "line\nbreak", "ключ", "tab\tkey"])
def test_a_key_that_can_be_none_is_refused_unshown(key: str) -> None:
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY") as caught:
        AnthropicModel(key, None, timeout=1)

    assert not key.strip() or key.strip() not in str(caught.value)


def test_a_pasted_line_end_is_not_part_of_the_key(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("hello")])])

    assert connect(server, api_key=server.key + "\r\n").reply(asking(), silent).text == "hello"


@pytest.mark.parametrize("url", ["api.example", "ftp://example", "http://", "http://[", "http://h:99999", "file:///x"])
def test_a_url_that_cannot_be_one_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="base URL"):
        AnthropicModel("key", url, timeout=1)
    with pytest.raises(UsageError, match="proxy"):
        AnthropicModel("key", None, timeout=1, proxy=url)


def test_a_gateway_below_a_path_is_reached(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("through the gateway")])])

    reply = connect(server, base_url=f"{server.url}/team/anthropic/").reply(asking(), silent)

    assert reply.text == "through the gateway"


def test_a_redirect_is_not_followed_with_the_conversation(anthropic_server: Start, connect) -> None:
    elsewhere = anthropic_server([])
    server = anthropic_server([Failure(308, headers={"location": f"{elsewhere.url}/v1/messages"})])

    with pytest.raises(ModelRejected, match="base URL"):
        connect(server).reply(asking(), silent)

    assert elsewhere.raw_bodies == []


def test_the_environment_decides_nothing(
    anthropic_server: Start, connect, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    server = anthropic_server([Turn([text("hello")])])
    dead_end = "http://127.0.0.1:9"
    for name in ("ANTHROPIC_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, dead_end)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a-third")
    monkeypatch.setenv("ANTHROPIC_PROFILE", "work")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert connect(server).reply(asking(), silent).text == "hello"


class _Proxy(BaseHTTPRequestHandler):
    """An HTTP proxy that notes what it was asked for and answers itself."""

    asked: list[str]

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.rfile.read(int(self.headers["content-length"]))
        body = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silence."""


def test_a_proxy_is_used_where_one_is_given(connect, anthropic_server: Start) -> None:
    handler = type("Handler", (_Proxy,), {"asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
        model = connect(
            anthropic_server([]),
            base_url="http://api.invalid",
            proxy=f"http://127.0.0.1:{proxy.server_port}",
        )
        model.reply(asking(), silent)
        model.close()
        proxy.shutdown()

    assert handler.asked == ["http://api.invalid/v1/messages"]


def test_loading_in_the_background_and_replying_do_not_race(anthropic_server: Start, connect) -> None:
    server = anthropic_server(lambda _: Turn([text("hello")]))
    model = connect(server)
    replies: list[str] = []

    def ask() -> None:
        replies.append(model.reply(asking(), silent).text)

    threads = [threading.Thread(target=target) for target in (model.prepare, ask, model.prepare, ask, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert replies == ["hello"] * 3


def test_importing_the_door_does_not_import_the_sdk(tmp_path) -> None:
    import subprocess

    code = "import sys, autofix.world.anthropic_model; print([m for m in ('anthropic', 'httpx2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert done.stdout.strip() == "[]"


def test_tool_input_that_arrives_in_single_characters_is_whole(anthropic_server: Start, connect) -> None:
    inputs = {"command": "printf '%s' \"ü\\n\"", "n": [1, {"a": None}]}
    server = anthropic_server([Turn([call("Bash", **inputs), raw_call("Bash", "")], piece=1)])

    reply = connect(server).reply(asking(), silent)

    assert [use.input for use in reply.tool_uses] == [inputs, {}]


def test_the_body_is_what_json_would_make_of_it(anthropic_server: Start, connect) -> None:
    server = anthropic_server([Turn([text("a"), call("Bash", command="ls")]), Turn([text("b")])])

    converse(connect(server), 2, lambda _: 'quotes " and \\ and \u2028 and 😀')

    for raw in server.raw_bodies:
        assert json.loads(raw.decode("utf-8", "strict"))
    assert server.bodies[1]["messages"][2]["content"][0]["content"] == 'quotes " and \\ and \u2028 and 😀'
