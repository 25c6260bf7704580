"""Secrets out of everything that leaves: known values in many spellings, and what looks like a token.

A known value is found raw, reversed, rot13, without its punctuation, in hex, base64 (any offset, both alphabets),
base32 (any offset), URL-quoted and JSON-escaped; whole, wrapped over lines, or as a piece of at least 12 of its
characters. Well-known token shapes are found without knowing their value.

What it cannot catch: a value that was compressed, encrypted or encoded twice; pieces shorter than 12 characters (one
printed a few characters at a time, or as a hex dump with blanks); the first and last base64 character of a value inside
other bytes, which carry a few of its bits; values under 6 characters; text in UTF-16; anything a program computes from
a secret. So it is a seat belt: no promise of autofix rests on it.
"""

import base64
import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

SHORTEST_SECRET = 6
"""Characters. Shorter values would turn ordinary words into marks."""

LONGEST_SECRET = 4096
"""Characters of a value looked for in every spelling; of the rest, each line is looked for as it is."""

SHORTEST_PIECE = 12
"""Characters of a longer value that are taken for a leak of it: what is left of fewer opens nothing."""

SAMPLE, STRIDE = 6, 7
"""Bytes. Together one more than `SHORTEST_PIECE`, so that no piece lies between two looks."""

TOKEN_SHAPES: dict[str, str] = {
    "github-token": r"\b(?:gh[pousr]_[A-Za-z0-9_]{16,}|github_pat_[A-Za-z0-9_]{20,})",
    "anthropic-key": r"\bsk-ant-[A-Za-z0-9_-]{10,}",
    "api-key": r"\b(?:sk-(?:proj|svcacct)-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{32,}|[rs]k_live_[A-Za-z0-9]{16,}"
    r"|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{32,}|glpat-[A-Za-z0-9_-]{16,})",
    "aws-key-id": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "slack-token": r"\bxox[a-z]-[A-Za-z0-9-]{10,}",
    "jwt": r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?",
    "private-key": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:\s*(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)*[A-Za-z0-9+/=\\\s]*"
    r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    "authorization": r"(?i:authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+)([A-Za-z0-9+/=._~-]{6,})",
    "api-key-header": r"(?i:(?:x-api-key|private-token|x-auth-token)[\"']?\s*[:=]\s*[\"']?)([A-Za-z0-9+/=._~-]{12,})",
    "url-password": r"\b[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@\"'<>]*:([^/\s@\"'<>$\[][^/\s@\"'<>]*)@",
}
"""What tokens look like; where a shape has a group, only the group is the secret."""


class Span(NamedTuple):
    start: int
    end: int
    name: str


