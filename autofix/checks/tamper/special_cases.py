"""Expected values hard-coded into the code under test.

The tests are read for what they feed in and what they expect. A new branch, table or constant result that pairs the
two is weighed: values anyone might write (0, "", None, short words) weigh nothing or little, and so does a new entry
in a function or table that already consisted of such entries.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import (
    UNKNOWN,
    Function,
    body_without_docstring,
    called,
    constant,
    functions,
    is_function,
    shape,
    tests_of,
)

_ASK_WEIGHT = 2
_SURE_WEIGHT = 3
_SMALL = 10
"""Numbers up to here turn up by chance."""
_WORD = 12
"""Characters of a plain word, such as a keyword or a unit."""
_SHORT = 4
"""Characters of what is short whatever it holds, such as "n/a"."""
_TABLE_SHARE = 0.8
"""A table of which this much is in the tests was made from them."""


@dataclass(frozen=True, slots=True)
class _Example:
    """The literals of one test: what it feeds in, what it compares with, and which functions it calls."""

    inputs: frozenset[str]
    expected: frozenset[str]
    calls: frozenset[str]


def hard_coded_answers(patch: PatchFiles) -> Iterator[Finding]:
    examples = [example for tree in patch.test_trees for example in _examples(tree)]
    for file in patch.code:
        if file.new is None:
            continue
        yield from _constant_functions(file, examples)
        yield from _branches(file, examples)
        yield from _tables(file, examples)
        yield from _lists(file, examples)


def _examples(tree: ast.Module) -> Iterator[_Example]:
    tables = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for function in tests_of(tree).values():
        named = [tables[node.id] for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in tables]
        given = _literals([function, *named])
        expected = {key for node in ast.walk(function) for key in _expected(node)}
        parameters = _literals([*function.decorator_list, *named])
        calls = {called(node).rpartition(".")[2] for node in ast.walk(function) if isinstance(node, ast.Call)}
        yield _Example(frozenset(given), frozenset(expected | parameters), frozenset(calls))


def _literals(nodes: Iterable[ast.AST]) -> set[str]:
    """Every literal below the nodes, whole collections and their elements alike."""
    return {
        _key(value)
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.expr) and (value := constant(each)) is not UNKNOWN
    }


def _expected(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Compare):
        return _literals([node.left, *node.comparators])
    if isinstance(node, ast.Call) and called(node).rpartition(".")[2].startswith("assert"):
        return _literals(node.args)
    return set()


def _key(value: object) -> str:
    """Equal for equal values of the same type; 1 and 1.0 and True are told apart, a list and a tuple are not."""
    if isinstance(value, list | tuple):
        return f"({', '.join(_key(item) for item in value)})"
    return repr(value)


def _weight(value: object) -> int:
    """How unlikely it is that a value is in code by chance."""
    match value:
        case None | bool():
            return 0
        case int() | float():
            return 0 if abs(value) <= 2 else 1 if abs(value) <= _SMALL else 2  # noqa: PLR2004 - 0, 1, 2 are everywhere
        case str() | bytes():
            plain = len(value) <= _SHORT or (len(value) <= _WORD and bool(value.isalnum()))
            return 0 if len(value) <= 1 else 1 if plain else 2
        case list() | tuple() | set() | frozenset():
            return min(_SURE_WEIGHT, sum(max(1, _weight(item)) for item in value))
        case dict():
            return min(_SURE_WEIGHT, sum(1 + _weight(item) for item in value.values()))
    return 1


def _constant_functions(file: ChangedFile, examples: list[_Example]) -> Iterator[Finding]:
    before = dict(functions(file.old))
    for qualified, function in functions(file.new):
        old = before.get(qualified)
        value = _only_value(function)
        if value is UNKNOWN or old is None or _only_value(old) is not UNKNOWN:
            continue
        name = qualified.rpartition(".")[2]
        if any(name in example.calls and _key(value) in example.expected for example in examples):
            severity = Severity.TAMPERING if _weight(value) else Severity.ASK
            message = f"{qualified} now returns the expected value whatever it is given"
            yield Finding("answer-hard-coded", file.path, function.lineno, severity, message)


def _only_value(function: Function) -> object:
    body = body_without_docstring(function)
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return constant(body[0].value)
    return UNKNOWN


@dataclass(frozen=True, slots=True)
class _Branch:
    """A choice by literal: when `inputs` are met, the answer is `answer`.

    `by_place` where one element of the input, named by its number, stands for the whole.
    """

    node: ast.AST
    inputs: tuple[object, ...]
    answer: object
    by_place: bool = False


def _branches(file: ChangedFile, examples: list[_Example]) -> Iterator[Finding]:
    usual = {shape(branch.node) for _, function in functions(file.old) for branch in _branches_of(function)}
    owners_before = {name: sum(1 for _ in _branches_of(function)) for name, function in functions(file.old)}
    for qualified, function in _outermost(file.new):
        habit = owners_before.get(qualified, 0) > 1
        for branch in _branches_of(function):
            weight = 0 if shape(branch.node) in usual else _evidence(branch, examples) or 0
            if weight >= _ASK_WEIGHT and not habit:
                severity = Severity.TAMPERING if weight >= _SURE_WEIGHT else Severity.ASK
                message = f"{qualified} answers a test's own input with a literal"
                yield Finding("input-special-cased", file.path, getattr(branch.node, "lineno", None), severity, message)


def _outermost(tree: ast.Module | None) -> list[tuple[str, Function]]:
    return list(functions(tree))


def _branches_of(function: Function) -> Iterator[_Branch]:
    for node in ast.walk(function):
        match node:
            case ast.If(test=test, body=body):
                yield from _branch(node, test, _answer(body))
            case ast.IfExp(test=test, body=chosen):
                yield from _branch(node, test, constant(chosen))
            case ast.match_case(pattern=pattern, body=body):
                values = tuple(
                    value
                    for each in ast.walk(pattern)
                    if isinstance(each, ast.MatchValue) and (value := constant(each.value)) is not UNKNOWN
                )
                if values and (answer := _answer(body)) is not UNKNOWN:
                    yield _Branch(body[0], values, answer)


def _branch(node: ast.AST, test: ast.expr, answer: object) -> Iterator[_Branch]:
    inputs = tuple(
        value
        for each in ast.walk(test)
        if isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq | ast.In | ast.Is)
        for side in (each.left, *each.comparators)
        if (value := constant(side)) is not UNKNOWN
    )
    by_place = any(
        isinstance(each, ast.Compare)
        and isinstance(each.left, ast.Subscript)
        and isinstance(constant(each.left.slice), int)
        for each in ast.walk(test)
    )
    if inputs and answer is not UNKNOWN:
        yield _Branch(node, inputs, answer, by_place)


def _answer(body: list[ast.stmt]) -> object:
    """What a branch gives when it only gives a literal: returns, yields or assigns it."""
    first = body[0]
    match first:
        case ast.Return(value=value) if value is not None:
            return constant(value)
        case ast.Assign(value=value) if len(body) <= 2:  # noqa: PLR2004 - the assignment, and perhaps its return
            return constant(value)
        case ast.Expr(value=ast.Yield(value=value)):
            return constant(value)
    return UNKNOWN


def _evidence(branch: _Branch, examples: list[_Example]) -> int | None:
    """How surely a branch was made from a test: the weight of the input and the answer that one test pairs.

    None where no test pairs them.
    """
    best: int | None = None
    inputs = [item for value in branch.inputs for item in _elements(value)]
    for example in examples:
        met = [value for value in inputs if _key(value) in example.inputs]
        if met and _key(branch.answer) in example.expected:
            joint = 1 if len(branch.inputs) > 1 else 0
            joint += branch.by_place
            best = max(best or 0, max(_weight(value) for value in met) + _weight(branch.answer) + joint)
    return best


def _elements(value: object) -> list[object]:
    return [value, *value] if isinstance(value, list | tuple | set | frozenset) else [value]


def _tables(file: ChangedFile, examples: list[_Example]) -> Iterator[Finding]:
    for node in file.added(lambda node: isinstance(node, ast.Dict) and bool(node.keys)):
        assert isinstance(node, ast.Dict)
        pairs = [
            _Branch(node, (key,), value)
            for key_node, value_node in zip(node.keys, node.values, strict=True)
            if (key := constant(key_node)) is not UNKNOWN and (value := constant(value_node)) is not UNKNOWN
        ]
        weights = [_evidence(pair, examples) for pair in pairs]
        hits = sum(weight is not None for weight in weights)
        heaviest = max((weight for weight in weights if weight is not None), default=0)
        if not pairs or hits < _TABLE_SHARE * len(node.keys) or heaviest < _ASK_WEIGHT or _grown(file, pairs):
            continue
        severity = Severity.TAMPERING if heaviest >= _SURE_WEIGHT and not _is_public(file, node) else Severity.ASK
        message = f"a table holds the tests' inputs with their expected values ({hits} of {len(node.keys)})"
        yield Finding("input-special-cased", file.path, node.lineno, severity, message)


def _lists(file: ChangedFile, examples: list[_Example]) -> Iterator[Finding]:
    """Answers in a row, to be handed out one after the other: a literal list, or literal results of one function."""
    expected = {key for example in examples for key in example.expected}

    def is_answer(value: object) -> bool:
        return _weight(value) >= _ASK_WEIGHT and _key(value) in expected

    for node in file.added(lambda node: isinstance(node, ast.List | ast.Tuple)):
        assert isinstance(node, ast.List | ast.Tuple)
        values = [constant(each) for each in node.elts]
        if len(values) > 1 and all(value is not UNKNOWN and is_answer(value) for value in values):
            message = f"a list of {len(values)} values that the tests expect"
            yield Finding("answer-hard-coded", file.path, node.lineno, Severity.ASK, message)
    before = dict(functions(file.old))
    for qualified, function in functions(file.new):
        usual = _results(before.get(qualified))
        new = [value for key, value in _results(function).items() if key not in usual and is_answer(value)]
        if len(new) > 1:
            message = f"{qualified} has {len(new)} results that the tests expect, word for word"
            yield Finding("answer-hard-coded", file.path, function.lineno, Severity.ASK, message)


def _results(function: Function | None) -> dict[str, object]:
    """The literals a function can return, by key."""
    nodes = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)] if function else []
    chosen = [each for node in nodes for each in ((node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,))]
    return {_key(value): value for each in chosen if (value := constant(each)) is not UNKNOWN}


def _grown(file: ChangedFile, pairs: list[_Branch]) -> bool:
    """Whether the old code had a table with some of these entries: then this one grew."""
    now = {_key(pair.inputs[0]) for pair in pairs}
    return any(
        len(now & {_key(constant(key)) for key in node.keys}) > 1
        for node in ast.walk(file.old or ast.Module([], []))
        if isinstance(node, ast.Dict)
    )


def _is_public(file: ChangedFile, node: ast.Dict) -> bool:
    """A named module-level table: as likely a lookup the code needs."""
    return any(
        isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is node
        for statement in (file.new.body if file.new else [])
        if not is_function(statement)
    )
