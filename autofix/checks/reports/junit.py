"""JUnit XML: bytes in, one record per testcase out, as they come; it does not know which runner wrote them.

A report is hostile input. Nothing is built in memory but the case at hand; a document type declaration ends the
reading (so there are no entities to expand), as do nesting past `DEPTH_LIMIT` and damage; what was complete by then is
kept, and the damage is said. Text is cut: the head and the tail of each trace, within a budget for the whole report.
"""

import re
import sys
from collections.abc import Callable
from typing import NamedTuple, Self
from xml.parsers import expat

CHUNK = 64 * 1024
"""Bytes fed at a time: larger gains nothing, as measured on 49 MB."""
DEPTH_LIMIT = 64
"""Nested elements; real reports have at most a dozen (suites in suites)."""
ATTRIBUTE_LIMIT = 4_000
"""Characters of a name or classname; the longest parametrised ids seen are below 2,000."""
MESSAGE_LIMIT = 2_000
"""Characters of a message attribute."""
TRACE_LIMIT = 8 * 1024
"""Characters kept of one case's traces, half of them from the end, where pytest and most others put the error."""
TRACES_LIMIT = 4 * 1024 * 1024
"""Characters kept of all traces of a report: some 500 whole ones, more than anyone is shown."""

SUITE_SEPARATOR = " > "
"""Between the names of nested suites."""
NOT_KEPT = f"[... not kept: the traces of this report exceed {TRACES_LIMIT // 2**20} MiB ...]"
"""In the place of a trace for which the budget has nothing left."""
_LINE_DIGITS = 10
_LINES_KEPT = 10_000
"""Numbers that are read once; a hostile report with more of them gains nothing."""
_SECONDS_LIMIT = 1e9
"""Thirty years; comparing with it also refuses nan."""
_PROBLEMS = frozenset({"failure", "error", "skipped"})
_MENDABLE = frozenset(
    {
        expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN],
        expat.errors.codes[expat.errors.XML_ERROR_BAD_CHAR_REF],
        expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING],
        expat.errors.codes[expat.errors.XML_ERROR_INCORRECT_ENCODING],
    }
)
"""What wrong encodings and unescaped control characters look like to the parser."""


class Problem(NamedTuple):
    """A failure, error or skip of a case: the element's name, attributes and (cut) text."""

    kind: str
    type: str
    message: str
    text: str


class JUnitCase(NamedTuple):
    """One `<testcase>` as written; `line` as the runner counts, `suite` the names of its suites, outermost first."""

    classname: str
    name: str
    file: str
    line: int | None
    seconds: float
    suite: str
    problems: tuple[Problem, ...]


_case = JUnitCase._make
"""A third faster than the call by name, 100,000 times."""


class _Refused(Exception):  # noqa: N818 - a decision of ours, caught in this module
    """The report holds what no honest report needs; the message says what."""


class Damage(str):
    """Why reading stopped early; empty when the report was whole. `mendable`: another decoding may read further."""

    __slots__ = ("mendable",)
    mendable: bool

    def __new__(cls, text: str = "", *, mendable: bool = False) -> Self:
        damage = super().__new__(cls, text)
        damage.mendable = mendable
        return damage