class Redactor:
    """Replaces secrets by `[redacted:NAME]`. Its patterns are compiled when first needed.

    Args:
        secrets: name -> value. Each line of a value of several lines counts as a value, too.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self._secrets = dict(secrets or {})

    def __repr__(self) -> str:
        return f"Redactor({sorted(self._secrets)})"

    def __call__(self, text: str) -> str:
        return self.text(text)

    def text(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        redacted = self.raw(data)
        if redacted is data:
            return text
        try:
            return redacted.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:  # a piece of a value ended within a character that begins like the value's next
            return redacted.decode("utf-8", "replace")

    def raw(self, data: bytes) -> bytes:
        """The same for bytes in any encoding that keeps ASCII; `data` itself where nothing was found."""
        for finder in (*self._values, _shapes()):
            data = _hidden(data, finder.spans(data))
        return data

    def knows(self, data: bytes) -> bool:
        """Whether one of the known values, or a piece of it, is in there in any spelling."""
        return any(next(iter(finder.spans(data)), None) for finder in self._values)

    @cached_property
    def _values(self) -> "tuple[_LongValues, _ShortValues]":
        forms = _forms(self._secrets)
        return (
            _LongValues(form for form in forms if len(form.spelling) >= SHORTEST_PIECE),
            _ShortValues(form for form in forms if len(form.spelling) < SHORTEST_PIECE),
        )


def _hidden(data: bytes, spans: Iterable[Span]) -> bytes:
    pieces, end = [], 0
    for span in spans:
        pieces += [data[end : span.start], f"[redacted:{span.name}]".encode()]
        end = span.end
    return b"".join([*pieces, data[end:]]) if pieces else data


@dataclass(frozen=True, slots=True)
class _Form:
    """One spelling of one value; `least` bytes of it in a row are a leak."""

    name: str
    spelling: bytes
    least: int

    def run(self, data: bytes, at: int, start: int) -> tuple[int, int]:
        """The longest stretch of `data` around `at` that agrees with the spelling around `start`."""
        left = 0
        while left < min(at, start) and data[at - left - 1] == self.spelling[start - left - 1]:
            left += 1
        right, most = 0, min(len(data) - at, len(self.spelling) - start)
        while right < most and data[at + right] == self.spelling[start + right]:
            right += 1
        return at - left, at + right


class _LongValues:
    """Finds runs of at least `SHORTEST_PIECE` bytes: every such run in the data holds a whole sample of it.

    All stretches of `SAMPLE` bytes of the spellings are indexed and the data is looked at every `STRIDE` bytes: a
    seventh of the work of looking everywhere, and nothing that a hostile text could blow up.
    """

    def __init__(self, forms: Iterable[_Form]) -> None:
        self._index: dict[bytes, list[tuple[_Form, int]]] = {}
        for form in forms:
            for start in range(len(form.spelling) - SAMPLE + 1):
                self._index.setdefault(form.spelling[start : start + SAMPLE], []).append((form, start))

    def spans(self, data: bytes) -> Iterator[Span]:
        if not self._index:
            return
        done, index = 0, self._index
        for at in range(0, len(data) - SAMPLE + 1, STRIDE):
            if data[at : at + SAMPLE] in index and at >= done and (leak := self._leak(data, at)):
                yield leak
                done = leak.end

    def _leak(self, data: bytes, at: int) -> Span | None:
        longest = None
        for form, offset in self._index[data[at : at + SAMPLE]]:
            start, end = form.run(data, at, offset)
            if end - start >= max(form.least, longest.end - longest.start + 1 if longest else 0):
                longest = Span(start, end, form.name)
        return longest


class _ShortValues:
    """Finds spellings too short to have pieces, whole."""

    def __init__(self, forms: Iterable[_Form]) -> None:
        longest_first = sorted(forms, key=lambda form: -len(form.spelling))
        self._names = {form.spelling: form.name for form in longest_first}
        self._any = _compiled(b"|".join(map(re.escape, self._names))) if self._names else None

    def spans(self, data: bytes) -> Iterator[Span]:
        for found in self._any.finditer(data) if self._any else ():
            yield Span(found.start(), found.end(), self._names[found[0]])


def _forms(secrets: Mapping[str, str]) -> list[_Form]:
    forms: dict[bytes, _Form] = {}
    for name, secret in secrets.items():
        value = secret.strip()
        spellings = [*_spellings(value[:LONGEST_SECRET])] if len(value) >= SHORTEST_SECRET else []
        if "\n" in value:
            spellings += [
                (line.strip().encode("utf-8", "surrogateescape"), SHORTEST_PIECE) for line in value.split("\n")
            ]
        for spelling, least in spellings:
            if len(spelling) >= SHORTEST_SECRET:
                forms.setdefault(spelling, _Form(name, spelling, min(least, len(spelling))))
    return list(forms.values())


def _spellings(value: str) -> Iterator[tuple[bytes, int]]:
    """How a value may be written, each with the length that `SHORTEST_PIECE` of its characters take there."""
    raw = value.encode("utf-8", "surrogateescape")
    plain = [
        value,
        value[::-1],
        codecs.encode(value, "rot13"),
        re.sub(r"[^A-Za-z0-9]", "", value),
        quote(raw, safe=""),
        quote_plus(raw),
        re.sub(r"%[0-9A-F]{2}", lambda code: code[0].lower(), quote(raw, safe="")),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    ]
    for text in plain:
        yield text.encode("utf-8", "surrogateescape"), SHORTEST_PIECE
    yield raw.hex().encode(), 2 * SHORTEST_PIECE
    yield raw.hex().upper().encode(), 2 * SHORTEST_PIECE
    for offset in range(3):
        yield _inner(base64.b64encode, raw, offset, bits=6), SHORTEST_PIECE * 8 // 6
        yield _inner(base64.urlsafe_b64encode, raw, offset, bits=6), SHORTEST_PIECE * 8 // 6
    for offset in range(5):
        yield _inner(base64.b32encode, raw, offset, bits=5), SHORTEST_PIECE * 8 // 5


def _inner(encode: Callable[[bytes], bytes], raw: bytes, offset: int, *, bits: int) -> bytes:
    """The characters that `raw` alone decides when it lies `offset` bytes into what was encoded."""
    first = -(-8 * offset // bits)
    return encode(bytes(offset) + raw)[first : 8 * (offset + len(raw)) // bits]


class _Shapes:
    """Finds what looks like a token."""

    def __init__(self) -> None:
        self._any = _compiled("|".join(f"(?:{shape})" for shape in TOKEN_SHAPES.values()).encode())
        self._each = {name: _compiled(shape.encode()) for name, shape in TOKEN_SHAPES.items()}

    def spans(self, data: bytes) -> Iterator[Span]:
        for found in self._any.finditer(data):
            for name, shape in self._each.items():
                if match := shape.match(data, found.start()):
                    start, end = match.span(shape.groups)
                    yield Span(start, end, name)
                    break


@cache
def _shapes() -> _Shapes:
    return _Shapes()


def _compiled(pattern: bytes) -> Any:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1  # bytes are bytes
    options.log_errors = False
    return re2.compile(pattern, options)
