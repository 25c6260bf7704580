"""Code that knows a test's double from the real thing: by its class's name, or by what only a double carries."""

import ast
import re
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.folding import folder_of
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import called, classes, dotted, line_of

_DOUBLE_NAME = re.compile(r"^_?(Fake|Mock|Stub|Dummy|Spy|Magic|Recording|Double)(?![a-z])|^(fake|mock|stub|dummy)$")
_OF_MOCKS = frozenset(
    {"mock_calls", "call_count", "call_args", "call_args_list", "return_value", "side_effect", "assert_called"}
    | {"assert_called_once", "assert_called_with", "assert_called_once_with", "method_calls", "_mock_name"}
    | {"_mock_children", "_mock_self", "_spec_class", "_mock_methods", "mock_add_spec", "reset_mock", "attach_mock"}
)
"""Attributes of `unittest.mock` (its documentation's list)."""
_PROBES = frozenset({"hasattr", "getattr", "vars", "dir", "__getattribute__", "getattr_static"})
_OF_NAMES = frozenset({"__name__", "__module__", "__qualname__"})
_TEXT_OF = frozenset({"repr", "str", "format", "ascii"})


def recognised_doubles(patch: PatchFiles) -> Iterator[Finding]:
    carried = frozenset(name for tree in patch.test_trees for one in classes(tree) for name in _carried(one))
    for file in patch.code:
        if file.new is not None:
            yield from _by_name(file)
            yield from _by_attribute(file, carried - _own_names(file))


def _carried(double: ast.ClassDef) -> Iterator[str]:
    """The data a class in a test records: what its methods assign to themselves, and its own names."""
    if any(dotted(base).endswith(("TestCase", "Enum")) for base in double.bases) or double.name.startswith("Test"):
        return
    for node in ast.walk(double):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node.value) == "self":
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node in _own_targets(double):
            yield node.id


def _own_targets(double: ast.ClassDef) -> list[ast.expr]:
    return [target for statement in double.body if isinstance(statement, ast.Assign) for target in statement.targets]


def _own_names(file: ChangedFile) -> set[str]:
    """Names the code itself gives its objects: what a double shares with them tells nothing."""
    return {
        node.attr
        for tree in (file.old, file.new)
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Attribute) and (isinstance(node.ctx, ast.Store) or tree is file.old)
    }


def _by_name(file: ChangedFile) -> Iterator[Finding]:
    folder = folder_of(file.new)

    def texts(node: ast.AST) -> list[str]:
        value = folder.value(node)
        values = value if isinstance(value, list | tuple | set) else [value]
        return [one for one in values if isinstance(one, str)]

    def asks(node: ast.AST) -> bool:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = any(_class_name(side) for side in sides)
            told = [text for side in sides for text in texts(side)]
            by_text = any(called(each) in _TEXT_OF for side in sides for each in ast.walk(side))
            return bool(told) and (named or (by_text and any(map(_DOUBLE_NAME.search, told))))
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return node.func.attr in {"startswith", "endswith", "find", "count", "lower"} and _class_name(node.func.value)

    for node in file.added(asks):
        message = "code under test asks for the name of what it is given: a test's double has another"
        yield Finding("double-recognised", file.path, line_of(node), Severity.ASK, message)


def _class_name(node: ast.AST) -> bool:
    """`type(x).__name__`, `x.__class__.__module__`, `action.__name__` and the like, or a piece of it."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
        node = node.value if isinstance(node, ast.Attribute) and node.attr not in _OF_NAMES else node
    return isinstance(node, ast.Attribute) and node.attr in _OF_NAMES


def _by_attribute(file: ChangedFile, carried: frozenset[str] | set[str]) -> Iterator[Finding]:
    """Asking whether there is an attribute that tests alone record into, or that mocks alone have."""
    folder = folder_of(file.new)
    telling = carried | _OF_MOCKS

    def probes(node: ast.AST) -> str:
        if isinstance(node, ast.Call) and called(node).rpartition(".")[2] in _PROBES and len(node.args) > 1:
            name = folder.value(node.args[1])
            return name if isinstance(name, str) and name in telling else ""
        if isinstance(node, ast.Compare):
            name = folder.value(node.left)
            over = any(
                called(each) in {"vars", "dir"}
                or (isinstance(each, ast.Attribute) and each.attr in {"__dict__", "__slots__"})
                for each in ast.walk(node.comparators[0])
            )
            return name if isinstance(name, str) and name in telling and over else ""
        if isinstance(node, ast.ExceptHandler) and "AttributeError" in ast.dump(node.type or node):
            read = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
            return min(read & telling, default="")
        if isinstance(node, ast.Attribute) and node.attr in _OF_MOCKS - {"return_value"}:
            return node.attr
        return ""

    for node in file.added(lambda node: bool(probes(node))):
        message = f"code under test asks for {probes(node)!r}, which a test's double has and the real thing need not"
        yield Finding("double-recognised", file.path, line_of(node), Severity.ASK, message)
