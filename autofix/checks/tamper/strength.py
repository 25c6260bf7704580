"""How much an assertion says: a scale, and the reachable assertions of a function with their place on it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeGuard

from autofix.checks.tamper.python_code import UNKNOWN, Function, constant, dotted, shape


class Strength(IntEnum):
    """What can still be wrong when the assertion holds."""

    NONE = 0
    """Everything: it always holds."""
    SOMETHING = 1
    """Only that there is something, or of which type."""
    RANGE = 2
    """Within bounds, contained, different, about."""
    EXACT = 3


@dataclass(frozen=True, slots=True)
class Assertion:
    strength: Strength
    shape: str
    text: str
    line: int


_LOOSE_TOLERANCE = 0.01
"""A tolerance above this (relative or absolute) no longer pins a value; pytest's own is 1e-6."""
_BROAD = frozenset({"Exception", "BaseException", "object"})
_SWALLOWING = _BROAD | {"AssertionError", "Failed"}
_TEXT_LIMIT = 80

_BY_NAME = {
    **dict.fromkeys(
        ("assertIsNotNone", "assertIsInstance", "assertNotIsInstance", "assertHasAttr"), Strength.SOMETHING
    ),
    **dict.fromkeys(("assert_called", "assert_any_call"), Strength.SOMETHING),
    **dict.fromkeys(
        ("assertIn", "assertNotIn", "assertNotEqual", "assertIsNot", "assertNotAlmostEqual"), Strength.RANGE
    ),
    **dict.fromkeys(("assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual"), Strength.RANGE),
    **dict.fromkeys(("assertRegex", "assertNotRegex", "assertLogs", "assertNoLogs"), Strength.RANGE),
    "fail": Strength.EXACT,
}
_OF_ARGUMENT = frozenset({"assertTrue", "assert_", "failUnless"})
_OF_NEGATED_ARGUMENT = frozenset({"assertFalse", "failIf"})
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"})
_ASSERTING = ("assert", "expect", "verify_", "check_")


def assertions(function: Function) -> list[Assertion]:
    """The assertions a function can reach, in order; those whose failure would be swallowed have no strength."""
    return list(_of_block(function.body, swallowed=False))


def _of_block(body: Sequence[ast.stmt], *, swallowed: bool) -> Iterator[Assertion]:
    for number, statement in enumerate(body):
        if not _is_function(statement) or _is_used(statement, body[number:]):
            yield from _of_statement(statement, swallowed=swallowed)
        if _ends_block(statement):
            return


def _ends_block(statement: ast.stmt) -> bool:
    """Whether nothing after the statement is reached: it leaves, or a condition that always holds leaves for it."""
    if isinstance(statement, ast.If):
        known = constant(statement.test)
        taken = statement.body if known is not UNKNOWN and known else statement.orelse if known is not UNKNOWN else []
        return any(_ends_block(each) for each in taken)
    return isinstance(statement, ast.Return | ast.Raise | ast.Continue | ast.Break)


def _is_function(statement: ast.stmt) -> TypeGuard[Function]:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)


def _is_used(function: Function, rest: Sequence[ast.stmt]) -> bool:
    """Whether a function inside a function is named after its definition, or handed to a decorator."""
    return bool(function.decorator_list) or any(
        isinstance(node, ast.Name) and node.id == function.name
        for statement in rest
        if statement is not function
        for node in ast.walk(statement)
    )


def _of_statement(statement: ast.stmt, *, swallowed: bool) -> Iterator[Assertion]:
    match statement:
        case ast.Assert(test=test):
            yield _assertion(statement, Strength.NONE if swallowed else of_expression(test))
        case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
            yield from _of_choice(statement, swallowed=swallowed)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            for item in items:
                yield from _of_calls(item.context_expr, swallowed=swallowed)
            suppresses = any(_suppresses(item.context_expr) for item in items)
            yield from _of_block(body, swallowed=swallowed or suppresses)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            yield from _of_block(body, swallowed=swallowed or any(_swallows(handler) for handler in handlers))
            for handler in handlers:
                yield from _of_block(handler.body, swallowed=swallowed)
            yield from _of_block([*orelse, *final], swallowed=swallowed)
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body) | ast.ClassDef(body=body):
            yield from _of_block(body, swallowed=swallowed)
        case _:
            yield from _of_calls(statement, swallowed=swallowed)


def _of_choice(statement: ast.If | ast.While | ast.For | ast.AsyncFor, *, swallowed: bool) -> Iterator[Assertion]:
    """Blocks that a literal condition, or an empty literal to loop over, makes unreachable do not count."""
    known = constant(statement.test if isinstance(statement, ast.If | ast.While) else statement.iter)
    if known is UNKNOWN or known:
        yield from _of_block(statement.body, swallowed=swallowed)
    if known is UNKNOWN or not known or isinstance(statement, ast.For | ast.AsyncFor):
        yield from _of_block(statement.orelse, swallowed=swallowed)


def _of_calls(node: ast.AST, *, swallowed: bool) -> Iterator[Assertion]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            strength = _of_call(call)
            if strength is not None:
                yield _assertion(call, Strength.NONE if swallowed else strength)


