"""A scripted Messages API on the loopback: real HTTP, real SSE, strict about what it is sent.

    def test_x(anthropic_server):
        server = anthropic_server([Turn([call("Read", file_path="a.py")]), Failure(529), Turn([text("done")])])
        model = AnthropicModel(server.key, server.url, timeout=5)

A script is a list of steps, one a request, or a function of the request's body that gives a step. A step is a `Turn`
(an answer, perhaps one that breaks off), a `Failure` (a status) or an `Answer` (any bytes). Every body is checked by
anthropic_rules; a violation is answered with 400, remembered, and fails the test at its end. `usage` comes from
prompt_cache. Bodies and headers are kept as they came.

In a process of its own (benchmarks): `python -m tests.fakes.anthropic_server --script FILE [--no-validate]`, where FILE
is a JSON list of `{"blocks": [...], "stop_reason": ...}`; it prints its URL, and answers `GET /stats`.
"""

import argparse
import contextlib
import hashlib
import itertools
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.fakes.anthropic_rules import message_violations, shape_violations
from tests.fakes.prompt_cache import BYTES_PER_TOKEN, CacheUse, PromptCache

API_VERSION = "2026-10-21"

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def call(name: str, /, **inputs: Any) -> dict:
    """A tool_use block; the server gives it an id."""
    return {"type": "tool_use", "name": name, "input": inputs}


def raw_call(name: str, partial_json: str) -> dict:
    """A tool_use block whose input arrives as this text, JSON or not."""
    return {"type": "tool_use", "name": name, "input": {}, "raw": partial_json}


def thinking(words: str) -> dict:
    """A thinking block, signed by the server; it must come back unchanged."""
    return {"type": "thinking", "thinking": words, "signature": hashlib.sha256(words.encode()).hexdigest()}


@dataclass(frozen=True)
class Turn:
    """An answer by stream.

    Attributes:
        blocks: content; `text`, `call`, `raw_call`, `thinking` make them, any other goes out whole at its start.
        stop_reason: None gives tool_use where there is a call, else end_turn.
        delay: seconds before the answer begins.
        pause: seconds before each event.
        piece: characters of a delta.
        cut_after: events sent before the connection is dropped; None for all.
        end_after: events sent before the stream ends as if it were whole.
        error_after: events sent before an error event (of type `error`) ends the stream.
        garbage_after: events sent before one whose data is not JSON.
        error: the error event's type.
        output_tokens: None counts the blocks' bytes / 4.
    """

    blocks: Sequence[dict] = ()
    stop_reason: str | None = None
    delay: float = 0.0
    pause: float = 0.0
    piece: int = 200
    cut_after: int | None = None
    end_after: int | None = None
    error_after: int | None = None
    garbage_after: int | None = None
    error: str = "overloaded_error"
    output_tokens: int | None = None


@dataclass(frozen=True)
class Failure:
    """An error answer in the API's shape."""

    status: int
    message: str = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass(frozen=True)
