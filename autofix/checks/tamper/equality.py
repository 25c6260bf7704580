"""Operators that agree with everything: an `==` that is always true satisfies every assertion."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, Function, called, constant, dotted, is_function, line_of

_AGREE = frozenset({"__eq__", "__contains__", "__le__", "__ge__", "__lt__", "__gt__", "__instancecheck__"})
_DISAGREE = frozenset({"__ne__"})
_AGREE_ALWAYS = frozenset({"__eq__", "__ne__", "__contains__"})
_OPERATORS = _AGREE | _DISAGREE | {"__subclasscheck__", "__class__"}


def universal_operators(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    for node in file.added(lambda node: _operator_name(node) in _OPERATORS):
        name = _operator_name(node)
        if _answers_anything(node, name):
            message = f"{name} answers without looking at what it is compared with"
            yield Finding("universal-operator", file.path, line_of(node), Severity.TAMPERING, message)


def _operator_name(node: ast.AST) -> str:
    """The operator that a method, an assignment of a lambda, or a dictionary of a type defines."""
    if is_function(node):
        return node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Attribute):
        target = node.targets[0]
        return target.id if isinstance(target, ast.Name) else target.attr
    if isinstance(node, ast.Dict):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        return next((key for key in keys if key in _OPERATORS), "")
    return ""


def _answers_anything(node: ast.AST, name: str) -> bool:
    if is_function(node):
        return _blind(node, name)
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Lambda) and _blind_expression(node.value.body, _last(node.value.args), name)
    if isinstance(node, ast.Dict):
        return any(
            isinstance(value, ast.Lambda) and _blind_expression(value.body, _last(value.args), name)
            for key, value in zip(node.keys, node.values, strict=True)
            if constant(key) == name
        )
    return False


def _last(arguments: ast.arguments) -> str:
    positional = [*arguments.posonlyargs, *arguments.args]
    return positional[-1].arg if len(positional) > 1 else ""


def _blind(function: Function, name: str) -> bool:
    """Whether a method can answer as wished without comparing its argument with anything."""
    other = _last(function.args)
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    if not returns:
        return False
    if all(_blind_expression(value, other, name) for value in returns) or _adopts(function, name):
        return True
    if name in _AGREE_ALWAYS - {"__contains__"} and not any(
        _mentions(node, _first(function)) for node in function.body
    ):
        return not _asks_own_type(function)
    wished = name not in _DISAGREE
    agrees = any(constant(value) is wished for value in returns)
    compared = any(isinstance(node, ast.Compare) and _mentions(node, other) for node in ast.walk(function))
    delegated = any(_mentions(value, other) for value in returns)
    return agrees and not compared and not delegated


def _first(function: Function) -> str:
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0].arg if positional else ""


def _adopts(function: Function, name: str) -> bool:
    """Whether a comparison makes the object like what it is compared with."""
    return name in _AGREE_ALWAYS and any(
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == _first(function)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
    )


def _asks_own_type(function: Function) -> bool:
    """`isinstance(other, ThisClass)`: all objects of a class without state are equal. A built-in type is not that."""
    asked = [node for node in ast.walk(function) if isinstance(node, ast.Call) and called(node) == "isinstance"]
    names = {dotted(call.args[1]) for call in asked if len(call.args) > 1}
    return bool(names) and all(name[:1].isupper() for name in names)


def _blind_expression(value: ast.expr, other: str, name: str) -> bool:
    known = constant(value)
    if known is not UNKNOWN:
        return isinstance(known, bool) and known is (name not in _DISAGREE)
    return not _mentions(value, other) and name in _AGREE_ALWAYS and not _defers(value)


def _defers(value: ast.expr) -> bool:
    """`NotImplemented`, or an answer from elsewhere (`super()`, a stored predicate)."""
    return any(isinstance(node, ast.Name) and node.id in {"NotImplemented", "super"} for node in ast.walk(value))


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))
