"""Skips and expected failures that the patch adds, as decorators, marks, calls or exceptions."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, aliases, constant, dotted, line_of, resolved

_UNCONDITIONAL = frozenset({"skip", "xfail", "expectedFailure", "SkipTest", "skipTest", "Skipped", "Exception"})
_CONDITIONAL = frozenset({"skipif", "skipIf", "skipUnless", "importorskip", "flaky"})
_OWNERS = frozenset({"pytest", "_pytest", "unittest", "mark", "nose", "skip", "outcomes", "case"})
_BARE = frozenset({"expectedFailure", "SkipTest", "skipTest", "skipif", "skipIf", "skipUnless", "importorskip"})


def added_skips(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.is_python:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    imported = aliases(file.new)
    calls = {id(node.func): node for node in ast.walk(file.new) if isinstance(node, ast.Call)} if file.new else {}
    guarded = _guarded(file.new)
    reported: set[int | None] = set()
    for node in file.added(lambda node: isinstance(node, ast.Attribute | ast.Name) and _is_skip(node, imported)):
        line = line_of(node)
        if line in reported:
            continue
        reported.add(line)
        kind = dotted(node).rpartition(".")[2]
        maybe = _depends(calls.get(id(node)), kind) or (id(node) in guarded and file.is_test)
        severity = Severity.ASK if maybe else Severity.TAMPERING
        where = "code under test skips tests" if file.is_code else f"a test is skipped or expected to fail ({kind})"
        yield Finding("skip-added", file.path, line, severity, where)


def _is_skip(node: ast.AST, imported: dict[str, str]) -> bool:
    name = dotted(node)
    if not name:
        return False
    *owners, last = resolved(name, imported).split(".")
    if last not in _UNCONDITIONAL | _CONDITIONAL:
        return False
    if last == "Exception":
        return owners[-1:] == ["skip"]
    if owners in (["self"], ["cls"]):
        return last == "skipTest"
    return bool(_OWNERS & set(owners)) or (not owners and last in _BARE)


def _depends(call: ast.Call | None, kind: str) -> bool:
    """Whether a mark says when it applies, by something that is not already known to be true."""
    if call is None:
        return False
    condition = (
        call.args[0] if call.args else next((word.value for word in call.keywords if word.arg == "condition"), None)
    )
    if kind == "importorskip":
        return True
    if condition is None or kind not in _CONDITIONAL | {"xfail"}:
        return False
    return constant(condition) is UNKNOWN


def _guarded(tree: ast.Module | None) -> set[int]:
    """Nodes inside an `if` whose condition is no literal."""
    inside: set[int] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.If) and constant(node.test) is UNKNOWN:
            for statement in node.body:
                inside.update(id(child) for child in ast.walk(statement))
    return inside
