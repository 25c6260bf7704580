"""What a scripted Messages API is told to answer: steps, and the events and messages they become.

Pure: no connection, no clock. anthropic_server plays them.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.prompt_cache import BYTES_PER_TOKEN, CacheUse


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


def output_tokens(turn: Turn) -> int:
    if turn.output_tokens is not None:
        return turn.output_tokens
    return max(1, len(canonical(list(turn.blocks))) // BYTES_PER_TOKEN)


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


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def sse(event: dict) -> bytes:
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