class JUnitParser:
    """Push parser: `feed` bytes, `close` at the end; each complete case but the first `skip` goes to `keep`."""

    def __init__(self, keep: Callable[[JUnitCase], None], *, encoding: str | None = None, skip: int = 0) -> None:
        self.seen = 0
        self._lines = _Lines()
        self._keep = keep
        self._skip = skip
        self._depth = 0
        self._suites: list[tuple[int, str]] = []
        self._case: dict[str, str] | None = None
        self._case_depth = 0
        self._problems: list[Problem] = []
        self._problem: tuple[str, dict[str, str]] | None = None
        self._text: _CutText | None = None
        self._budget = TRACES_LIMIT
        parser = expat.ParserCreate(encoding, intern={})
        parser.buffer_text = True
        parser.buffer_size = CHUNK
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        self._parser = parser

    def feed(self, data: bytes | memoryview) -> Damage | None:
        """Read on; a Damage when the rest cannot be read."""
        return self._parse(data, final=False)

    def close(self) -> Damage:
        """The end of the report; empty when it was whole."""
        return self._parse(b"", final=True) or Damage()

    def _parse(self, data: bytes | memoryview, *, final: bool) -> Damage | None:
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            what = f"damaged at line {error.lineno}: {expat.ErrorString(error.code)}"
            return Damage(what, mendable=error.code in _MENDABLE)
        except _Refused as refused:
            return Damage(str(refused))
        except (LookupError, ValueError) as error:  # the declared encoding is unknown, or not one byte a character
            return Damage(str(error), mendable=True)
        return None

    def _doctype(self, *_: object) -> None:
        raise _Refused("it declares a document type or an entity, which no runner writes")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth = depth = self._depth + 1
        if depth > DEPTH_LIMIT:
            raise _Refused(f"elements are nested more than {DEPTH_LIMIT} deep")
        if ":" in name:
            name = name.rpartition(":")[2]
        if self._case is None:
            if name == "testcase":
                self._case = attributes
                self._case_depth = depth
            elif name == "testsuite":
                self._suites.append((depth, self._suite_path(attributes.get("name", ""))))
        elif name in _PROBLEMS and depth == self._case_depth + 1:
            self._problem = name, attributes
            self._text = None
            if self._budget > 0:  # what is not kept is not decoded either
                self._text = _CutText(min(TRACE_LIMIT, self._budget))
                self._parser.CharacterDataHandler = self._text.add

    def _suite_path(self, name: str) -> str:
        above = self._suites[-1][1] if self._suites else ""
        return (f"{above}{SUITE_SEPARATOR}{name}" if above else name)[:ATTRIBUTE_LIMIT]

    def _end(self, _: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        if self._case is not None:
            if depth == self._case_depth:
                self._end_case(self._case)
            elif self._problem is not None and depth == self._case_depth + 1:
                self._end_problem(*self._problem)
        elif self._suites and self._suites[-1][0] == depth:
            self._suites.pop()

    def _end_problem(self, kind: str, attributes: dict[str, str]) -> None:
        text = NOT_KEPT
        if self._text is not None:
            self._parser.CharacterDataHandler = None
            text = self._text.value()
            self._budget -= len(text)
        self._problems.append(
            Problem(kind, attributes.get("type", "")[:200], attributes.get("message", "")[:MESSAGE_LIMIT], text)
        )
        self._problem = None

    def _end_case(self, attributes: dict[str, str]) -> None:
        self._case = None
        problems: tuple[Problem, ...] = ()
        if self._problems:
            problems, self._problems = tuple(self._problems), []
        self.seen += 1
        if self.seen > self._skip:
            get = attributes.get
            self._keep(
                _case(
                    (
                        get("classname", "")[:ATTRIBUTE_LIMIT],
                        get("name", "")[:ATTRIBUTE_LIMIT],
                        get("file", "")[:ATTRIBUTE_LIMIT],
                        self._lines[get("line")],
                        _seconds(get("time")),
                        self._suites[-1][1] if self._suites else "",
                        problems,
                    )
                )
            )


class _CutText:
    """Keeps the first and the last half of `limit` characters."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head: list[str] = []
        self._head_size = 0
        self._tail = ""
        self._lost = 0

    def add(self, text: str) -> None:
        room = self._half - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += len(self._head[-1])
            text = text[room:]
        if text:
            tail = self._tail + text
            self._tail = tail[-self._half :] if self._half else ""
            self._lost += len(tail) - len(self._tail)

    def value(self) -> str:
        cut = f"\n[... {self._lost} characters cut ...]\n" if self._lost else ""
        return "".join(self._head) + cut + self._tail


class _Lines(dict[str | None, int | None]):
    """A line's number by what the report says; most files have their first lines in common."""

    def __missing__(self, text: str | None) -> int | None:
        line = int(text) if text and len(text) < _LINE_DIGITS and text.isdecimal() else None
        if len(self) < _LINES_KEPT:
            self[text] = line
        return line


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text or 0.0)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < _SECONDS_LIMIT else 0.0


def read_junit(report: bytes, keep: Callable[[JUnitCase], None]) -> Damage:
    """Hand each case of a report to `keep`; what is returned says why reading stopped early, or is empty.

    Bytes that are not what the report's encoding says are read once more with what cannot be decoded replaced.
    """
    parser = JUnitParser(keep)
    damage = _feed(report, parser)
    if not damage.mendable:
        return damage
    mended = _feed(_mend(report), JUnitParser(keep, encoding="utf-8", skip=parser.seen))
    return mended or Damage(f"{damage}; read on with the unreadable characters replaced")


def _feed(report: bytes, parser: JUnitParser) -> Damage:
    view = memoryview(report)
    for start in range(0, len(view), CHUNK):
        damage = parser.feed(view[start : start + CHUNK])
        if damage is not None:
            return damage
    return parser.close()


_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")


def _mend(report: bytes) -> bytes:
    """The report as UTF-8 with only the characters XML knows."""
    text = _ILLEGAL.sub("\ufffd", report.decode("utf-8", "replace"))
    return _REFERENCE.sub(_legal_reference, text).encode()


def _legal_reference(match: re.Match[str]) -> str:
    number = int(match[1], 16) if match[1] else int(match[2])
    legal = number <= sys.maxunicode and not _ILLEGAL.match(chr(number))
    return match[0] if legal else "\ufffd"
