"""What the rules ask of Python syntax trees: dotted names, test functions, constants."""

import ast
from collections.abc import Iterator
from typing import TypeGuard

Function = ast.FunctionDef | ast.AsyncFunctionDef
UNKNOWN = object()
"""What `constant` says of an expression that is none."""

_PROGRAM_MODULES = frozenset({"argparse", "click", "typer", "docopt", "fire", "optparse", "getopt"})
_PROGRAM_FILES = ("__main__.py", "cli.py", "main.py", "manage.py", "setup.py")
_PROGRAM_ENTRIES = frozenset({"main", "cli", "run", "usage", "die", "fail", "fatal"})


def is_function(node: ast.AST) -> TypeGuard[Function]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def dotted(node: ast.AST) -> str:
    """`a.b.c` of a name or attribute chain; "" of anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def called(node: ast.AST) -> str:
    """The dotted name a call calls; "" where it is no such call."""
    return dotted(node.func) if isinstance(node, ast.Call) else ""


def aliases(tree: ast.Module | None) -> dict[str, str]:
    """Local name -> the dotted name it was imported from."""
    found: dict[str, str] = {}
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            for name in node.names:
                found[name.asname or name.name.partition(".")[0]] = (
                    name.name if name.asname else name.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found


def resolved(name: str, imported: dict[str, str]) -> str:
    """A dotted name with its first part replaced by what that was imported from."""
    first, dot, rest = name.partition(".")
    return f"{imported.get(first, first)}{dot}{rest}"


def functions(tree: ast.Module | None) -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name, at module level and in classes, in order; the last of a name counts."""
    yield from dict(_functions(tree.body if tree else [], "")).items()


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if is_function(node):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If):
            never = constant(node.test) is not UNKNOWN and not constant(node.test)
            yield from _functions(node.orelse if never else [*node.body, *node.orelse], prefix)
        elif isinstance(node, ast.Try):
            yield from _functions([*node.body, *node.orelse], prefix)


def classes(tree: ast.Module | None) -> Iterator[ast.ClassDef]:
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ClassDef):
            yield node


def is_test_name(qualified: str) -> bool:
    """Whether pytest or unittest would collect a function of this name."""
    *owners, name = qualified.split(".")
    return name.startswith("test") and all(not owner.startswith("_") for owner in owners)


def tests_of(tree: ast.Module | None) -> dict[str, Function]:
    return {name: function for name, function in functions(tree) if is_test_name(name)}


def shape(node: ast.AST | list[ast.stmt]) -> str:
    """Equal for equal code, whatever its layout and comments."""
    return ast.dump(node) if isinstance(node, ast.AST) else "".join(ast.dump(each) for each in node)


def constant(node: ast.AST | None) -> object:
    """The value of a literal (also a negative number, tuple, list, set or dict of literals), else UNKNOWN."""
    if node is None:
        return UNKNOWN
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return UNKNOWN


def body_without_docstring(function: Function) -> list[ast.stmt]:
    body = function.body
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def line_of(node: ast.AST) -> int | None:
    return getattr(node, "lineno", None)


def text_of(node: ast.AST) -> str:
    """The text of a string literal, or of literals joined by `+`; "" of anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return left + right if left and right else ""
    return ""


def program_nodes(tree: ast.Module | None, path: str) -> set[int]:
    """The ids of nodes in code that may read arguments and end its process: a program's entry."""
    if tree is None:
        return set()
    roots = {name.partition(".")[0] for name in aliases(tree).values()}
    if path.endswith(_PROGRAM_FILES) or roots & _PROGRAM_MODULES:
        return {id(node) for node in ast.walk(tree)}
    return {id(child) for node in ast.walk(tree) if _is_entry(node) for child in ast.walk(node)}


def _is_entry(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return "__name__" in ast.dump(node.test)
    return is_function(node) and node.name.strip("_") in _PROGRAM_ENTRIES
