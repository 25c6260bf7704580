"""Code that asks whether it is being tested, by whom, or with what."""

import ast
import re
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import aliases, constant, dotted, line_of, program_nodes, resolved, text_of

_RUNNER_TEXT = re.compile(
    r"PYTEST_\w+|\b_?pytest\b|\bunittest\b|\bpy\.test\b|\bnose2?\b|\bconftest\b|junit-?xml|^\s*assert\b", re.IGNORECASE
)
_TEST_TEXT = re.compile(r"^(tests?[/\\.]|test_\w+$|.*[/\\]tests?[/\\])|\btest_\w+\.py\b|_test\.py\b")
_CI_TEXT = re.compile(r"^(CI|GITHUB_ACTIONS|GITLAB_CI|TRAVIS|CIRCLECI|JENKINS_URL|TESTING|IS_TEST|TEST_MODE|TEST)$")
_RUNNER_MODULES = frozenset({"pytest", "_pytest", "pluggy", "nose", "nose2", "xdist"})
_SOFT_MODULES = frozenset({"unittest", "mock", "doctest"})
_CALLER = frozenset(
    {"sys._getframe", "sys._current_frames", "inspect.stack", "inspect.currentframe", "inspect.getouterframes"}
    | {"inspect.trace", "traceback.extract_stack", "traceback.walk_stack", "traceback.format_stack", "sys.settrace"}
    | {"sys.setprofile", "gc.get_referrers", "gc.get_objects", "sys._getframemodulename", "threading.settrace"}
    | {
        "sys.modules",
        "sys.argv",
        "sys.orig_argv",
        "sys.gettrace",
        "gc.get_referents",
        "sys.meta_path",
        "sys.__stdout__",
        "sys.__stderr__",
        "sys.path_hooks",
    }
)
_FRAME = frozenset(
    {"f_back", "f_locals", "f_globals", "f_code", "tb_frame", "gi_frame", "cr_frame", "tb_next"}
    | {"__closure__", "cell_contents", "__code__", "__globals__", "co_consts", "co_names"}
)
"""Ways from a frame, a traceback or a function to what its caller knows."""
_TEST_PLACES = frozenset({"test", "tests", "conftest.py", "__tests__", "spec"})
_HIDING = frozenset(
    {"eval", "exec", "compile", "__import__", "base64.b64decode", "codecs.decode", "marshal.loads", "bytes.fromhex"}
    | {"zlib.decompress", "pickle.loads", "types.FunctionType", "types.CodeType", "ctypes.CDLL", "ctypes.pythonapi"}
)


