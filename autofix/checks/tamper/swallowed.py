"""Errors made silent: a broad handler around what used to fail."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, constant, dotted, line_of

_BROAD = frozenset({"Exception", "BaseException"})


def swallowed_errors(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    for node in file.added(lambda node: isinstance(node, ast.ExceptHandler)):
        assert isinstance(node, ast.ExceptHandler)
        names = _caught(node)
        if "AssertionError" in names:
            message = "a failed assertion is caught"
            yield Finding("error-swallowed", file.path, line_of(node), Severity.TAMPERING, message)
        elif "BaseException" in names and not _raises(node):
            message = "every error, and every wish to end, becomes a result"
            yield Finding("error-swallowed", file.path, line_of(node), Severity.ASK, message)
        elif (not names or names & _BROAD) and _is_silent(node.body):
            message = "every error is silently turned into a result"
            yield Finding("error-swallowed", file.path, line_of(node), Severity.ASK, message)
    for node in file.added(lambda node: isinstance(node, ast.Call) and dotted(node.func).endswith("suppress")):
        assert isinstance(node, ast.Call)
        if {dotted(each) for each in node.args} & (_BROAD | {"AssertionError"}):
            yield Finding("error-swallowed", file.path, line_of(node), Severity.ASK, "every error is suppressed")


def _caught(handler: ast.ExceptHandler) -> set[str]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type] if handler.type else []
    return {dotted(each).rpartition(".")[2] for each in types}


def _raises(handler: ast.ExceptHandler) -> bool:
    return any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def _is_silent(body: list[ast.stmt]) -> bool:
    """Whether a handler only gives values that it made up itself."""
    made = {
        target.id
        for statement in body
        if isinstance(statement, ast.Assign) and constant(statement.value) is not UNKNOWN
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    return all(
        _silent(statement) or (isinstance(statement, ast.Return) and dotted(statement.value or statement) in made)
        for statement in body
    )


def _silent(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Continue():
            return True
        case ast.Return(value=None):
            return True
        case ast.Return(value=value) | ast.Expr(value=value) | ast.Assign(value=value):
            return constant(value) is not UNKNOWN
    return False
