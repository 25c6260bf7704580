"""The model's door: one request in, one reply out.

Blocks have the shape of the Anthropic Messages API, which is also the shape of the transcript. Unknown kinds of
blocks (thinking, its signatures, whatever comes next) are carried as they came, so that they go back unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = Mapping[str, JsonValue]

StopReason = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
]


@dataclass(frozen=True, slots=True)
class TextBlock:
    text: str


@dataclass(frozen=True, slots=True)
class ToolUseBlock:
    """A call the model asks for. `input` is None where what it sent was not a JSON object (`raw_input` keeps it)."""

    id: str
    name: str
    input: JsonObject | None
    raw_input: str = ""


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    tool_use_id: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class OpaqueBlock:
    """A block this version does not interpret; `payload` goes back to the API as it came."""

    payload: JsonObject


Block = TextBlock | ToolUseBlock | ToolResultBlock | OpaqueBlock


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What the model is told of a tool. `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: JsonObject


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or many calls; `input` leaves out what was read from or written to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )

    @property
    def total_input(self) -> int:
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `messages` only ever grows between calls of one conversation (the cached prefix depends on it)."""

    model: str
    system: str
    tools: Sequence[ToolSpec]
    messages: Sequence[Message]
    max_tokens: int


@dataclass(frozen=True, slots=True)
class ModelReply:
    """`stop_reason` is None where the stream ended without one: its blocks are partial and must not be acted on."""

    blocks: tuple[Block, ...]
    stop_reason: StopReason | None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    request_id: str = ""

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    @property
    def tool_uses(self) -> tuple[ToolUseBlock, ...]:
        return tuple(block for block in self.blocks if isinstance(block, ToolUseBlock))


class Model(Protocol):
    """One attempt per call, never a retry: the loop owns retries, so that each is journalled and budgeted."""

    def prepare(self) -> None:
        """Load what the first call needs (slow imports); safe to call from another thread, twice, or never."""

    def reply(self, request: ModelRequest, on_text: Callable[[str], None]) -> ModelReply:
        """Ask once, streaming text to `on_text` as it comes.

        Raises:
            ModelUnavailable: overload, rate limit, 5xx, network, error event in the stream.
            ModelRejected: the API refused the request (400, 401, 403, 404, 413 ...).
        """
        ...

    def close(self) -> None:
        """Close idle connections; safe to call twice, and the next call opens new ones."""


def block_to_wire(block: Block) -> dict[str, JsonValue]:
    """The block in the Messages API's JSON."""
    match block:
        case TextBlock(text):
            return {"type": "text", "text": text}
        case ToolUseBlock(id_, name, input_, _):
            return {"type": "tool_use", "id": id_, "name": name, "input": dict(input_ or {})}
        case ToolResultBlock(tool_use_id, content, is_error):
            wire: dict[str, JsonValue] = {
                "type": "tool_result",
                "tool_use_id": tool_use_id,
                "content": content,
            }
            return {**wire, "is_error": True} if is_error else wire
        case OpaqueBlock(payload):
            return dict(payload)


def block_from_wire(wire: Mapping[str, JsonValue]) -> Block:
    """Read a block back; what is not one of the known kinds, or not well formed, stays opaque."""
    match wire:
        case {"type": "text", "text": str(text)}:
            return TextBlock(text)
        case {"type": "tool_use", "id": str(id_), "name": str(name), "input": input_}:
            return ToolUseBlock(id_, name, input_ if isinstance(input_, dict) else None)
        case {"type": "tool_result", "tool_use_id": str(tool_use_id), "content": str(content)}:
            return ToolResultBlock(tool_use_id, content, is_error=wire.get("is_error") is True)
        case _:
            return OpaqueBlock(wire)


def message_to_wire(message: Message) -> dict[str, JsonValue]:
    return {"role": message.role, "content": [block_to_wire(block) for block in message.blocks]}
