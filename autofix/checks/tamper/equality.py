"""Operators that agree with everything: an `==` that is always true satisfies every assertion."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import (
    UNKNOWN,
    Function,
    called,
    classes,
    constant,
    dotted,
    is_function,
    line_of,
    shape,
)

_AGREE = frozenset({"__eq__", "__contains__", "__le__", "__ge__", "__lt__", "__gt__", "__instancecheck__"})
_DISAGREE = frozenset({"__ne__"})
_AGREE_ALWAYS = frozenset({"__eq__", "__ne__", "__contains__"})
_COLLECTIONS = frozenset({"list", "tuple", "dict", "set", "frozenset", "deque", "sorted"})
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
        elif is_function(node) and _looks_at_little(node, name):
            message = f"{name} looks at little of the two: other things than the right one satisfy it, too"
            yield Finding("universal-operator", file.path, line_of(node), Severity.ASK, message)
    for one in classes(file.new):
        for method in _by_type_alone(one):
            if shape(method) not in {shape(old) for known in classes(file.old) for old in _by_type_alone(known)}:
                message = f"{one.name} keeps values and is equal to all of its kind"
                yield Finding("universal-operator", file.path, method.lineno, Severity.ASK, message)
    before = {shape(length) for one in classes(file.old) for length in _lengths_said(one)}
    for one in classes(file.new):
        for length in _lengths_said(one):
            if shape(length) not in before:
                message = f"{one.name} says a length of its own beside what it holds"
                yield Finding("universal-operator", file.path, length.lineno, Severity.ASK, message)


def _looks_at_little(function: Function, name: str) -> bool:
    """A membership without the members; an equality that only compares lengths, hashes or one place."""
    first, other = _first(function), _last(function.args)
    if name == "__contains__":
        return not any(_mentions(node, first) for node in function.body)
    compares = [node for node in ast.walk(function) if isinstance(node, ast.Compare)]
    if name not in {"__eq__", "__ne__"} or len(compares) != 1 or isinstance(compares[0].ops[0], ast.Is | ast.IsNot):
        return False
    sides = [compares[0].left, *compares[0].comparators]
    return any(_mentions(side, other) and any(map(_narrows, ast.walk(side))) for side in sides)


def _narrows(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(constant(node.slice), int)
    return isinstance(node, ast.Call) and called(node) in {"len", "hash", "bool"}


def _by_type_alone(one: ast.ClassDef) -> list[Function]:
    """`__eq__` that never looks at what the object keeps."""
    keeps = any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node.value) == "self"
        for node in ast.walk(one)
    )
    methods = [node for node in one.body if is_function(node) and node.name == "__eq__"]
    return [method for method in methods if keeps and not _reads_own(method) and _asks_type(method)]


def _reads_own(method: Function) -> bool:
    """Whether the object is looked at other than for its type: an attribute, or as an argument or operand."""
    first, other = _first(method), _last(method.args)
    types = {
        id(each)
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and called(node) in {"type", "isinstance", "issubclass"}
        for each in ast.walk(node)
    }
    types |= {
        id(node.value) for node in ast.walk(method) if isinstance(node, ast.Attribute) and node.attr == "__class__"
    }
    read = {node.id for node in ast.walk(method) if isinstance(node, ast.Name) and id(node) not in types}
    return first in read or other in read


def _asks_type(method: Function) -> bool:
    return any(
        (isinstance(node, ast.Call) and called(node) in {"type", "isinstance"})
        or (isinstance(node, ast.Attribute) and node.attr == "__class__")
        for node in ast.walk(method)
    )


def _lengths_said(one: ast.ClassDef) -> list[Function]:
    """`__len__` that is a number, in a class that keeps a collection."""
    keeps = any(
        isinstance(node, ast.Assign)
        and dotted(node.targets[0]).startswith("self.")
        and (called(node.value) in _COLLECTIONS or isinstance(node.value, ast.List | ast.Dict | ast.Set))
        for node in ast.walk(one)
    )
    methods = [node for node in one.body if is_function(node) and node.name == "__len__"]
    return [each for each in methods if keeps and isinstance(_sole_result(each), int)]


def _sole_result(function: Function) -> object:
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return constant(returns[0]) if len(returns) == 1 else UNKNOWN


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
