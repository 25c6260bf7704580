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
import itertools
import json
import sys
import threading
from pathlib import Path
from typing import Any, Self

from tests.fakes.anthropic_http import Decision, Listener
from tests.fakes.anthropic_rules import message_violations, shape_violations
from tests.fakes.anthropic_script import (
    Answer,
    Drop,
    Failure,
    Script,
    Step,
    Turn,
    call,
    canonical,
    output_tokens,
    raw_call,
    text,
    thinking,
)
from tests.fakes.prompt_cache import CacheUse, PromptCache

__all__ = [
    "Answer",
    "AnthropicServer",
    "Drop",
    "Failure",
    "Script",
    "Step",
    "Turn",
    "call",
    "raw_call",
    "text",
    "thinking",
]


API_VERSION = "2026-10-21"


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
        self._http = Listener(self, port)
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

    def take(self, raw: bytes, headers: dict[str, str]) -> Decision:
        """Check a request and decide its answer."""
        body = self._checked(raw, headers)
        with self._lock:
            number = next(self._requests)
            self.bytes_received += len(raw)
            if self._validate:
                self.raw_bodies.append(raw)
                self.headers.append(headers)
        if isinstance(body, Failure):
            return Decision(body, number)
        step = self._step(body, number)
        if not isinstance(step, Turn):
            return Decision(step, number)
        usage = self.cache.use(body)
        with self._lock:
            self.usages.append(usage)
            self.output_tokens += output_tokens(step)
            self._served_thinking.update(canonical(block) for block in step.blocks if block["type"] == "thinking")
        return Decision(step, number, usage, body["model"], bool(body.get("stream")))

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
            if block["type"] == "thinking" and canonical(block) not in self._served_thinking
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