class Answer:
    """Any bytes under any status: what a gateway, a captive portal or a broken server would send."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drop:
    """The connection is closed without a word."""


Step = Turn | Failure | Answer | Drop
Script = Sequence[Step] | Callable[[dict], Step]


class AnthropicServer:
    """One scripted API. `with AnthropicServer(script) as server:`; the attributes may be read while it runs.

    Attributes:
        raw_bodies: requests to /v1/messages as bytes (empty where not kept).
        headers: their headers, lower-case names.
        usages: what each was charged, by the cache's accounting.
        violations: rules that requests broke.
    """

    def __init__(
        self, script: Script, *, key: str = "test-key-0123456789", validate: bool = True, port: int = 0
    ) -> None:
        self.key = key
        self.raw_bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.usages: list[CacheUse] = []
        self.violations: list[str] = []
        self.bytes_received = 0
        self.output_tokens = 0
        self.cache = PromptCache()
        self._script = script
        self._validate = validate
        self._served_thinking: set[str] = set()
        self._lock = threading.Lock()
        self._requests = itertools.count(1)
        self._played = 0
        self._http = _Listener(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def bodies(self) -> list[dict]:
        return [json.loads(raw) for raw in self.raw_bodies]

    @property
    def cached_share(self) -> float:
        """Of all input tokens, how many were read from the cache."""
        total = sum(usage.total for usage in self.usages)
        return sum(usage.cache_read_input_tokens for usage in self.usages) / total if total else 0.0

    def stats(self) -> dict[str, Any]:
        return {
            "requests": len(self.usages),
            "bytes": self.bytes_received,
            "input_tokens": sum(usage.input_tokens for usage in self.usages),
            "cache_read_input_tokens": sum(usage.cache_read_input_tokens for usage in self.usages),
            "cache_creation_input_tokens": sum(usage.cache_creation_input_tokens for usage in self.usages),
            "output_tokens": self.output_tokens,
            "first_request_tokens": self.usages[0].total if self.usages else 0,
            "violations": self.violations,
            "sdk_loaded": "anthropic" in sys.modules,
        }

    def take(self, raw: bytes, headers: dict[str, str]) -> tuple[Step, CacheUse, int]:
        """Check a request and decide its answer: the step, what it is charged, the request's number."""
        body = self._checked(raw, headers)
        with self._lock:
            number = next(self._requests)
            self.bytes_received += len(raw)
            if self._validate:
                self.raw_bodies.append(raw)
                self.headers.append(headers)
        if isinstance(body, Failure):
            return body, CacheUse(0, 0, 0), number
        step = self._step(body, number)
        if not isinstance(step, Turn):
            return step, CacheUse(0, 0, 0), number
        usage = self.cache.use(body)
        with self._lock:
            self.usages.append(usage)
            self.output_tokens += output_tokens(step)
            self._served_thinking.update(_canonical(block) for block in step.blocks if block["type"] == "thinking")
        return step, usage, number

    def count(self, raw: bytes, headers: dict[str, str]) -> Step:
        """The count_tokens endpoint's answer."""
        refusal = self._refusal(headers)
        if refusal is not None:
            return refusal
        counted = PromptCache().use(json.loads(raw)).total
        return Answer(json.dumps({"input_tokens": counted}).encode())

    def _checked(self, raw: bytes, headers: dict[str, str]) -> dict | Failure:
        refusal = self._refusal(headers)
        if refusal is not None:
            return refusal
        try:
            body = json.loads(raw)
        except ValueError as error:
            return self._violated([f"the body is not JSON: {error}"])
        if not self._validate:
            return body
        found = shape_violations(body)
        found = found or message_violations(body) + self._thinking_violations(body)
        return self._violated(found) if found else body

    def _refusal(self, headers: dict[str, str]) -> Failure | None:
        if headers.get("authorization") != f"Bearer {self.key}":
            return Failure(401, "invalid bearer token")
        if headers.get("anthropic-version") != API_VERSION:
            return self._violated([f"anthropic-version is {headers.get('anthropic-version')!r}, not {API_VERSION}"])
        return None

    def _violated(self, found: list[str]) -> Failure:
        with self._lock:
            self.violations += found
        return Failure(400, "; ".join(found))

    def _thinking_violations(self, body: dict) -> list[str]:
        return [
            f"messages[{index}]: a thinking block is not as it was sent"
            for index, message in enumerate(body["messages"])
            if message["role"] == "assistant" and isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "thinking" and _canonical(block) not in self._served_thinking
        ]

    def _step(self, body: dict, number: int) -> Step:
        if callable(self._script):
            try:
                return self._script(body)
            except Exception as error:  # noqa: BLE001 - a scripted model's own mistake must fail its test
                return self._violated([f"the script failed at request {number}: {error!r}"])
        with self._lock:
            place = self._played
            self._played += 1
        if place < len(self._script):
            return self._script[place]
        return self._violated([f"request {number}, but the script has {len(self._script)} steps"])


def output_tokens(turn: Turn) -> int:
    if turn.output_tokens is not None:
        return turn.output_tokens
    return max(1, len(_canonical(list(turn.blocks))) // BYTES_PER_TOKEN)


def events_of(turn: Turn, usage: CacheUse, model: str, number: int) -> Iterator[dict]:
    """The stream of a whole answer."""
    message = {
        "id": f"msg_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**vars(usage), "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    for index, block in enumerate(turn.blocks):
        start, deltas = _start_and_deltas(block, f"toolu_{number:06d}_{index}", turn.piece)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    calls = any(block["type"] == "tool_use" for block in turn.blocks)
    reason = turn.stop_reason or ("tool_use" if calls else "end_turn")
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": output_tokens(turn)},
    }
    yield {"type": "message_stop"}


def _start_and_deltas(block: dict, id_: str, piece: int) -> tuple[dict, list[dict]]:
    match block:
        case {"type": "text", "text": words}:
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in _cut(words, piece)]
        case {"type": "tool_use", "name": name, "input": inputs}:
            raw = block.get("raw", json.dumps(inputs))
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in ["", *_cut(raw, piece)]]
            return {"type": "tool_use", "id": block.get("id", id_), "name": name, "input": {}}, deltas
        case {"type": "thinking", "thinking": words, "signature": signature}:
            deltas = [{"type": "thinking_delta", "thinking": part} for part in _cut(words, piece)]
            deltas.append({"type": "signature_delta", "signature": signature})
            return {"type": "thinking", "thinking": "", "signature": ""}, deltas
        case _:
            return block, []


