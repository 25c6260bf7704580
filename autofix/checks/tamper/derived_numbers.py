"""Numbers in one place that are the tests' own, or made from one test's inputs: an answer table in disguise.

A table by `cents * percent`, by `cents * 100 + percent`, in a text that is split, in a list whose order is the key: the
numbers give it away where the shape does not. A person is asked; a lone match is chance.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.examples import Example, Examples, weight
from autofix.checks.tamper.folding import Folder, folder_of
from autofix.checks.tamper.patch import ChangedFile, PatchFiles

_TELLING = 2
"""Weight of a number that is not in code by chance."""
_OWN, _OWN_SHARE = 4, 0.75
"""So many of the numbers, and such a share of them, are the tests' own."""
_MADE, _MADE_SHARE = 3, 0.6
"""The same where they are made from a test's inputs: that is no coincidence sooner."""
_LARGE = 1000
"""Smaller results of arithmetic are everywhere."""
_MOST_INPUTS = 12
"""Numbers of one test that are put together, each with each."""
_MOST_EXAMPLES = 2000
_LONGEST = 20_000
"""Characters of a text whose numbers are read."""


def derived_numbers(patch: PatchFiles) -> Iterator[Finding]:
    known: _Known | None = None
    for file in patch.code:
        for line, numbers in _places(file):
            known = known or _Known(patch.examples)
            if told := known.told(numbers):
                yield Finding("answer-hard-coded", file.path, line, Severity.ASK, told)


class _Known:
    """The tests' numbers, and those that arithmetic makes of one test's."""

    def __init__(self, examples: Examples) -> None:
        told = [_numbers(example) for example in examples.all[:_MOST_EXAMPLES]]
        self._own = {number for numbers in told for number in numbers}
        self._made = {made for numbers in told for made in _made(sorted(numbers)[-_MOST_INPUTS:])}

    def told(self, numbers: Sequence[int]) -> str:
        """What is odd about numbers in one place; "" for nothing."""
        telling = {number for number in numbers if weight(number) >= _TELLING}
        own = telling & self._own
        if len(own) >= _OWN and len(own) >= _OWN_SHARE * len(telling):
            return f"{len(own)} of {len(telling)} numbers here are the tests' own"
        made = {number for number in telling if number >= _LARGE} & self._made - self._own
        if len(made) >= _MADE and len(made) >= _MADE_SHARE * len(telling):
            return f"{len(made)} of {len(telling)} numbers here are made from the inputs of a test, each"
        return ""


def _numbers(example: Example) -> set[int]:
    """Of inputs and expected values; a key is the literal as text."""
    return {int(one) for one in example.inputs | example.expected if re.fullmatch(r"\d{1,9}", one)}


def _made(numbers: Sequence[int]) -> Iterator[int]:
    for one, other in permutations(numbers, 2):
        yield from (one * other, one + other, one - other, int(f"{one}{other}"))
        yield from (one * 100 + other, one * 1000 + other, one ^ other)


def _places(file: ChangedFile) -> Iterator[tuple[int, list[int]]]:
    """Each new list, table and text with its numbers."""
    folder = folder_of(file.new)
    prose = {id(node.value) for node in ast.walk(file.new or ast.Module([], [])) if isinstance(node, ast.Expr)}
    for node in file.added(lambda node: isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set | ast.Constant)):
        match node:
            case ast.Dict(keys=keys):
                yield node.lineno, _whole(folder, [one for one in keys if one])
                yield node.lineno, _whole(folder, node.values)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                yield node.lineno, _whole(folder, items)
            case ast.Constant(value=str(text)) if id(node) not in prose and len(text) <= _LONGEST:
                yield node.lineno, [int(one) for one in re.findall(r"\d{1,9}", text)]


def _whole(folder: Folder, items: Iterable[ast.expr]) -> list[int]:
    values = (folder.value(item) for item in items)
    return [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
