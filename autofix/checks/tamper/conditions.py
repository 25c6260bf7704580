"""What a condition asks of the input: whole values it is compared with, pieces, patterns, lengths, narrow ranges."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from autofix.checks.tamper.folding import Folder
from autofix.checks.tamper.python_code import UNKNOWN, called, dotted

_PIECE_METHODS = frozenset(
    {"startswith", "endswith", "find", "rfind", "index", "count", "removeprefix", "removesuffix"}
)
_PATTERN_CALLS = frozenset({"match", "search", "fullmatch", "findall"})
_NARROW = 3
"""Numbers between two bounds this close are as good as named."""


class Kind(Enum):
    """How much of the input is named."""

    WHOLE = "whole"
    PIECE = "piece"
    PATTERN = "pattern"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Ask:
    """One value a condition names.

    Attributes:
        by_place: it is compared with an element that is named by its number.
    """

    value: object
    kind: Kind = Kind.WHOLE
    by_place: bool = False


def asked(test: ast.AST, folder: Folder) -> tuple[Ask, ...]:
    """What a condition names."""
    return tuple(_asked(test, folder))


def _asked(test: ast.AST, folder: Folder) -> Iterator[Ask]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            yield from _of_compare(node, folder)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            first = folder.value(node.args[0])
            if node.func.attr in _PIECE_METHODS:
                yield from (Ask(one, Kind.PIECE) for one in _each(first) if isinstance(one, str | bytes))
            elif node.func.attr in _PATTERN_CALLS and isinstance(first, str):
                yield Ask(first, Kind.PATTERN)
        elif isinstance(node, ast.MatchValue) and (value := folder.value(node.value)) is not UNKNOWN:
            yield Ask(value)


def _of_compare(node: ast.Compare, folder: Folder) -> Iterator[Ask]:
    sides = [node.left, *node.comparators]
    if len(node.ops) == 2 and all(isinstance(op, ast.Lt | ast.LtE) for op in node.ops):  # noqa: PLR2004 - a < x < b
        yield from _between(folder.value(sides[0]), folder.value(sides[2]))
        return
    if not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot):
        return
    named = [(side, other) for side, other in ((sides[0], sides[1]), (sides[1], sides[0]))]
    for side, other in named:
        value = folder.value(side)
        if value is UNKNOWN or folder.value(other) is not UNKNOWN:
            continue
        if isinstance(node.ops[0], ast.In | ast.NotIn) and side is sides[0]:
            if isinstance(value, str | bytes):
                yield Ask(value, Kind.PIECE)
        elif called(other) == "len":
            yield Ask(value, Kind.LENGTH)
        elif isinstance(other, ast.Subscript):
            yield from _by_place(value, other, folder)
        elif not isinstance(node.ops[0], ast.NotEq | ast.NotIn):
            yield from (Ask(one) for one in _whole_and_each(value))


def _by_place(value: object, other: ast.Subscript, folder: Folder) -> Iterator[Ask]:
    if isinstance(other.slice, ast.Slice):
        yield Ask(value, Kind.PIECE)
    else:
        numbered = isinstance(folder.value(other.slice), int)
        yield from (Ask(one, by_place=numbered) for one in _whole_and_each(value))


def _between(low: object, high: object) -> Iterator[Ask]:
    if isinstance(low, int) and isinstance(high, int) and 0 <= high - low <= _NARROW:
        yield from (Ask(value) for value in range(low, high + 1))


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, tuple) else (value,)


def _whole_and_each(value: object) -> Iterable[object]:
    return (value, *value) if isinstance(value, list | tuple | set | frozenset | dict) else (value,)


def truth_asked(value: ast.AST, folder: Folder) -> Iterator[tuple[object, ...]]:
    """The values by which an expression's truth is decided one by one: `x in {1, 2}`, `... and x != 3`."""
    if isinstance(value, ast.Compare):
        yield _members(value, folder)
    elif isinstance(value, ast.BoolOp):
        for each in value.values:
            if isinstance(each, ast.Compare):
                yield _exceptions(each, folder)


def _members(node: ast.Compare, folder: Folder) -> tuple[object, ...]:
    value = folder.value(node.comparators[0])
    if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(value, list | tuple | set | frozenset | dict):
        return tuple(value) if len(value) > 1 and folder.value(node.left) is UNKNOWN else ()
    return ()


def _exceptions(node: ast.Compare, folder: Folder) -> tuple[object, ...]:
    if isinstance(node.ops[0], ast.Eq | ast.NotEq) and not dotted(node.left).startswith("__"):
        value = folder.value(node.comparators[0])
        return () if value is UNKNOWN or called(node.left) == "len" else (value,)
    return _members(node, folder)
