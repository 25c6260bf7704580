"""Answers that depend on how often the code was called: state kept between calls, and a call told by its number."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.folding import Folder, folder_of
from autofix.checks.tamper.patch import PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, Function, called, constant, dotted, is_function, line_of, shape

_MUTABLE = (ast.List, ast.Dict, ast.Set)


def counted_calls(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.code:
        if file.new is not None:
            usual = {shape(node) for node in _told_by_count(file.old)}
            for node in _told_by_count(file.new):
                if shape(node) not in usual:
                    message = "the answer depends on how often the code was called before"
                    yield Finding("call-counted", file.path, line_of(node), Severity.ASK, message)


def _told_by_count(tree: ast.Module | None) -> Iterator[ast.AST]:
    """The comparisons and look-ups that ask for the number of the call."""
    if tree is None:
        return
    folder = folder_of(tree)
    kept, rows = _kept_lists(tree), _rows(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _takes_next(node, rows):
            yield node
        if isinstance(node, ast.Compare) and any(
            called(each) == "len" and isinstance(each, ast.Call) and each.args and dotted(each.args[0]) in kept
            for each in ast.walk(node)
        ):
            yield node
        if is_function(node):
            counters = _counters(node)
            for each in ast.walk(node) if counters else ():
                if _asks_number(each, counters, folder):
                    yield each


def _kept_lists(tree: ast.Module) -> set[str]:
    return {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, _MUTABLE)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _rows(tree: ast.Module) -> set[str]:
    """A module's own iterators and queues over literals."""
    return {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and statement.value.args
        for target in statement.targets
        if isinstance(target, ast.Name)
        and called(statement.value).rpartition(".")[2] in {"iter", "chain", "deque", "list", "reversed"}
        and constant(statement.value.args[0]) not in (UNKNOWN, [], ())
    }


def _takes_next(node: ast.Call, rows: set[str]) -> bool:
    if called(node) == "next":
        return bool(node.args) and dotted(node.args[0]) in rows
    return (
        isinstance(node.func, ast.Attribute)
        and node.func.attr in {"pop", "popleft"}
        and dotted(node.func.value) in rows
    )


def _counters(function: Function) -> set[str]:
    """Places outside the function's own call that it adds to: a global, an attribute of a function, a default."""
    local = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} | {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    outer = {name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    defaults = [*function.args.defaults, *(one for one in function.args.kw_defaults if one)]
    positional = [*function.args.posonlyargs, *function.args.args][-len(defaults) :] if defaults else []
    with_default = (
        {one.arg for one in (*positional, *function.args.kwonlyargs)}
        if any(isinstance(one, _MUTABLE) for one in defaults)
        else set()
    )
    found = set()
    for node in ast.walk(function):
        target: ast.expr | None = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.Add):
            target = node.targets[0]
        name = ast.unparse(target) if target is not None else ""
        root = name.partition(".")[0].partition("[")[0]
        own = isinstance(target, ast.Attribute) and root not in local
        if name and (root in outer or own or (root in with_default and isinstance(target, ast.Subscript))):
            found.add(name)
    return found


def _asks_number(node: ast.AST, counters: set[str], folder: Folder) -> bool:
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.In | ast.NotEq | ast.NotIn):
        sides = [node.left, node.comparators[0]]
        known = [folder.value(side) for side in sides]
        numbers = any(isinstance(one, int | list | tuple | set | range) and not isinstance(one, bool) for one in known)
        return numbers and any(ast.unparse(side) in counters for side in sides)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.List | ast.Tuple | ast.Dict):
        return any(ast.unparse(each) in counters for each in ast.walk(node.slice) if isinstance(each, ast.expr))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Dict):
        return node.func.attr == "get" and bool(node.args) and ast.unparse(node.args[0]) in counters
    return False
