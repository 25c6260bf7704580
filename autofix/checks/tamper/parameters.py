"""Lists of cases that got shorter: parametrisation, module-level case tables, loops over literal cases."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, constant, dotted, functions, shape


@dataclass(frozen=True, slots=True)
class _Cases:
    """A literal list of cases; `where` names it across the change."""

    where: str
    items: tuple[str, ...]
    line: int


def shortened_parameters(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.test_files:
        if file.old is not None and file.new is not None:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    assert file.old is not None
    assert file.new is not None
    after = {cases.where: cases for cases in _lists(file.new)}
    for before in _lists(file.old):
        now = after.get(before.where)
        if now is None:
            continue
        gone = Counter(before.items) - Counter(now.items)
        new = Counter(now.items) - Counter(before.items)
        if gone:
            count = gone.total()
            severity = Severity.ASK if new else Severity.TAMPERING
            rule = "cases-changed" if new else "cases-removed"
            verb = "changed" if new else "removed"
            yield Finding(rule, file.path, now.line, severity, f"{before.where}: {count} cases {verb}")


def _lists(tree: ast.Module) -> Iterator[_Cases]:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield from _cases(statement.targets[0].id, statement.value)
    for name, function in functions(tree):
        for number, decorator in enumerate(function.decorator_list):
            if isinstance(decorator, ast.Call) and dotted(decorator.func).endswith("parametrize"):
                argument = decorator.args[1] if len(decorator.args) > 1 else _argvalues(decorator)
                yield from _cases(f"{name}, parametrize {number + 1}", argument)
        loops = (node for node in ast.walk(function) if isinstance(node, ast.For | ast.comprehension))
        for number, loop in enumerate(loops):
            yield from _cases(f"{name}, loop {number + 1}", loop.iter)


def _argvalues(decorator: ast.Call) -> ast.expr | None:
    return next((word.value for word in decorator.keywords if word.arg == "argvalues"), None)


def _cases(where: str, node: ast.expr | None) -> Iterator[_Cases]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        yield from _sliced(where, node, node.slice)
    elif isinstance(node, ast.Name):
        yield _Cases(where, (shape(node),), node.lineno)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        yield _Cases(where, tuple(shape(item) for item in node.elts), node.lineno)
    elif isinstance(node, ast.Dict):
        items = (shape(key) + shape(value) for key, value in zip(node.keys, node.values, strict=True) if key)
        yield _Cases(where, tuple(items), node.lineno)


def _sliced(where: str, node: ast.Subscript, place: ast.Slice) -> Iterator[_Cases]:
    """A list of which a slice is taken has the cases that are left; of a list by name nobody knows which."""
    bounds = [_bound(one) for one in (place.lower, place.upper, place.step)]
    known = UNKNOWN not in bounds and bounds[2] != 0 and not isinstance(node.value, ast.Name)
    for cases in _cases(where, node.value):
        yield _Cases(where, cases.items[slice(*bounds)] if known else (), cases.line)


def _bound(node: ast.expr | None) -> Any:
    value = None if node is None else constant(node)
    return value if value is None or isinstance(value, int) else UNKNOWN