def _assertion(node: ast.Assert | ast.Call, strength: Strength) -> Assertion:
    told = node.test if isinstance(node, ast.Assert) else node
    text = " ".join(ast.unparse(told).split())
    return Assertion(strength, f"{strength}{shape(told)}", text[:_TEXT_LIMIT], node.lineno)


def of_expression(test: ast.expr) -> Strength:
    """The strength of `assert test`."""
    value = constant(test)
    strength = Strength.SOMETHING
    if value is not UNKNOWN:
        strength = Strength.NONE if value else Strength.EXACT
    elif isinstance(test, ast.BoolOp):
        strength = _of_junction(test)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Compare):
        strength = min(Strength.RANGE, _of_compare(test.operand))
    elif isinstance(test, ast.Compare):
        strength = _of_compare(test)
    elif isinstance(test, ast.Lambda | ast.JoinedStr | ast.Tuple | ast.List | ast.Dict):
        strength = Strength.NONE
    elif isinstance(test, ast.Call):
        called = _of_call(test)
        strength = Strength.SOMETHING if called is None else called
    return strength


def _of_junction(test: ast.BoolOp) -> Strength:
    if isinstance(test.op, ast.And):
        return max(of_expression(each) for each in test.values)
    if any(constant(each) is not UNKNOWN and constant(each) for each in test.values):
        return Strength.NONE
    return min(Strength.RANGE, *(of_expression(each) for each in test.values))


def _of_compare(test: ast.Compare) -> Strength:
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if _always_holds(left, operator, right):
        return Strength.NONE
    if isinstance(operator, ast.IsNot | ast.NotEq) and constant(right) is None:
        return Strength.SOMETHING
    if not isinstance(operator, ast.Eq | ast.Is):
        return Strength.RANGE
    if _is_type(left):
        return Strength.SOMETHING
    return Strength.RANGE if _loose(left) or _loose(right) else Strength.EXACT


def _always_holds(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    same = shape(left) == shape(right) and isinstance(operator, ast.Eq | ast.Is | ast.LtE | ast.GtE)
    anything = any(dotted(side).rpartition(".")[2] == "ANY" for side in (left, right))
    is_length = isinstance(left, ast.Call) and dotted(left.func) == "len"
    return same or anything or (is_length and isinstance(operator, ast.GtE) and constant(right) == 0)


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "type"


def _loose(node: ast.expr) -> bool:
    """An `approx` (or the like) whose stated tolerance is wide, or not a literal."""
    if not isinstance(node, ast.Call) or dotted(node.func).rpartition(".")[2] != "approx":
        return dotted(node.func).rpartition(".")[2] == "round" if isinstance(node, ast.Call) else False
    stated = [*node.args[1:], *(word.value for word in node.keywords if word.arg in {"rel", "abs"})]
    return any(not isinstance(value := constant(each), int | float) or value > _LOOSE_TOLERANCE for each in stated)


def _of_call(call: ast.Call) -> Strength | None:
    """The strength of a call that asserts; None where it does not."""
    name = dotted(call.func).rpartition(".")[2] or (call.func.attr if isinstance(call.func, ast.Attribute) else "")
    strength = _BY_NAME.get(name)
    if name in _OF_ARGUMENT:
        strength = of_expression(call.args[0]) if call.args else Strength.NONE
    elif name in _OF_NEGATED_ARGUMENT:
        strength = of_expression(ast.UnaryOp(ast.Not(), call.args[0])) if call.args else Strength.NONE
    elif name in _RAISES:
        strength = _of_raises(call)
    elif strength is None and name.startswith(_ASSERTING):
        same = len(call.args) > 1 and shape(call.args[0]) == shape(call.args[1])
        strength = Strength.NONE if same else Strength.RANGE if _wide(call) else Strength.EXACT
    return strength


def _wide(call: ast.Call) -> bool:
    for word in call.keywords:
        value = constant(word.value)
        if word.arg in {"delta", "rtol", "atol", "rel_tol", "abs_tol"} and isinstance(value, int | float):
            return value > _LOOSE_TOLERANCE
        if word.arg == "places" and isinstance(value, int):
            return value < 2  # noqa: PLR2004 - the same tolerance in decimal places
    return False


def _of_raises(call: ast.Call) -> Strength:
    expected = dotted(call.args[0]).rpartition(".")[2] if call.args else ""
    if expected in _SWALLOWING - _BROAD:
        return Strength.NONE
    if expected in _BROAD:
        return Strength.SOMETHING
    return Strength.RANGE if call.args and isinstance(call.args[0], ast.Tuple) else Strength.EXACT


def _suppresses(context: ast.expr) -> bool:
    """Whether a failed assertion ends in this context manager: suppressed, or even expected."""
    if not isinstance(context, ast.Call):
        return False
    if dotted(context.func).rpartition(".")[2] not in {"suppress", "raises", "assertRaises", "assertRaisesRegex"}:
        return False
    return any(dotted(each).rpartition(".")[2] in _SWALLOWING for each in context.args)


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a failed assertion ends in this handler: broad enough, and it does not fail or raise in turn."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if not any(each is None or dotted(each).rpartition(".")[2] in _SWALLOWING for each in types):
        return False
    return not any(
        isinstance(node, ast.Raise | ast.Assert) or (isinstance(node, ast.Call) and _of_call(node) is not None)
        for statement in handler.body
        for node in ast.walk(statement)
    )
