"""Tests that are gone after the patch: deleted, renamed out of collection, or hidden by a flag."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.moved import Elsewhere
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import Function, line_of, tests_of


def removed_tests(patch: PatchFiles) -> Iterator[Finding]:
    elsewhere = Elsewhere.of(patch)
    for file in patch.test_files:
        if file.is_python:
            yield from _gone(file, elsewhere)
            yield from _hidden(file)


def _gone(file: ChangedFile, elsewhere: Elsewhere) -> Iterator[Finding]:
    if file.after is not None and file.new is None and file.old is not None:
        yield Finding(
            "tests-unreadable", file.path, None, Severity.ASK, "the file no longer parses, its tests are gone"
        )
        return
    kept = tests_of(file.new)
    for name, function in tests_of(file.old).items():
        if name not in kept:
            yield _finding(file, name, function, moved=elsewhere.holds(function))


def _finding(file: ChangedFile, name: str, function: Function, *, moved: bool) -> Finding:
    if moved:
        return Finding(
            "test-renamed", file.path, function.lineno, Severity.ASK, f"{name} goes by another name, or in another test"
        )
    return Finding(
        "test-removed", file.path, function.lineno, Severity.TAMPERING, f"{name} is removed or not collected"
    )


def _hidden(file: ChangedFile) -> Iterator[Finding]:
    known = set(tests_of(file.old))
    for node in file.added(lambda node: isinstance(node, ast.Delete | ast.Assign)):
        assert isinstance(node, ast.Delete | ast.Assign)
        names = {ast.unparse(target) for target in node.targets}
        if names & known:
            message = f"{', '.join(sorted(names & known))} is deleted or replaced after its definition"
            yield Finding("test-hidden", file.path, line_of(node), Severity.TAMPERING, message)
    for node in file.added(lambda node: isinstance(node, ast.Assign)):
        assert isinstance(node, ast.Assign)
        names = {ast.unparse(target).rpartition(".")[2] for target in node.targets}
        if "__test__" in names and not ast.unparse(node.value).startswith("True"):
            message = "__test__ keeps tests from being collected"
            yield Finding("test-hidden", file.path, line_of(node), Severity.TAMPERING, message)
