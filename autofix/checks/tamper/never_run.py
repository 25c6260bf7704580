"""Tests that are called and do nothing: generators, coroutines that nobody awaits, a return before any assertion."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import Function, constant, dotted, tests_of
from autofix.checks.tamper.strength import assertions

_MOCKS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "create_autospec", "ANY"})


def tests_that_never_run(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.test_files:
        if file.old is not None and file.new is not None:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    before = tests_of(file.old)
    plain = {name for name, _ in _classes_without_loop(file.new)}
    for name, function in tests_of(file.new).items():
        old = before.get(name)
        if old is None:
            continue
        found = _why_nothing_runs(old, function, in_plain_class=name.partition(".")[0] in plain)
        if found is not None:
            yield Finding("test-never-runs", file.path, function.lineno, found[0], f"{name} {found[1]}")
    yield from _mocking_fixtures(file)


def _why_nothing_runs(old: Function, new: Function, *, in_plain_class: bool) -> tuple[Severity, str] | None:
    if _yields(new) and not _yields(old):
        return Severity.TAMPERING, "became a generator, whose body no runner runs"
    if isinstance(new, ast.AsyncFunctionDef) and isinstance(old, ast.FunctionDef):
        if in_plain_class:
            return Severity.TAMPERING, "became a coroutine, which unittest.TestCase does not await"
        return Severity.ASK, "became a coroutine: is there a plug-in that awaits it?"
    if _returns_early(new) and not _returns_early(old) and assertions(old):
        return Severity.ASK, "may now return before it asserts anything"
    return None


def _yields(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function))


def _own(function: Function) -> Iterator[ast.AST]:
    """The function's nodes without those of functions inside it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _returns_early(function: Function) -> bool:
    """A return in a statement of the body that comes before the first one that asserts."""
    for statement in function.body:
        nodes = list(ast.walk(statement))
        if any(isinstance(node, ast.Return) for node in nodes) and isinstance(statement, ast.If):
            return True
        if any(isinstance(node, ast.Assert | ast.With) for node in nodes):
            return False
    return False


def _classes_without_loop(tree: ast.Module | None) -> Iterator[tuple[str, ast.ClassDef]]:
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef):
            bases = {dotted(base).rpartition(".")[2] for base in node.bases}
            if "TestCase" in bases:
                yield node.name, node


def _mocking_fixtures(file: ChangedFile) -> Iterator[Finding]:
    """A fixture or helper that gave something real and gives a mock now."""
    old = {node.name: node for node in ast.walk(file.old or ast.Module([], [])) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(file.new or ast.Module([], [])):
        if not isinstance(node, ast.FunctionDef) or node.name not in old or _mocks(old[node.name]):
            continue
        if node.name.startswith("test") or not _mocks(node) or constant(node) is None:
            continue
        message = f"{node.name} gives a mock in the place of what it gave"
        yield Finding("subject-mocked", file.path, node.lineno, Severity.TAMPERING, message)


def _mocks(function: ast.FunctionDef) -> bool:
    names = {node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in ast.walk(function)}
    return bool(names & _MOCKS)
