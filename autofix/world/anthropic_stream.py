"""A reply of the Messages API, folded from the events of its stream.

Events come as the JSON objects they are, not as the SDK's types: the SDK hides what it cannot parse, and a block this
version does not know must go back as it came. Pure: events in, a reply out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from autofix.errors import ModelError, ModelRejected, ModelUnavailable
from autofix.ports.model import Block, JsonValue, ModelReply, OpaqueBlock, StopReason, TextBlock, ToolUseBlock, Usage
from autofix.ports.transcript import STOP_REASONS

# What an error event's type would have been as a status; the stream's own status was 200.
_ERROR_STATUS: Mapping[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
}

_FINAL_ERRORS = frozenset(
    (
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "not_found_error",
        "request_too_large",
        "billing_error",
    )
)

_USAGE_FIELDS: Mapping[str, str] = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}


@dataclass(slots=True)
class _OpenBlock:
    """A block and the pieces that arrived for it, by the field they belong to."""

    start: dict[str, JsonValue]
    texts: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, list[JsonValue]] = field(default_factory=dict)

    def add(self, delta: Mapping[str, JsonValue]) -> None:
        for key, value in delta.items():
            if key == "type":
                continue
            if isinstance(value, str):
                self.texts.setdefault(key, []).append(value)
            elif delta.get("type") == "citations_delta":
                self.others.setdefault("citations", []).append(value)

    def block(self) -> Block:
        raw_input = "".join(self.texts.get("partial_json", ()))
        match self.start:
            case {"type": "text", "text": str(text)}:
                return TextBlock(text + "".join(self.texts.get("text", ())))
            case {"type": "tool_use", "id": str(id_), "name": str(name)}:
                given = parse_object(raw_input) if raw_input else self.start.get("input")
                if isinstance(given, dict):
                    return ToolUseBlock(id_, name, given)
                return ToolUseBlock(id_, name, None, raw_input)
            case _:
                return OpaqueBlock(self._payload(raw_input))

    def _payload(self, raw_input: str) -> dict[str, JsonValue]:
        payload = dict(self.start)
        for key, pieces in self.texts.items():
            given = payload.get(key)
            payload[key] = (given if isinstance(given, str) else "") + "".join(pieces)
        for key, values in self.others.items():
            given = payload.get(key)
            payload[key] = [*(given if isinstance(given, list) else []), *values]
        if payload.pop("partial_json", None) is not None and raw_input:
            payload["input"] = parse_object(raw_input) or {}
        return payload


class ReplyFold:
    """The fold of one stream. Feed every event; `reply()` is what they amount to, at any point."""

    def __init__(self, request_id: str = "") -> None:
        self._request_id = request_id
        self._model = ""
        self._blocks: dict[int, _OpenBlock] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason: str | None = None
        self._ended = False

    @property
    def started(self) -> bool:
        return bool(self._usage or self._model)

    def feed(self, event: JsonValue) -> str:
        """Take one event; the text it adds to the reply, "" where it adds none.

        Raises:
            ModelUnavailable, ModelRejected: it is an error event, or no event of such a stream.
        """
        if not isinstance(event, dict):
            raise ModelUnavailable("the model's stream holds something that is no event")
        match event:
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                return self._delta(index, delta)
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self._blocks[index] = _OpenBlock(block)
                text = block.get("text")
                return text if block.get("type") == "text" and isinstance(text, str) else ""
            case {"type": "message_start", "message": dict(message)}:
                model = message.get("model")
                self._model = model if isinstance(model, str) else ""
                self._count(message.get("usage"))
            case {"type": "message_delta", "delta": dict(delta)}:
                reason = delta.get("stop_reason")
                self._stop_reason = reason if isinstance(reason, str) else self._stop_reason
                self._count(event.get("usage"))
            case {"type": "message_stop"}:
                self._ended = True
            case {"type": "error"}:
                raise stream_error(event)
            case {"type": str()}:
                return ""  # ping, content_block_stop, whatever comes next
            case _:
                raise ModelUnavailable("the model's stream holds something that is no event")
        return ""

    def _delta(self, index: int, delta: Mapping[str, JsonValue]) -> str:
        block = self._blocks.get(index)
        if block is None:
            raise ModelUnavailable(f"the model's stream continues block {index}, which it never began")
        block.add(delta)
        text = delta.get("text")
        return text if delta.get("type") == "text_delta" and isinstance(text, str) else ""

    def _count(self, usage: JsonValue) -> None:
        """Later figures replace earlier ones: the API's are cumulative, and null means no news."""
        if isinstance(usage, dict):
            for key, name in _USAGE_FIELDS.items():
                count = usage.get(key)
                if isinstance(count, int):
                    self._usage[name] = count

    def reply(self) -> ModelReply:
        """What came so far; its stop reason is None until the message has ended.

        Raises:
            ModelRejected: it ended for a reason this version does not know.
        """
        return ModelReply(
            blocks=tuple(self._blocks[index].block() for index in sorted(self._blocks)),
            stop_reason=self._known_stop_reason() if self._ended else None,
            usage=Usage(**self._usage),
            model=self._model,
            request_id=self._request_id,
        )

    def _known_stop_reason(self) -> StopReason | None:
        if self._stop_reason is None or self._stop_reason in STOP_REASONS:
            return STOP_REASONS.get(self._stop_reason or "")
        raise ModelRejected(
            f"the model stopped for a reason this version does not know ({self._stop_reason[:40]!r}): update autofix"
        )


def parse_object(text: str) -> dict[str, JsonValue] | None:
    """The JSON object a tool's input is, or None: not JSON, NaN or Infinity in it, nested beyond reason, no object."""
    try:
        value = json.loads(text, parse_constant=_no_such_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_such_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def stream_error(event: Mapping[str, JsonValue]) -> ModelError:
    """The error an `error` event stands for."""
    match event.get("error"):
        case {"type": str(kind), "message": str(message)}:
            text = f"the model's stream broke off ({kind}): {message}"
        case _:
            return ModelUnavailable("the model's stream broke off with an error it did not explain")
    if kind in _ERROR_STATUS:
        return ModelUnavailable(text, status=_ERROR_STATUS[kind])
    return ModelRejected(text) if kind in _FINAL_ERRORS else ModelUnavailable(text)
