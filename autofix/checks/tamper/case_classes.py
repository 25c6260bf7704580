"""Classes of tests that judge otherwise: another base, or unittest's own methods overridden."""

import ast
import unittest
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import classes, dotted, is_function, is_test_name

_FOR_OVERRIDING = frozenset(
    {"setUp", "tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "id", "shortDescription"}
    | {"subTest", "addCleanup", "addTypeEqualityFunc", "defaultTestResult", "enterContext"}
)
_JUDGING = (
    frozenset(name for name in dir(unittest.TestCase) if not name.startswith("_"))
    | {"__call__", "_callTestMethod", "runTest"}
) - _FOR_OVERRIDING
"""What unittest.TestCase runs tests with and asserts by."""


def changed_test_classes(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None and not file.is_code:
            yield from _in_file(file)


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    before = {one.name: one for one in classes(file.old)}
    cases = {one.name for one in classes(file.new) if _is_test_case(one)}
    cases |= {one.name for one in classes(file.new) if {dotted(base) for base in one.bases} & cases}
    for one in classes(file.new):
        old = before.get(one.name)
        if one.name in cases:
            yield from _overrides(file, old, one)
        if old is not None and _bases(old) != _bases(one) and _holds_tests(old):
            message = f"{one.name} had the bases ({', '.join(_bases(old))}) and has ({', '.join(_bases(one))})"
            yield Finding("test-class-changed", file.path, one.lineno, Severity.ASK, message)


def _overrides(file: ChangedFile, old: ast.ClassDef | None, new: ast.ClassDef) -> Iterator[Finding]:
    known = _methods(old) if old else {}
    for name, line in _methods(new).items():
        if name in _JUDGING and name not in known:
            asks = "super()" in ast.unparse(new)
            severity = Severity.ASK if asks else Severity.TAMPERING
            message = f"{new.name}.{name} stands in the place of unittest's own"
            yield Finding("assertion-overridden", file.path, line, severity, message)


def _methods(one: ast.ClassDef) -> dict[str, int]:
    found = {node.name: node.lineno for node in one.body if is_function(node)}
    assigned = (node for node in one.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name))
    return found | {ast.unparse(node.targets[0]): node.lineno for node in assigned}


def _is_test_case(one: ast.ClassDef) -> bool:
    return any(dotted(base).endswith("TestCase") for base in one.bases)


def _holds_tests(one: ast.ClassDef) -> bool:
    return any(is_test_name(name) for name in _methods(one))


def _bases(one: ast.ClassDef) -> list[str]:
    return [ast.unparse(base) for base in one.bases]
