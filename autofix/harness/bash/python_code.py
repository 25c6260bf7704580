"""Reads Python code by its syntax tree: what it would write, delete, run and connect to.

Names are followed through imports and simple assignments (`python_names`), so that `import shutil as s; s.rmtree(d)` is
seen for what it is. A call that acts (`python_functions`) must have a target that can be worked out; otherwise it is
refused (`python_calls`, `python_methods`). Text that is only printed is text, and a computation is a computation.
"""

import ast
from collections.abc import Iterable

from autofix.harness.bash import python_functions as functions
from autofix.harness.bash.deeds import Read, Refuse, Step
from autofix.harness.bash.python_methods import Methods
from autofix.harness.bash.python_steps import DUMPS, OPAQUE
from autofix.harness.secret_places import refusal as refused_place

_DEEPEST = 100  # levels of the syntax tree; ordinary code has ten to twenty
_LONGEST_PATH = 300  # characters; no path to a secret is longer
_INVALID = Refuse("opaque-exec", "this is not valid Python, so what it would do cannot be read")


def python_steps(code: str) -> Iterable[Step]:
    """What `code` would do beyond computing and printing."""
    try:
        tree = ast.parse(code)
        if _too_deep(tree):
            return [OPAQUE]
        reader = _Reader(tree)
        reader.read()
    except (SyntaxError, ValueError):
        return [_INVALID]
    except (RecursionError, MemoryError):
        return [OPAQUE]
    return list(reader.wherever())


def _too_deep(tree: ast.AST) -> bool:
    """Whether the code is nested deeper than anybody writes; what recursion allows differs between interpreters."""
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


class _Reader(Methods):
    """One piece of code, every node of it."""

    def read(self) -> None:
        for node in ast.walk(self._tree):
            self._judge(node)

    def code_steps(self, text: str) -> Iterable[Step]:
        return python_steps(text)

    def _judge(self, node: ast.AST) -> None:
        match node:
            case ast.Call():
                self._call(node)
                self._value(node)
            case ast.Attribute(_, attribute) if functions.INNARDS.fullmatch(attribute):
                self._add(OPAQUE)
            case ast.Attribute(value, attribute) if attribute in functions.ENVIRONMENT_ATTRIBUTES and not self._name(
                value
            ):
                self._add(DUMPS)
            case ast.Attribute(ctx=ast.Load()) | ast.Name(ctx=ast.Load()):
                self._value(node)
            case ast.Subscript(value, ctx=ast.Load()) if self._is_namespace(value):
                self._add(OPAQUE)
            case ast.Constant(str(text)):
                self._text(node, text)

    def _is_namespace(self, node: ast.expr) -> bool:
        """`module.__dict__` or `vars(module)`: any of its functions by a text."""
        if isinstance(node, ast.Call):
            name = self._name(node.func)
            return (name == "vars" and bool(node.args)) or (
                name in {"vars", "globals", "locals"} and self._reaches(node)
            )
        return self._name(node).endswith((".__dict__", "sys.modules"))

    def _reaches(self, node: ast.Call) -> bool:
        """`globals()["__builtins__"]`, or a name that is computed: more than a name of this code."""
        match self._names.parents.get(node):
            case ast.Subscript(_, ast.Constant(str(key))):
                return key.startswith("__")
            case _:
                return True

    # -- what is only named ------------------------------------------------------------------------------------

    def _text(self, node: ast.Constant, text: str) -> None:
        """A path to secrets is refused wherever it stands, unless it is only printed."""
        if functions.INNARDS_IN_FORMAT.search(text) and not self._is_printed(node):
            self._add(OPAQUE)
        if "/" in text and len(text) < _LONGEST_PATH and refused_place(text) and not self._is_printed(node):
            self._add(Read(text))

    def _is_printed(self, node: ast.AST) -> bool:
        parent = self._names.parents.get(node)
        return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "print"

    def _value(self, node: ast.expr) -> None:
        """A name that is used otherwise than by calling it."""
        name = self._name(node)
        if name in functions.ENVIRONMENT:
            self._environment(node)
        elif functions.acts(name) and not isinstance(node, ast.Call) and self._is_handed_on(node):
            self._add(OPAQUE)

    def _is_handed_on(self, node: ast.expr) -> bool:
        """A function that acts is given to something else that will call it: what it acts on cannot be seen."""
        parent = self._names.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            return False
        renames = isinstance(parent, ast.Assign | ast.NamedExpr | ast.AnnAssign) and parent.value is node
        return not renames and not isinstance(parent, ast.Attribute)

    def _environment(self, node: ast.expr) -> None:
        """The environment is fine where one variable of it is named."""
        match self._names.parents.get(node):
            case ast.Subscript(value, key, context) if value is node:
                self._variable(key, assigned=isinstance(context, ast.Store))
            case ast.Attribute(value, "get" | "setdefault" | "pop" | "update") if value is node:
                return  # judged with the call
            case ast.Compare(left, _, comparators) if node in comparators:
                self._variable(left, assigned=False)
            case ast.Assign(_, value) if value is node:
                return  # judged where the new name is used
            case _:
                self._add(DUMPS)