def _cut(words: str, piece: int) -> list[str]:
    return [words[start : start + piece] for start in range(0, len(words), piece)]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: AnthropicServer, port: int) -> None:
        self.api = api
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request, client_address) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """End what is still open, so that no handler outlives the test."""
        self.server_close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a client that hangs up is no fault of ours
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Silence: a test's output is its own."""

    def do_GET(self) -> None:
        if self.path == "/stats":
            self._answer(Answer(json.dumps(self.server.api.stats()).encode()), "stats")
        else:
            self._fail(Failure(404, f"no such path: {self.path}"), "none")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        if path.endswith("/v1/messages/count_tokens"):
            self._play(self.server.api.count(raw, headers), CacheUse(0, 0, 0), 0, raw)
        elif path.endswith("/v1/messages"):
            step, usage, number = self.server.api.take(raw, headers)
            self._play(step, usage, number, raw)
        else:
            self._fail(Failure(404, f"no such path: {self.path}"), "none")

    def _play(self, step: Step, usage: CacheUse, number: int, raw: bytes) -> None:
        request_id = f"req_{number:06d}"
        match step:
            case Turn():
                time.sleep(step.delay)
                body = json.loads(raw)
                events = events_of(step, usage, body["model"], number)
                if body.get("stream"):
                    self._stream(step, events, request_id)
                else:
                    self._answer(Answer(json.dumps(whole_message(events)).encode()), request_id)
            case Failure():
                time.sleep(step.delay)
                self._fail(step, request_id)
            case Answer():
                self._answer(step, request_id)
            case Drop():
                self.close_connection = True

    def _fail(self, failure: Failure, request_id: str) -> None:
        kind = ERROR_TYPES.get(failure.status, "api_error")
        body = {"type": "error", "error": {"type": kind, "message": failure.message}, "request_id": request_id}
        self._answer(Answer(json.dumps(body).encode(), failure.status, headers=failure.headers), request_id)

    def _answer(self, answer: Answer, request_id: str) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("request-id", request_id)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, turn: Turn, events: Iterator[dict], request_id: str) -> None:
        self.send_response(200)
        self.send_header("request-id", request_id)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        whole = bytearray()
        ended = True
        for sent, event in enumerate(events):
            if sent == turn.cut_after:
                ended = False
                break
            if sent == turn.end_after:
                break
            if sent == turn.error_after:
                fault = {"type": turn.error, "message": "scripted error"}
                whole += _sse({"type": "error", "error": fault})
                break
            if sent == turn.garbage_after:
                whole += b"event: content_block_delta\ndata: {not json\n\n"
                continue
            whole += _sse(event)
            if turn.pause:
                self._chunk(whole)
                time.sleep(turn.pause)
        self._chunk(whole)
        if ended:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def _chunk(self, data: bytearray) -> None:
        """Send what there is as one chunk; an empty one would end the body."""
        if data:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            data.clear()


def _sse(event: dict) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def whole_message(events: Iterator[dict]) -> dict:
    """The same answer for a request that does not stream."""
    message: dict = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = event["message"]
            case "content_block_start":
                message["content"].append(event["content_block"])
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                match delta["type"]:
                    case "text_delta":
                        block["text"] += delta["text"]
                    case "thinking_delta":
                        block["thinking"] += delta["thinking"]
                    case "signature_delta":
                        block["signature"] = delta["signature"]
                    case "input_json_delta":
                        block["raw"] = block.get("raw", "") + delta["partial_json"]
            case "content_block_stop":
                block = message["content"][event["index"]]
                if "raw" in block:
                    block["input"] = json.loads(block.pop("raw"))
            case "message_delta":
                message |= event["delta"]
                message["usage"] |= event["usage"]
    return message


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted Messages API on the loopback.")
    parser.add_argument("--script", required=True, help="JSON: a list of turns")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="test-key-0123456789")
    parser.add_argument("--repeat", action="store_true", help="begin again at the script's end")
    parser.add_argument("--no-validate", action="store_true", help="trust requests, keep no bodies, do without the SDK")
    arguments = parser.parse_args()
    turns = [Turn(**turn) for turn in json.loads(Path(arguments.script).read_bytes())]
    steps = itertools.cycle(turns)
    script: Script = (lambda _: next(steps)) if arguments.repeat else turns
    with AnthropicServer(script, key=arguments.key, validate=not arguments.no_validate, port=arguments.port) as server:
        print(server.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