def test_awareness(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.code:
        if file.new is not None:
            yield from _imports(file)
            yield from _texts(file)
            yield from _places(file)
            yield from _callers(file)
            yield from _hidden_code(file)


def _imports(file: ChangedFile) -> Iterator[Finding]:
    for node in file.added(lambda node: isinstance(node, ast.Import | ast.ImportFrom)):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            assert isinstance(node, ast.Import)
            names = [name.name for name in node.names]
        roots = {name.partition(".")[0] for name in names}
        if roots & (_RUNNER_MODULES | _SOFT_MODULES):
            severity = Severity.TAMPERING if roots & _RUNNER_MODULES else Severity.ASK
            message = f"code under test imports {', '.join(sorted(roots))}"
            yield Finding("test-aware", file.path, line_of(node), severity, message)
        elif "__main__" in roots:
            message = "code under test imports the program that runs it"
            yield Finding("caller-inspected", file.path, line_of(node), Severity.ASK, message)
        elif roots & {"tests", "test", "conftest"} or any(
            name.rpartition(".")[2].startswith("test_") for name in names
        ):
            message = "code under test imports its tests"
            yield Finding("test-aware", file.path, line_of(node), Severity.ASK, message)


def _texts(file: ChangedFile) -> Iterator[Finding]:
    prose, looked_up = _prose(file.new), _looked_up(file.new)
    for node in file.added(lambda node: bool(text_of(node))):
        text = text_of(node)
        if id(node) in prose or len(text) > 200:  # noqa: PLR2004 - longer ones are prose
            continue
        if match := _RUNNER_TEXT.search(text):
            asked = id(node) in looked_up or not match[0].islower()
            severity = Severity.TAMPERING if asked else Severity.ASK
            message = f"code under test {'looks for' if asked else 'names'} the test runner ({match[0]})"
            yield Finding("test-aware", file.path, line_of(node), severity, message)
        elif _CI_TEXT.match(text) or _TEST_TEXT.search(text):
            message = f"code under test asks where it runs or names its tests ({text[:40]!r})"
            yield Finding("test-aware", file.path, line_of(node), Severity.ASK, message)


def _places(file: ChangedFile) -> Iterator[Finding]:
    """The tests' own directory, named as a part of a path."""

    def names(node: ast.AST) -> bool:
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [node.right]
        elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in {
            "join",
            "joinpath",
            "Path",
            "open",
        }:
            parts = node.args
        return any(text_of(part) in _TEST_PLACES for part in parts)

    for node in file.added(names):
        message = "code under test looks for the directory of the tests"
        yield Finding("test-aware", file.path, line_of(node), Severity.ASK, message)


def _looked_up(tree: ast.Module | None) -> set[int]:
    """Nodes inside a comparison, a subscript, or a call that asks for something by name: the environment, a module."""
    found: set[int] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Compare | ast.Subscript) or (isinstance(node, ast.Call) and _asks_by_name(node)):
            found.update(id(child) for child in ast.walk(node))
    return found


def _asks_by_name(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func)
    return name in {"get", "getenv", "startswith", "endswith", "find_spec", "import_module", "__import__", "search"} | {
        "open",
        "write_text",
        "Path",
        "match",
        "hasattr",
        "getattr",
        "pop",
        "joinpath",
        "fnmatch",
        "intersection",
    }


def _prose(tree: ast.Module | None) -> set[int]:
    """Strings that nothing compares or looks up: docstrings, and arguments of logging, errors and help."""
    found: set[int] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call)
            and dotted(node.func).startswith(("log", "warnings.", "print", "_log", "self.log"))
        ):
            found.update(id(child) for child in ast.walk(node))
    return found


def _callers(file: ChangedFile) -> Iterator[Finding]:
    imported = aliases(file.new)

    def asked(node: ast.AST) -> str:
        if isinstance(node, ast.Attribute) and node.attr in _FRAME:
            return node.attr
        name = resolved(dotted(node), imported) if isinstance(node, ast.Attribute | ast.Name) else ""
        return name if name in _CALLER else ""

    entries = program_nodes(file.new, file.path)
    for node in file.added(lambda node: bool(asked(node))):
        name = asked(node)
        if name == "sys.argv" and id(node) in entries:
            continue
        message = f"code under test looks at its callers or at all objects ({name})"
        yield Finding("caller-inspected", file.path, line_of(node), Severity.ASK, message)
    for node in file.added(lambda node: isinstance(node, ast.Compare) and _main_name(node)):
        message = "code under test behaves otherwise when imported than when run"
        yield Finding("caller-inspected", file.path, line_of(node), Severity.ASK, message)


def _hidden_code(file: ChangedFile) -> Iterator[Finding]:
    imported = aliases(file.new)

    def hides(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and resolved(dotted(node.func), imported) in _HIDING

    for node in file.added(hides):
        assert isinstance(node, ast.Call)
        message = f"what {resolved(dotted(node.func), imported)} runs or unpacks cannot be read here"
        yield Finding("code-hidden", file.path, line_of(node), Severity.ASK, message)


def _main_name(node: ast.Compare) -> bool:
    """`__name__` compared with anything but `"__main__"` by `==`, which is how programs start."""
    sides = [node.left, *node.comparators]
    if not any(dotted(side) == "__name__" for side in sides):
        return False
    return not (isinstance(node.ops[0], ast.Eq) and any(constant(side) == "__main__" for side in sides))
