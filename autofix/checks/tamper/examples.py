"""What the head's tests feed in and what they expect: read for literals, test by test."""

import ast
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from autofix.checks.tamper.folding import Folder, folder_of
from autofix.checks.tamper.python_code import UNKNOWN, called, constant, tests_of

_SMALL = 10
"""Numbers up to here turn up by chance."""
_WORD = 12
"""Characters of a plain word, such as a keyword or a unit."""
_SHORT = 4
"""Characters of what is short whatever it holds, such as "n/a"."""
_MOST = 3
_TEXTS = 2_000
"""Texts of the tests that are looked for in the code's longer ones."""
_DATA_LIMIT = 256 * 1024
"""Bytes of a file of expected values that is read for them."""
_WELL_KNOWN = (
    {int(status) for status in HTTPStatus}
    | {1 << exponent for exponent in range(4, 33)}
    | {(1 << exponent) - 1 for exponent in range(4, 33)}
    | {10**exponent for exponent in range(2, 10)}
    | {12, 24, 28, 29, 30, 31, 52, 60, 180, 360, 365, 366, 1440, 3600, 86_400, 443, 8080}
)
"""Numbers that code holds because the world does: of HTTP, of bits, of the calendar, of circles."""
_PHRASES = {status.phrase.casefold() for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Example:
    """The literals of one test: what it feeds in, what it compares with, and which functions it calls."""

    inputs: frozenset[str]
    expected: frozenset[str]
    calls: frozenset[str]
    texts: frozenset[str]
    """The texts among the inputs, as they are."""


class Examples:
    """All tests' examples, found by what they expect: looking at each for each literal of the code would not end."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self.all = tuple(examples)
        self._expecting: defaultdict[str, list[Example]] = defaultdict(list)
        for example in self.all:
            for one in example.expected:
                self._expecting[one].append(example)
        self.inputs = frozenset(one for example in self.all for one in example.inputs)
        self.texts = sorted({one for example in self.all for one in example.texts if weight(one) > 1})[:_TEXTS]

    @property
    def expected(self) -> Collection[str]:
        return self._expecting.keys()

    def expecting(self, answer: str) -> Sequence[Example]:
        return self._expecting.get(answer, ())


def key(value: object) -> str:
    """Equal for equal values of the same type; 1 and 1.0 and True are told apart, a list and a tuple are not."""
    if isinstance(value, list | tuple):
        return f"({', '.join(key(item) for item in value)})"
    return repr(value)


def weight(value: object) -> int:
    """How unlikely it is that a value is in code by chance."""
    match value:
        case None | bool():
            return 0
        case int() | float():
            return _weight_of_number(value)
        case str() | bytes():
            return _weight_of_text(value)
        case list() | tuple() | set() | frozenset():
            return min(_MOST, sum(max(1, weight(item)) for item in value))
        case dict():
            return min(_MOST, sum(1 + weight(item) for item in value.values()))
    return 1


def _weight_of_number(value: float) -> int:
    if abs(value) <= 2:  # noqa: PLR2004 - 0, 1, 2 are everywhere
        return 0
    return 1 if abs(value) <= _SMALL or value in _WELL_KNOWN else 2


def _weight_of_text(value: str | bytes) -> int:
    if len(value) <= 1 or (isinstance(value, str) and value.casefold() in _PHRASES):
        return 0
    return 1 if len(value) <= _SHORT or (len(value) <= _WORD and value.isalnum()) else 2


def examples_of(trees: Iterable[ast.Module], data: Mapping[str, bytes]) -> Examples:
    """The examples of test modules and of the data beside them."""
    of_tests = [example for tree in trees for example in _of_tree(tree)]
    return Examples([*of_tests, *(example for content in data.values() for example in _of_data(content))])


def _of_tree(tree: ast.Module) -> Iterator[Example]:
    folder = folder_of(tree)
    tables = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for function in tests_of(tree).values():
        named = [tables[node.id] for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in tables]
        given = list(_literals([function, *named], folder))
        expected = {key(value) for node in ast.walk(function) for value in _expected(node, folder)}
        parameters = {key(value) for value in _literals([*function.decorator_list, *named], folder)}
        calls = {called(node).rpartition(".")[2] for node in ast.walk(function) if isinstance(node, ast.Call)}
        texts = frozenset(value for value in given if isinstance(value, str))
        yield Example(frozenset(map(key, given)), frozenset(expected | parameters), frozenset(calls), texts)


def _literals(nodes: Iterable[ast.AST], folder: Folder) -> Iterator[object]:
    """Every literal below the nodes, whole collections and their elements alike, and what literals add up to."""
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.BinOp | ast.UnaryOp | ast.Call):
                value = folder.value(each)
            else:
                value = constant(each) if isinstance(each, ast.expr) else UNKNOWN
            if value is not UNKNOWN:
                yield value


def _expected(node: ast.AST, folder: Folder) -> Iterator[object]:
    """What an assertion compares with; the truth of what it calls is a comparison, too."""
    if isinstance(node, ast.Compare):
        yield from _literals([node.left, *node.comparators], folder)
    elif isinstance(node, ast.Call) and called(node).rpartition(".")[2].startswith("assert"):
        yield from _literals(node.args, folder)
        yield from _SAID.get(called(node).rpartition(".")[2], ())
    elif isinstance(node, ast.Assert):
        negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        if isinstance(node.test, ast.Call) or negated:
            yield not negated


_SAID: dict[str, tuple[object, ...]] = {"assertTrue": (True,), "assertFalse": (False,), "assertIsNone": (None,)}


def _of_data(content: bytes) -> Iterator[Example]:
    """A file of JSON: each entry of its table, or each of its records, is an example."""
    if len(content) > _DATA_LIMIT:
        return
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return
    entries = [list(entry) for entry in told.items()] if isinstance(told, dict) else told
    for entry in entries if isinstance(entries, list) else ():
        values = list(_leaves(entry, 20))
        keys = frozenset(map(key, values))
        yield Example(keys, keys, frozenset(), frozenset(value for value in values if isinstance(value, str)))


def _leaves(value: object, depth: int) -> Iterator[object]:
    if isinstance(value, dict | list) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item, depth - 1)
    else:
        yield value
