"""The HTTP of the scripted Messages API: reads requests, plays what was decided, drops connections when told to."""

import contextlib
import json
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from tests.fakes.anthropic_script import Answer, Drop, Failure, Step, Turn, events_of, sse, whole_message
from tests.fakes.prompt_cache import CacheUse

FREE = CacheUse(0, 0, 0)

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


@dataclass(frozen=True)
class Decision:
    """What a request gets: the step, and what its answer must say."""

    step: Step
    number: int
    usage: CacheUse = FREE
    model: str = ""
    streaming: bool = False


class Api(Protocol):
    """What decides the answers."""

    def take(self, raw: bytes, headers: dict[str, str]) -> Decision: ...

    def count(self, raw: bytes, headers: dict[str, str]) -> Step: ...

    def stats(self) -> dict[str, Any]: ...


class Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: Api, port: int) -> None:
        self.api = api
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Handler)

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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Listener

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
            self._play(Decision(self.server.api.count(raw, headers), 0))
        elif path.endswith("/v1/messages"):
            self._play(self.server.api.take(raw, headers))
        else:
            self._fail(Failure(404, f"no such path: {self.path}"), "none")

    def _play(self, decision: Decision) -> None:
        step = decision.step
        request_id = f"req_{decision.number:06d}"
        match step:
            case Turn():
                time.sleep(step.delay)
                events = events_of(step, decision.usage, decision.model, decision.number)
                if decision.streaming:
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
                whole += sse({"type": "error", "error": fault})
                break
            if sent == turn.garbage_after:
                whole += b"event: content_block_delta\ndata: {not json\n\n"
                continue
            whole += sse(event)
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
