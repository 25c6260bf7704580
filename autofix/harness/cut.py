"""Cutting long text: by bytes of UTF-8, never inside a character, at a line's end where one is near, and marked.

The mark says how much is missing and where the whole lies. Redact and escape first: half a secret is not found.
"""

import codecs
from dataclasses import dataclass
from typing import Literal

Keep = Literal["head", "tail", "both"]

HEAD_SHARE = 0.25
"""Of what is kept of both ends: commands say what they do first, and what went wrong last."""

LINE_LIMIT = 1000
"""Characters of one line; longer ones are generated code or data."""

SHORTEST_LINE = 40
"""Characters to which a line is shortened at most, however little room there is."""

LONGEST_CHARACTER = 4
"""Bytes of UTF-8."""

_CONTINUING = range(0x80, 0xC0)
"""Bytes of UTF-8 that belong to the character begun before them."""

CHUNK = 1 << 20
"""Characters measured at a time."""


@dataclass(frozen=True, slots=True)
class Cut:
    """`text` fits the limit, its mark included; `lost` bytes are missing, 0 where nothing was cut."""

    text: str
    lost: int


def cut(text: str | bytes, limit: int, *, keep: Keep = "both", whole: str = "", head_share: float = HEAD_SHARE) -> Cut:
    """At most `limit` bytes of `text`. Bytes that are no UTF-8 become U+FFFD.

    `whole` says where all of it lies, for the mark ("artifact:bash-3"); "" where it is lost.
    """
    size = byte_length(text)
    if size <= limit:
        known = _decoded(_encoded(text))
        return Cut(known, 0) if byte_length(known) <= limit else cut(known, limit, keep=keep, whole=whole)
    room = max(0, limit - len(_mark(size, whole).encode()) - 2)
    head_room, tail_room = _shares(room, keep, head_share)
    head = _head(_encoded(text[:head_room]), head_room)
    tail = _tail(_encoded(text[len(text) - tail_room :]), tail_room)
    lost = size - len(head) - len(tail)
    parts = [_decoded(head).removesuffix("\n"), _mark(lost, whole), _decoded(tail)]
    return Cut("\n".join(part for part in parts if part), lost)


def short_line(line: str, limit: int = LINE_LIMIT) -> str:
    """A line of at most about `limit` characters: its beginning and its end, with how much lies between."""
    if len(line) <= limit:
        return line
    head, tail = limit * 3 // 4, limit // 4
    return f"{line[:head]}[... {len(line) - head - tail} characters ...]{line[len(line) - tail :]}"


def byte_length(text: str | bytes) -> int:
    """Bytes of UTF-8, without a second copy of a long text."""
    if isinstance(text, bytes) or text.isascii():
        return len(text)
    return sum(len(_encoded(text[start : start + CHUNK])) for start in range(0, len(text), CHUNK))


def _shares(room: int, keep: Keep, head_share: float) -> tuple[int, int]:
    head = {"head": room, "tail": 0, "both": int(room * head_share)}[keep]
    return head, room - head


def _mark(lost: int, whole: str) -> str:
    return f"[... {lost} bytes cut{f', whole in {whole}' if whole else ''} ...]"


def _head(data: bytes, room: int) -> bytes:
    data = _first(_valid(_first(data, room)), room)
    line_end = data.rfind(b"\n") + 1
    return data[:line_end] if line_end > len(data) // 2 else data


def _tail(data: bytes, room: int) -> bytes:
    data = _last(_valid(_last(data, room)), room)
    line_start = data.find(b"\n") + 1
    return data[line_start:] if line_start < len(data) // 2 else data


def _first(data: bytes, room: int) -> bytes:
    """The first `room` bytes, without a character that ends beyond them."""
    data = data[:room]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-LONGEST_CHARACTER:])
    return data[: len(data) - len(decoder.getstate()[0])]


def _last(data: bytes, room: int) -> bytes:
    """The last `room` bytes, without a character that began before them."""
    data = data[max(0, len(data) - room) :]
    start = next((at for at, byte in enumerate(data[:LONGEST_CHARACTER]) if byte not in _CONTINUING), 0)
    return data[start:]


def _valid(data: bytes) -> bytes:
    """What is no UTF-8 as U+FFFD, which takes more room."""
    return _encoded(_decoded(data))


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "replace")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
