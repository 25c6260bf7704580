"""Ways to end the runner before it can say that tests failed."""

import ast
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import aliases, called, dotted, is_function, line_of, program_nodes, resolved

_HARD = frozenset(
    {"os._exit", "posix._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal", "signal.pthread_kill"}
    | {"pytest.exit", "os.execv", "os.execve", "os.execvp", "os.execl", "os.execlp", "os.execvpe"}
)
_LATER = frozenset({"atexit.register", "weakref.finalize", "signal.alarm", "signal.setitimer"})
_CALLS = _LATER | {"sys.exit", "exit", "quit"}


def early_exits(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        if file.new is not None:
            yield from _in_file(file, aliases(file.new))


def _in_file(file: ChangedFile, imported: dict[str, str]) -> Iterator[Finding]:
    forks = file.old is not None and any(called(node).endswith("fork") for node in ast.walk(file.old))
    programs = program_nodes(file.new, file.path)
    for node in file.added(lambda node: bool(_ends(node, imported))):
        name = _ends(node, imported)
        if name in _HARD:
            severity = Severity.ASK if forks else Severity.TAMPERING
            message = f"{name} ends or replaces the process, the test runner with it"
        elif name in _LATER and _only_tidies(node) and id(node) in programs:
            continue
        elif name in _LATER:
            severity, message = Severity.ASK, f"{name} runs code after the tests, when their result is being told"
        elif not file.is_code or id(node) in _module_level(file.new):
            severity = Severity.TAMPERING
            message = f"{name} ends the test runner where it is imported or run"
        elif id(node) not in programs:
            severity, message = Severity.ASK, f"{name} in code that is no program's entry ends whoever calls it"
        else:
            continue
        yield Finding("early-exit", file.path, line_of(node), severity, message)


def _only_tidies(node: ast.AST) -> bool:
    """`atexit.register(sys.stdout.flush)`: a program that puts its own things away."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return first is not None and dotted(first).rpartition(".")[2] in {"flush", "close", "shutdown", "cleanup", "stop"}


def _ends(node: ast.AST, imported: dict[str, str]) -> str:
    """The name by which a node ends the process; "" where it does not. The hard ones count wherever they are named."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = resolved(dotted(raised), imported)
        return name if name in {"SystemExit", "KeyboardInterrupt"} else ""
    if isinstance(node, ast.Name | ast.Attribute) and (name := resolved(dotted(node), imported)) in _HARD:
        return name
    name = resolved(called(node), imported)
    return name if name in _CALLS else ""


def _module_level(tree: ast.Module | None) -> set[int]:
    """Nodes that run on import: outside functions, and not under `if __name__ == "__main__"`."""
    found: set[int] = set()

    def visit(node: ast.AST) -> None:
        if is_function(node) or isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            return
        found.add(id(node))
        for child in ast.iter_child_nodes(node):
            visit(child)

    if tree is not None:
        visit(tree)
    return found
