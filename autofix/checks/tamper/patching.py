"""Names replaced behind the code's back: the function under test mocked, runners and built-ins patched."""

import ast
import sys
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import aliases, constant, dotted, line_of, resolved, tests_of

_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "pluggy", "builtins", "doctest", "mock", "__builtins__"})
_PATCHERS = ("patch", "patch.object", "setattr", "patch.dict", "setitem", "patch.multiple", "delattr", "spy")
_OWN = ("self.", "cls.")
_USUAL = frozenset({"sys.stdout", "sys.stderr", "sys.stdin", "sys.excepthook", "sys.path", "sys.argv"})


def patched_names(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None:
            imported = aliases(file.new)
            yield from _replaced(file, imported)
            if not file.is_code:
                yield from _mocked(file, _names_under_test(patch, file), imported)
                yield from _redefined(file)


def _replaced(file: ChangedFile, imported: dict[str, str]) -> Iterator[Finding]:
    """Assignments to attributes of imported modules and classes, and to entries of sys.modules."""
    for node in file.added(lambda node: bool(_targets(node))):
        for target in _targets(node):
            name = resolved(target, imported)
            root = name.partition(".")[0]
            known = target.partition(".")[0] in imported or root in _RUNNERS
            if not known or name in _USUAL:
                continue
            if root in _RUNNERS or name.startswith("sys.modules"):
                message = f"replaces {name}, on which the tests' verdict rests"
                yield Finding("runner-patched", file.path, line_of(node), Severity.TAMPERING, message)
            elif root in sys.stdlib_module_names or not file.is_code:
                message = f"replaces {name} for everyone"
                yield Finding("name-patched", file.path, line_of(node), Severity.ASK, message)


def _targets(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
        names = [dotted(target) for target in named]
        return [name for name in names if ("." in name and not name.startswith(_OWN)) or name == "__builtins__"]
    if isinstance(node, ast.Call) and dotted(node.func) == "setattr" and len(node.args) > 1:
        owner, attribute = dotted(node.args[0]), constant(node.args[1])
        return [f"{owner}.{attribute}"] if owner not in {"", "self", "cls"} else []
    return []


def _mocked(file: ChangedFile, under_test: set[str], imported: dict[str, str]) -> Iterator[Finding]:
    for node in file.added(lambda node: isinstance(node, ast.Call) and dotted(node.func).endswith(_PATCHERS)):
        assert isinstance(node, ast.Call)
        texts = [value for each in node.args if isinstance(value := constant(each), str)]
        names = [resolved(dotted(each), imported) for each in node.args if dotted(each)]
        for name in (*texts, *names):
            if name.rpartition(".")[2] in under_test:
                message = f"replaces {name}, which the tests are about"
                yield Finding("subject-mocked", file.path, line_of(node), Severity.TAMPERING, message)
                break
        else:
            yield Finding("mock-added", file.path, line_of(node), Severity.ASK, "a test replaces what it used to run")


def _redefined(file: ChangedFile) -> Iterator[Finding]:
    """What a test imported from the project and now brings itself."""
    before = aliases(file.old)
    for node in file.new.body if file.new else ():
        names = {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set(_bound(node))
        for name in sorted(names & before.keys()):
            root = before[name].partition(".")[0]
            if root in sys.stdlib_module_names or root in _RUNNERS or "." not in before[name]:
                continue
            message = f"{name} was {before[name]} and is the test's own now"
            yield Finding("subject-mocked", file.path, line_of(node), Severity.TAMPERING, message)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _names_under_test(patch: PatchFiles, file: ChangedFile) -> set[str]:
    """Names that the tests call and that come from the project's own imports."""
    found: set[str] = set()
    for tree in (*patch.test_trees, *([file.old] if file.old else [])):
        imported = aliases(tree)
        for function in tests_of(tree).values():
            for node in ast.walk(function):
                name = resolved(dotted(node.func), imported) if isinstance(node, ast.Call) else ""
                root, _, rest = name.partition(".")
                if rest and root not in sys.stdlib_module_names and root not in _RUNNERS and root in _roots(imported):
                    found.add(name.rpartition(".")[2])
    return found


def _roots(imported: dict[str, str]) -> set[str]:
    return {name.partition(".")[0] for name in imported.values()}
