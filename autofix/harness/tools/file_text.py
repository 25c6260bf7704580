r"""A file's bytes as text that can be edited and written back without changing anything else.

Encoding, byte-order mark and line endings belong to the file, not to the edit: the model reads and writes `\n`, and
gets back exactly what it did not touch.
"""

import codecs
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from autofix.errors import TreeError

EDITABLE_BYTES = 5 * 1024 * 1024
"""Larger files are data or generated: reading them whole costs more than any fix of a pull request is worth."""

LOOKED_AT = 8000
"""Bytes in which a NUL makes a file binary; git looks at as many."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class FileText:
    r"""A text file.

    Attributes:
        raw: its characters as they are, `\r\n` included, byte-order mark left out.
        encoding: one that turns `raw` back into the same bytes.
    """

    raw: str
    encoding: str
    mark: bytes = b""

    @classmethod
    def of(cls, content: bytes) -> "FileText | None":
        """None where it is not text."""
        for mark, encoding in _MARKS:
            if content.startswith(mark) and (text := _lossless(content[len(mark) :], encoding)) is not None:
                return None if "\0" in text[:LOOKED_AT] else cls(text, encoding, mark)
        if b"\0" in content[:LOOKED_AT]:
            return None
        text = _lossless(content, "utf-8")
        return cls(content.decode("latin-1"), "latin-1") if text is None else cls(text, "utf-8")

    @cached_property
    def text(self) -> str:
        r"""With `\n` for every line ending; what the model sees."""
        return self.raw.replace("\r\n", "\n")

    @property
    def ending(self) -> str:
        """What most lines end with."""
        pairs = self.raw.count("\r\n")
        return "\r\n" if pairs * 2 > self.raw.count("\n") else "\n"

    def replaced(self, starts: list[int], old: str, new: str) -> bytes:
        """The file's bytes with `old` at each of the (ascending) `starts` in `text` replaced by `new`.

        Only what differs between `old` and `new` is touched, so that the endings of kept lines stay, mixed or not.
        """
        before, after = _common_ends(old, new)
        new_middle = new[before : len(new) - after].replace("\n", self.ending)
        kept = [0]
        for start in starts:
            kept += [self._raw_at(start + before), self._raw_at(start + len(old) - after)]
        kept.append(len(self.raw))
        pieces = [self.raw[begin:end] for begin, end in zip(kept[::2], kept[1::2], strict=True)]
        return self.encoded(new_middle.join(pieces))

    def whole(self, text: str) -> bytes:
        """The file's bytes with all its text replaced."""
        return self.encoded(text.replace("\r\n", "\n").replace("\n", self.ending))

    def encoded(self, raw: str) -> bytes:
        try:
            return self.mark + raw.encode(self.encoding)
        except UnicodeEncodeError as error:
            unfit = error.object[error.start : error.end][:10]
            raise TreeError(f"The file is {self.encoding}; it cannot hold {unfit!r}. Write it as an escape.") from error

    @cached_property
    def _pairs(self) -> list[int]:
        r"""Where in `text` the newlines are that stand for `\r\n`."""
        found: list[int] = []
        at = self.raw.find("\r\n")
        while at >= 0:
            found.append(at - len(found))
            at = self.raw.find("\r\n", at + 2)
        return found

    def _raw_at(self, at: int) -> int:
        return at + bisect_left(self._pairs, at)


def _common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginning and, beyond that, at their end."""
    most = min(len(old), len(new))
    before = next((at for at in range(most) if old[at] != new[at]), most)
    most -= before
    after = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    return before, after


def _lossless(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return text if text.encode(encoding) == data else None
