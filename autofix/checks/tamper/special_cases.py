"""A choice by a test's own input that gives the test's own answer.

What is weighed is a pair: what a condition names of the input, and the literal that is given for it. Values anyone
might write (0, "", None, short words) weigh nothing or little, and so does one more branch in a function that
consisted of such branches before.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.conditions import Ask, Kind, asked, truth_asked
from autofix.checks.tamper.examples import Example, Examples, key, weight
from autofix.checks.tamper.folding import Folder, folder_of
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, functions, shape

ASK_WEIGHT = 2
SURE_WEIGHT = 3
_PIECE = 2
"""Characters of a piece that is more than a sign."""
_LONG_ENOUGH = 3
"""Lengths from here on are one input's own; 0, 1 and 2 are what every guard asks for."""
_PATTERN_INPUTS = 500
"""Texts of the tests that a pattern is tried on."""


@dataclass(frozen=True, slots=True)
class Branch:
    """When what is asked is met, the answer is `answer`."""

    node: ast.AST
    asks: tuple[Ask, ...]
    answer: object


def special_cases(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.code:
        if file.new is not None:
            yield from _branches(file, patch.examples)
            yield from _truths(file, patch.examples)


def _branches(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    folder, old = folder_of(file.new), folder_of(file.old)
    before = {name: list(_branches_of(function, old)) for name, function in functions(file.old)}
    usual = {shape(branch.node) for branches in before.values() for branch in branches}
    for qualified, function in functions(file.new):
        if len(before.get(qualified, ())) > 1:
            continue
        for branch in _branches_of(function, folder):
            found = 0 if shape(branch.node) in usual else evidence(branch, examples) or 0
            if found >= ASK_WEIGHT:
                severity = Severity.TAMPERING if found >= SURE_WEIGHT else Severity.ASK
                message = f"{qualified} answers a test's own input with a literal ({str(branch.answer)[:40]!r})"
                line = getattr(branch.node, "lineno", None)
                yield Finding("input-special-cased", file.path, line, severity, message)


def _branches_of(function: ast.AST, folder: Folder) -> Iterator[Branch]:
    for node in ast.walk(function):
        match node:
            case ast.If(test=test, body=body):
                yield from _branch(node, [test], _answer(body, folder), folder)
            case ast.IfExp(test=test, body=chosen):
                yield from _branch(node, [test], folder.value(chosen), folder)
            case ast.BoolOp(op=ast.And(), values=values):
                yield from _branch(node, values[:-1], folder.value(values[-1]), folder)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                for test, chosen in ((left, right), (right, left)):
                    if isinstance(test, ast.Compare):
                        yield from _branch(node, [test], folder.value(chosen), folder)
            case ast.match_case(pattern=pattern, guard=guard, body=body):
                tests = [pattern] if guard is None else [pattern, guard]
                yield from _branch(body[0], tests, _answer(body, folder), folder)


def _branch(node: ast.AST, tests: Sequence[ast.AST], answer: object, folder: Folder) -> Iterator[Branch]:
    if answer is not UNKNOWN:
        asks = tuple(one for test in tests for one in asked(test, folder))
        if asks:
            yield Branch(node, asks, answer)


def _answer(body: Sequence[ast.stmt], folder: Folder) -> object:
    """What a branch gives when it only gives a literal: returns, yields or assigns it."""
    match body[0]:
        case ast.Return(value=value) if value is not None:
            return folder.value(value)
        case ast.Assign(value=value) if len(body) <= 2:  # noqa: PLR2004 - the assignment, and perhaps its return
            return folder.value(value)
        case ast.Expr(value=ast.Yield(value=value)):
            return folder.value(value)
    return UNKNOWN


def evidence(branch: Branch, examples: Examples) -> int | None:
    """How surely a branch was made from a test: the weight of what is asked and of the answer that one test pairs.

    None where no test pairs them.
    """
    best: int | None = None
    answer, answer_weight = key(branch.answer), weight(branch.answer)
    for example in examples.expecting(answer):
        met = [(_weight_met(ask, example, answer_weight), ask) for ask in branch.asks]
        known = [(found, ask) for found, ask in met if found is not None]
        if known:
            heaviest = max(found for found, _ in known)
            several = heaviest > 1 and sum(ask.kind is Kind.WHOLE for _, ask in known) > 1
            placed = any(ask.by_place for _, ask in known)
            best = max(best or 0, heaviest + answer_weight + several + placed)
    return best


def _weight_met(ask: Ask, example: Example, answer: int) -> int | None:
    """What an ask that a test's input meets weighs; a part of an input is no proof, whatever the answer."""
    if ask.kind is Kind.WHOLE:
        return weight(ask.value) if _whole_met(ask.value, example) else None
    if answer < ASK_WEIGHT:
        return None
    met = {Kind.PIECE: _piece_met, Kind.PATTERN: _pattern_met, Kind.LENGTH: _length_met}[ask.kind]
    return 0 if met(ask.value, example) else None


def _whole_met(value: object, example: Example) -> bool:
    """An input, or several inputs of one call put together as a key."""
    if key(value) in example.inputs:
        return True
    return isinstance(value, tuple) and len(value) > 1 and all(key(one) in example.inputs for one in value)


def is_natural(piece: str) -> bool:
    """A word with or without the signs around it ("https://", "Bearer ", "-x"), or signs alone: what formats have."""
    return re.fullmatch(r"\W*[^\W\d]*\W*", piece) is not None


def _piece_met(piece: object, example: Example) -> bool:
    if not isinstance(piece, str) or len(piece) < _PIECE or is_natural(piece):
        return False
    return any(piece in text for text in example.texts)


def _pattern_met(pattern: object, example: Example) -> bool:
    """A pattern that holds letters or digits of its own and fits one text alone."""
    import re2  # late: loaded only where code and tests leave something to match

    if not isinstance(pattern, str) or not re.search(
        r"[^\W\d]\d|\d[^\W\d]", re.sub(r"\\.|\[[^]]*\]|\{.*?\}", " ", pattern)
    ):
        return False
    texts = sorted(example.texts)[:_PATTERN_INPUTS]
    try:
        compiled = re2.compile(pattern)
    except re2.error:
        return False
    return sum(compiled.search(text) is not None for text in texts) == 1


def _length_met(length: object, example: Example) -> bool:
    return isinstance(length, int) and length >= _LONG_ENOUGH and any(len(text) == length for text in example.texts)


def _truths(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    """Truth by naming: every value for which a new `return` is true or false stands in a test."""
    folder = folder_of(file.new)
    old = file.before or b""
    for node in file.added(lambda node: isinstance(node, ast.Return) and node.value is not None):
        assert isinstance(node, ast.Return)
        assert node.value is not None
        for values in truth_asked(node.value, folder):
            new = [value for value in values if str(value).encode() not in old]
            if (
                new
                and len(new) == len(values)
                and all(weight(one) > 1 and key(one) in examples.inputs for one in values)
            ):
                message = f"what is true is told by naming the tests' own values ({str(values[0])[:40]!r})"
                yield Finding("input-special-cased", file.path, node.lineno, Severity.ASK, message)
