"""The transcript's format: one JSON object a line, one line a model call.

    {"request": {...}, "reply": {...}}     what was asked and answered
    {"request": {...}, "error": {...}}     what was asked and how it failed

A request is written as its difference from the line before, so that a transcript grows with the conversation and not
with its square: `kept` messages of the previous request come first, then `messages`. `system` and `tools` are left out
where they did not change.

    {"model": "claude-sonnet-5", "max_tokens": 16000, "system": "...", "tools": [...], "kept": 0, "messages": [...]}

A reply has the shape of the Messages API's answer. By hand a line can be short: `request` may be left out, `content`
may be a plain text, a tool_use block needs no id, `stop_reason` follows from the content, `usage` is 0:

    {"reply": {"content": "I see the cause: an off-by-one."}}
    {"reply": {"content": [{"type": "tool_use", "name": "Read", "input": {"file_path": "src/cart.py"}}]}}

Pure: text in, values out. A tool's input that was no JSON object stands under `raw_input`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from autofix.errors import ModelError, ModelRejected, ModelUnavailable, UsageError
from autofix.ports.model import (
    Block,
    JsonObject,
    JsonValue,
    Message,
    ModelReply,
    ModelRequest,
    StopReason,
    ToolSpec,
    ToolUseBlock,
    Usage,
    block_from_wire,
    block_to_wire,
    message_to_wire,
)

STOP_REASONS: Mapping[str, StopReason] = {reason: reason for reason in get_args(StopReason)}

_USAGE_KEYS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A line's request, still as a difference. `system` and `tools` are None where they are the line before's."""

    model: str
    max_tokens: int
    system: str | None
    tools: tuple[JsonObject, ...] | None
    kept: int
    messages: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One line: `request` is None where it was written by hand without one."""

    request: RecordedRequest | None
    outcome: ModelReply | ModelError


def tool_to_wire(tool: ToolSpec) -> dict[str, JsonValue]:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.input_schema)}


def messages_kept(previous: Sequence[Message], current: Sequence[Message]) -> int:
    """How many leading messages two requests share; the very same objects are not looked into."""
    count = 0
    for one, other in zip(previous, current, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count


def write_line(request: ModelRequest, outcome: ModelReply | ModelError, previous: ModelRequest | None) -> str:
    """One line of the transcript, its newline included."""
    asked: dict[str, JsonValue] = {"model": request.model, "max_tokens": request.max_tokens}
    if previous is None or request.system != previous.system:
        asked["system"] = request.system
    if previous is None or request.tools != previous.tools:
        asked["tools"] = [tool_to_wire(tool) for tool in request.tools]
    kept = 0 if previous is None else messages_kept(previous.messages, request.messages)
    asked["kept"] = kept
    asked["messages"] = [message_to_wire(message) for message in request.messages[kept:]]
    if isinstance(outcome, ModelReply):
        line = {"request": asked, "reply": _reply_to_wire(outcome)}
    else:
        line = {"request": asked, "error": _error_to_wire(outcome)}
    return json.dumps(line, separators=(",", ":")) + "\n"


def read_line(text: str, number: int) -> Exchange:
    """Read one line.

    Raises:
        UsageError: it is not such a line; the message names its number and what is wrong.
    """
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"transcript line {number} is not JSON: {error}") from error
    match line:
        case {"reply": dict(reply)}:
            outcome: ModelReply | ModelError = _reply_from_wire(reply, number)
        case {"error": dict(failure)}:
            outcome = _error_from_wire(failure)
        case _:
            raise UsageError(f'transcript line {number} has neither a "reply" nor an "error" object')
    return Exchange(_request_from_wire(line.get("request"), number), outcome)


def _request_from_wire(wire: JsonValue, number: int) -> RecordedRequest | None:
    if wire is None:
        return None
    match wire:
        case {
            "model": str(model),
            "max_tokens": int(max_tokens),
            "kept": int(kept),
            "messages": list(messages),
            **rest,
        }:
            system, tools = rest.get("system"), rest.get("tools")
            return RecordedRequest(
                model=model,
                max_tokens=max_tokens,
                system=system if isinstance(system, str) else None,
                tools=_objects(tools) if isinstance(tools, list) else None,
                kept=kept,
                messages=_objects(messages),
            )
        case _:
            raise UsageError(f'transcript line {number}: "request" lacks model, max_tokens, kept or messages')


def _objects(values: list[JsonValue]) -> tuple[JsonObject, ...]:
    return tuple(value for value in values if isinstance(value, dict))


def _reply_to_wire(reply: ModelReply) -> dict[str, JsonValue]:
    return {
        "content": [_recorded_block(block) for block in reply.blocks],
        "stop_reason": reply.stop_reason,
        "usage": {key: getattr(reply.usage, field) for field, key in _USAGE_KEYS.items()},
        "model": reply.model,
        "request_id": reply.request_id,
    }


def _recorded_block(block: Block) -> dict[str, JsonValue]:
    wire = block_to_wire(block)
    if isinstance(block, ToolUseBlock) and block.input is None:
        wire["input"] = None
        wire["raw_input"] = block.raw_input
    return wire


def _reply_from_wire(wire: Mapping[str, JsonValue], number: int) -> ModelReply:
    content = wire.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise UsageError(f'transcript line {number}: "content" is neither a text nor a list of blocks')
    blocks = tuple(_block(item, f"toolu_replay_{number}_{place}", number) for place, item in enumerate(content, 1))
    return ModelReply(
        blocks=blocks,
        stop_reason=_stop_reason(wire, blocks, number),
        usage=_usage(wire.get("usage")),
        model=_text(wire.get("model")),
        request_id=_text(wire.get("request_id")),
    )


def _block(item: JsonValue, default_id: str, number: int) -> Block:
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        raise UsageError(f"transcript line {number}: a block of content is no object with a type")
    if item["type"] != "tool_use":
        return block_from_wire(item)
    match {"id": default_id, "input": {}, **item}:
        case {"id": str(id_), "name": str(name), "input": dict(inputs)}:
            return ToolUseBlock(id_, name, inputs)
        case {"id": str(id_), "name": str(name), "input": None, "raw_input": str(raw_input)}:
            return ToolUseBlock(id_, name, None, raw_input)
        case _:
            raise UsageError(f"transcript line {number}: a tool_use block needs a name, and an object as input")


def _stop_reason(wire: Mapping[str, JsonValue], blocks: Sequence[Block], number: int) -> StopReason | None:
    if "stop_reason" not in wire:
        return "tool_use" if any(isinstance(block, ToolUseBlock) for block in blocks) else "end_turn"
    reason = wire["stop_reason"]
    if reason is None:
        return None
    if isinstance(reason, str) and reason in STOP_REASONS:
        return STOP_REASONS[reason]
    raise UsageError(f"transcript line {number}: unknown stop_reason {reason!r}; known: {', '.join(STOP_REASONS)}")


def _usage(wire: JsonValue) -> Usage:
    if not isinstance(wire, dict):
        return Usage()
    counts = {field: wire.get(key) for field, key in _USAGE_KEYS.items()}
    return Usage(**{field: count for field, count in counts.items() if isinstance(count, int)})


def _error_to_wire(error: ModelError) -> dict[str, JsonValue]:
    wire: dict[str, JsonValue] = {"message": str(error), "status": error.status}
    if isinstance(error, ModelUnavailable):
        return {"kind": "unavailable", **wire, "retry_after": error.retry_after}
    return {"kind": "rejected", **wire}


def _error_from_wire(wire: Mapping[str, JsonValue]) -> ModelError:
    message, status = _text(wire.get("message")), wire.get("status")
    known_status = status if isinstance(status, int) else None
    if wire.get("kind") == "unavailable":
        wait = wire.get("retry_after")
        return ModelUnavailable(
            message, status=known_status, retry_after=float(wait) if isinstance(wait, int | float) else None
        )
    return ModelRejected(message, status=known_status)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
