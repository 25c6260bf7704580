"""A request of ours as the bytes the Messages API is sent.

Three promises. Append-only: what a message was sent as it stays, byte for byte but for its cache mark, so that the
API's prompt cache finds its prefix. Few marks, well placed: the API reads a prefix from its cache where an earlier
request ended a mark, and looks back at most 20 blocks for one. Linear: a message is encoded once, however often it is
sent.
"""

import json
import threading
from collections.abc import Mapping, Sequence

from autofix.ports.model import (
    Block,
    JsonValue,
    Message,
    ModelRequest,
    OpaqueBlock,
    TextBlock,
    block_to_wire,
)
from autofix.ports.transcript import tool_to_wire

CACHE_MARK: Mapping[str, JsonValue] = {"type": "ephemeral"}  # five minutes, renewed by every read

_MEMORY = 64 * 1024 * 1024  # bytes of encoded messages kept; past that all are encoded anew, once

_NOTHING_SAID = "(no content)"  # the API refuses a message without content


class RequestEncoder:
    """Encodes requests; remembers the messages it encoded. Safe from several threads."""

    def __init__(self) -> None:
        # By identity, the message itself kept so that its id stays its own.
        self._encoded: dict[int, tuple[Message, bytes]] = {}
        self._size = 0
        self._lock = threading.Lock()

    def encode(self, request: ModelRequest) -> bytes:
        """The body of a streaming call."""
        marked = marked_messages(request.messages)
        pieces = [_encode(_head(request))[:-1], b',"messages":[']
        with self._lock:
            for index, message in enumerate(request.messages):
                if index:
                    pieces.append(b",")
                pieces.append(_encode(_message(message, marked=True)) if index in marked else self._remembered(message))
        pieces.append(b"]}")
        return b"".join(pieces)  # once: of a long conversation each copy is a megabyte

    def _remembered(self, message: Message) -> bytes:
        known = self._encoded.get(id(message))
        if known is not None:
            return known[1]
        encoded = _encode(_message(message, marked=False))
        if self._size + len(encoded) > _MEMORY:
            self._encoded.clear()
            self._size = 0
        self._encoded[id(message)] = (message, encoded)
        self._size += len(encoded)
        return encoded


def marked_messages(messages: Sequence[Message]) -> frozenset[int]:
    """Which messages end in a cache mark: three at most, the system prompt has the fourth.

    - the last one: what the next request will read from the cache;
    - the user message before it, where the request before this one ended: its prefix is found exactly there, however
      many blocks one turn added;
    - the first one: the task survives where later messages were folded into a summary.
    """
    if not messages:
        return frozenset()
    last = len(messages) - 1
    previous = next((index for index in range(last - 1, -1, -1) if messages[index].role == "user"), last)
    return frozenset((0, previous, last))


def _head(request: ModelRequest) -> dict[str, JsonValue]:
    head: dict[str, JsonValue] = {"model": request.model, "max_tokens": request.max_tokens, "stream": True}
    if request.tools:
        head["tools"] = [tool_to_wire(tool) for tool in request.tools]
    if request.system:
        head["system"] = [{"type": "text", "text": request.system, "cache_control": dict(CACHE_MARK)}]
    return head


def _message(message: Message, *, marked: bool) -> dict[str, JsonValue]:
    blocks = [block for block in message.blocks if not _says_nothing(block)] or [TextBlock(_NOTHING_SAID)]
    content = [block_to_wire(block) for block in blocks]
    if marked:
        # A block we do not interpret (thinking above all) may not carry a mark.
        last = next((i for i in range(len(blocks) - 1, -1, -1) if not isinstance(blocks[i], OpaqueBlock)), None)
        if last is not None:
            content[last]["cache_control"] = dict(CACHE_MARK)
    return {"role": message.role, "content": list(content)}


def _says_nothing(block: Block) -> bool:
    """The API refuses text that is empty or blank, also text it sent itself."""
    return isinstance(block, TextBlock) and not block.text.strip()


def _encode(value: JsonValue) -> bytes:
    # A lone surrogate (a byte of a file that is no UTF-8) has no encoding and becomes "?".
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
