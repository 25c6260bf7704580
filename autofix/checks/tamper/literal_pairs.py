"""Literals of source we do not parse: what each is asked or given for, and which of them tests pair."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from autofix.checks.tamper.examples import key

_LITERAL = re.compile(
    r"\"(?P<double>(?:\\.|[^\"\\\n])*)\"|'(?P<single>(?:\\.|[^'\\\n])*)'|`(?P<back>[^`$\\\n]*)`"
    r"|(?<![\w.])(?P<number>\d[\d_]{0,30}(?:\.\d{1,30})?)(?![\w.]*\w\()"
)
_ASKED_BEFORE = re.compile(
    r"([=!]==?|\b(case|when|in|eq)|\b(equals|eql\?|equal\?|is|Equals|strcmp|compare|localeCompare)\s*\((\w+\s*,\s*)?)\s*\(?$"
)
_PIECE_BEFORE = re.compile(
    r"\b(startsWith|endsWith|includes|indexOf|contains|starts_with|ends_with|start_with\?|end_with\?|include\?"
    r"|StartsWith|EndsWith|Contains|HasPrefix|HasSuffix|str_starts_with|str_ends_with|str_contains|strpos|test|match)"
    r"\s*\(\s*(\$?\w+\s*,\s*)?$"
)
_LENGTH_BEFORE = re.compile(r"(\b(length|size|Length|Count|count|len|strlen)\b(\(\$?\w*\))?)\s*[=!]==?\s*$")
_ASKED_AFTER = re.compile(r"^\s*([=!]==?|\.(equals|eql\?|Equals)\b)")
_LEAST = 4
"""Characters of a piece that is no coincidence."""
_JOIN = 8
"""Lines of one statement at most."""


@dataclass(frozen=True, slots=True)
class Literal:
    """One literal.

    Attributes:
        asked: how a condition beside it asks for it: "whole", "piece" or "length"; "" where it is given.
        start: its place in the text it was read from.
    """

    value: object
    asked: str
    start: int


def literals(text: str) -> Iterator[Literal]:
    for match in _LITERAL.finditer(text):
        before, after = text[max(0, match.start() - 60) : match.start()], text[match.end() : match.end() + 20]
        yield Literal(_value(match), _how_asked(before, after), match.start())


def _value(match: re.Match[str]) -> object:
    number = match["number"]
    if number is None:
        return match["double"] or match["single"] or match["back"] or ""
    plain = number.replace("_", "")
    return float(plain) if "." in plain else int(plain)


def _how_asked(before: str, after: str) -> str:
    if _LENGTH_BEFORE.search(before):
        return "length"
    if _PIECE_BEFORE.search(before):
        return "piece"
    return "whole" if _ASKED_BEFORE.search(before) or _ASKED_AFTER.match(after) else ""


class Pairs:
    """Which literals stand together in one statement of a test, of one language."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._statements: list[tuple[object, ...]] = []
        self._all: list[str] = []
        self._places: defaultdict[str, set[int]] = defaultdict(set)
        for lines in texts:
            for statement in statements(lines):
                self._add(tuple(one.value for one in literals(statement)))

    def cuts_number(self, piece: str) -> bool:
        """Whether a piece of a text ends where its number goes on: no format has a border there."""
        if len(piece) < _LEAST or not piece[-1].isdigit() or piece.isdigit():
            return False
        return bool(re.search(re.escape(piece) + r"\d", self._texts))

    @cached_property
    def _texts(self) -> str:
        return "\0".join(self._all)

    def _add(self, values: tuple[object, ...]) -> None:
        self._all.extend(one for one in values if isinstance(one, str))
        if len(values) > 1:
            for value in values:
                self._places[key(value)].add(len(self._statements))
            self._statements.append(values)

    def __contains__(self, value: object) -> bool:
        return key(value) in self._places

    def pair(self, asked: object, answer: object) -> bool:
        return key(asked) != key(answer) and bool(
            self._places.get(key(asked), _NOWHERE) & self._places.get(key(answer), _NOWHERE)
        )

    def beside(self, answer: object) -> Iterator[str]:
        """The texts that stand in a statement with the answer."""
        for place in self._places.get(key(answer), _NOWHERE):
            yield from (one for one in self._statements[place] if isinstance(one, str))


_NOWHERE: set[int] = set()


def statements(lines: Sequence[str]) -> Iterator[str]:
    """Lines joined where a parenthesis or bracket is open or the next goes on with a dot."""
    waiting: list[str] = []
    for number, line in enumerate(lines):
        waiting.append(line.strip())
        text = " ".join(waiting)
        goes_on = number + 1 < len(lines) and lines[number + 1].lstrip().startswith((".", ")", "}", "]"))
        is_open = text.count("(") > text.count(")") and not line.rstrip().endswith(("{", ";", "["))
        if len(waiting) >= _JOIN or not (goes_on or is_open) or line.rstrip().endswith("{"):
            yield text
            waiting = []
    if waiting:
        yield " ".join(waiting)
