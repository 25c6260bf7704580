"""The prompt cache of the Messages API, as its documentation describes it.

A prompt is a row of blocks: tools, then system, then the messages' content. A request writes an entry at each block
that carries `cache_control`, if the prompt up to there is long enough. A later request reads the longest entry that
equals its own beginning, looking from each of its marks back over at most 20 blocks, the marked one included.
Tokens are bytes / 4.
"""

import hashlib
import json
import threading
from dataclasses import dataclass

MINIMUM_TOKENS = 1024
LOOK_BACK = 20
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class CacheUse:
    input_tokens: int
    cache_read_input_tokens: int
    cache_creation_input_tokens: int

    @property
    def total(self) -> int:
        return self.input_tokens + self.cache_read_input_tokens + self.cache_creation_input_tokens


@dataclass(frozen=True)
class _Position:
    """The prompt up to and including one block."""

    digest: bytes
    tokens: int
    marked: bool


class PromptCache:
    """One account's cache. Entries never expire: a test is quicker than five minutes."""

    def __init__(self, minimum_tokens: int = MINIMUM_TOKENS) -> None:
        self._minimum = minimum_tokens
        self._entries: set[bytes] = set()
        self._lock = threading.Lock()

    def use(self, body: dict) -> CacheUse:
        """Account for one request: what it reads, what it writes, what it pays in full."""
        positions = _positions(body)
        total = positions[-1].tokens if positions else 0
        marks = [index for index, position in enumerate(positions) if position.marked]
        with self._lock:
            read = self._longest_entry(positions, marks)
            written = read
            for index in marks:
                if positions[index].tokens >= self._minimum:
                    self._entries.add(positions[index].digest)
                    written = max(written, positions[index].tokens)
        return CacheUse(total - written, read, written - read)

    def _longest_entry(self, positions: list[_Position], marks: list[int]) -> int:
        best = 0
        for mark in marks:
            for index in range(mark, max(-1, mark - LOOK_BACK), -1):
                if positions[index].digest in self._entries:
                    best = max(best, positions[index].tokens)
                    break
        return best


def blocks_of(body: dict) -> list[tuple[str, dict]]:
    """The prompt's blocks in the API's order, each with where it stands."""
    blocks = [("tools", tool) for tool in body.get("tools", [])]
    blocks += [("system", block) for block in _as_blocks(body.get("system", []))]
    for index, message in enumerate(body.get("messages", [])):
        blocks += [(f"messages[{index}]:{message['role']}", block) for block in _as_blocks(message["content"])]
    return blocks


def _as_blocks(content: str | list) -> list[dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _positions(body: dict) -> list[_Position]:
    digest = hashlib.sha256(str(body.get("model")).encode())
    size = 0
    positions = []
    for place, block in blocks_of(body):
        unmarked = {key: value for key, value in block.items() if key != "cache_control"}
        encoded = json.dumps(unmarked, ensure_ascii=False, separators=(",", ":")).encode()
        digest.update(place.encode() + b"\0" + encoded + b"\0")
        size += len(encoded)
        positions.append(_Position(digest.digest(), size // BYTES_PER_TOKEN, "cache_control" in block))
    return positions
