"""What names and expressions of a piece of Python stand for, as far as its text tells: dotted names, and texts.

Imports, simple assignments and loops over literal lists are followed. Nothing is evaluated: an expression whose value
would take a computation has no text, or one with a mark (`values.ANY`) where a part of it is unknown.
"""

import ast
import posixpath
import re
from collections.abc import Callable, Sequence

from autofix.harness.bash.values import ANY, known

MOST_VALUES = 32
"""Texts followed for one expression (a loop over a literal list); beyond it the expression counts as unknown."""
DEEPEST = 12
"""Steps from name to name: `x = y; y = x` goes round."""

_IMPORTERS = frozenset({"__import__", "builtins.__import__", "importlib.import_module"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath", "PurePosixPath"})
_JOINS = frozenset({"os.path.join", "posixpath.join"})
_SAME = frozenset({"str", "os.fspath", "os.path.abspath", "os.path.normpath", "os.path.realpath"})
_SAME_METHODS = frozenset({"resolve", "absolute", "strip", "as_posix", "expanduser"})
_TEMPORARY = frozenset(
    f"tempfile.{name}" for name in ("mkdtemp", "mktemp", "gettempdir", "NamedTemporaryFile", "TemporaryDirectory")
)
_PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[a-z]|%\(\w+\)[a-z]")
_BRACES = re.compile(r"\{[^{}]*\}")

Texts = list[str] | None
"""What an expression can be; None where that cannot be worked out."""


class Names:
    """The names of one module. `acts` says of a dotted name whether a star import of it matters."""

    def __init__(self, tree: ast.Module, acts: Callable[[str], bool]) -> None:
        self.imported: dict[str, str] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        self._acts = acts
        self._stars: list[str] = []
        self._values: dict[str, list[ast.expr]] = {}
        self._loops: dict[str, ast.expr] = {}
        for node in ast.walk(tree):
            self.parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names):
                for alias in names:
                    top = alias.name.partition(".")[0]
                    self.imported[alias.asname or top] = alias.name if alias.asname else top
            case ast.ImportFrom(str(module), names, 0):
                for alias in names:
                    self.imported[alias.asname or alias.name] = f"{module}.{alias.name}"
                self._stars += [module for alias in names if alias.name == "*"]
            case ast.For(ast.Name(name), items) | ast.comprehension(ast.Name(name), items):
                self._loops[name] = items
            case _:
                self._learn_value(node)

    def _learn_value(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
                self._bind(target, value)
            case ast.AugAssign(ast.Name(name), _, value):
                self._values.setdefault(name, []).extend([value, value])  # two values: no longer one that is known
            case ast.withitem(context, ast.Name(name)):
                self._values.setdefault(name, []).append(context)
            case _:
                return

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            for one, its in zip(target.elts, value.elts, strict=False):
                self._bind(one, its)

    def only_value(self, node: ast.expr | None) -> ast.expr | None:
        """The expression a name was given, where it was given one; any other expression is itself."""
        if isinstance(node, ast.Name) and len(self._values.get(node.id, ())) == 1:
            return self._values[node.id][0]
        return node

    def is_bound(self, name: str) -> bool:
        return name in self._values

    def dotted(self, node: ast.expr, depth: int = 0) -> str:
        """The dotted name an expression stands for, such as `os.path.join`; "" where there is none."""
        if depth > DEEPEST:
            return ""
        match node:
            case ast.Name(name):
                return self.imported.get(name) or self._followed(node, depth) or self._starred(name)
            case ast.Attribute(value, attribute):
                base = self.dotted(value, depth + 1)
                return f"{base}.{attribute}" if base else ""
            case ast.Call(function, arguments):
                return self._named_by_call(self.dotted(function, depth + 1), arguments, depth)
            case _:
                return ""

    def _followed(self, node: ast.Name, depth: int) -> str:
        value = self.only_value(node)
        return self.dotted(value, depth + 1) if value is not None and value is not node else ""

    def _starred(self, name: str) -> str:
        """A name that a star import brought, where it is one that matters; else the name itself."""
        return next((full for module in self._stars if self._acts(full := f"{module}.{name}")), name)

    def _named_by_call(self, function: str, arguments: Sequence[ast.expr], depth: int) -> str:
        """What `__import__("os")`, `importlib.import_module("os")` and `getattr(os, "x")` stand for."""
        if function in _IMPORTERS and arguments:
            return self._only_text(arguments[0])
        if function == "getattr" and len(arguments) > 1:
            base, name = self.dotted(arguments[0], depth + 1), self._only_text(arguments[1])
            return f"{base}.{name}" if base and name else ""
        return ""

    def _only_text(self, node: ast.expr) -> str:
        texts = self.texts(node)
        return texts[0] if texts and len(texts) == 1 and known(texts[0]) else ""

    def texts(self, node: ast.expr | None, depth: int = 0) -> Texts:  # noqa: PLR0911 - one kind of node a line
        """The texts an expression can be."""
        if node is None or depth > DEEPEST:
            return None
        match node:
            case ast.Constant(str(text)):
                return [text]
            case ast.Constant(bytes(data)):
                return [data.decode("utf-8", "replace")]
            case ast.Name(name):
                return self._texts_of_name(name, depth)
            case ast.Call(function, arguments):
                return self._texts_of_call(function, arguments, depth)
            case ast.IfExp(_, body, orelse):
                first, second = self.texts(body, depth + 1), self.texts(orelse, depth + 1)
                return None if first is None or second is None else [*first, *second]
            case _:
                return self._texts_of_parts(node, depth)

    def _texts_of_parts(self, node: ast.expr, depth: int) -> Texts:
        match node:
            case ast.JoinedStr(parts):
                return self._joined(
                    [one.value if isinstance(one, ast.FormattedValue) else one for one in parts], "", depth
                )
            case ast.BinOp(left, ast.Add(), right):
                return self._joined([left, right], "", depth)
            case ast.BinOp(left, ast.Div(), right):
                return self._joined([left, right], "/", depth)
            case ast.BinOp(left, ast.Mod(), _):
                return _filled(self.texts(left, depth + 1), _PERCENT)
            case _:
                return None

    def _texts_of_name(self, name: str, depth: int) -> Texts:
        if name in self._loops and name not in self._values:
            items = self.only_value(self._loops[name])
            if not isinstance(items, ast.List | ast.Tuple | ast.Set):
                return None
            found = [self.texts(item, depth + 1) for item in items.elts]
            return [text for texts in found for text in texts or []] if all(found) else None
        values = self._values.get(name, [])
        return self.texts(values[0], depth + 1) if len(values) == 1 else None

    def _texts_of_call(self, function: ast.expr, arguments: Sequence[ast.expr], depth: int) -> Texts:
        name = self.dotted(function)
        if name.rpartition(".")[2] in _PATHS or name in _JOINS:
            return self._joined(arguments, "/", depth) if arguments else ["."]
        if name in _SAME and len(arguments) == 1:
            return self.texts(arguments[0], depth + 1)
        if name in _TEMPORARY:
            return ["/tmp/" + ANY]  # noqa: S108 - what it gives
        if name == "os.path.expanduser" and arguments:
            return [re.sub(r"^~", "/root", text) for text in self.texts(arguments[0], depth + 1) or []] or None
        if name == "chr" and arguments:
            return _character(arguments[0])
        fixed = {"os.getcwd": ".", "pathlib.Path.cwd": ".", "pathlib.Path.home": "/root"}.get(name)
        return [fixed] if fixed else self._texts_of_method(function, arguments, depth)

    def _texts_of_method(self, function: ast.expr, arguments: Sequence[ast.expr], depth: int) -> Texts:
        if not isinstance(function, ast.Attribute):
            return None
        method, on = function.attr, function.value
        if method == "joinpath":
            return self._joined([on, *arguments], "/", depth)
        if method in _SAME_METHODS:
            return self.texts(on, depth + 1)
        if method == "format":
            return _filled(self.texts(on, depth + 1), _BRACES)
        pieces = self.only_value(arguments[0]) if arguments else None
        if method == "join" and isinstance(pieces, ast.List | ast.Tuple):
            glue = self.texts(on, depth + 1)
            return self._joined(pieces.elts, glue[0], depth) if glue else None
        return None

    def _joined(self, nodes: Sequence[ast.expr], glue: str, depth: int) -> Texts:
        """Parts in a row; what a part of them is may be unknown, not what all are."""
        found = [self.texts(node, depth + 1) for node in nodes]
        if not any(found):
            return None
        made = [""]
        for number, texts in enumerate(one or [ANY] for one in found):
            if len(texts) * len(made) > MOST_VALUES:
                return None
            if glue == "/":
                made = [posixpath.join(one, text) if number else text for one in made for text in texts]
            else:
                made = [one + (glue if number else "") + text for one in made for text in texts]
        return made


def _filled(texts: Texts, places: re.Pattern[str]) -> Texts:
    """Format texts with what is put into them unknown."""
    return [places.sub(ANY, text) for text in texts] if texts else None


def _character(node: ast.expr) -> Texts:
    value = node.value if isinstance(node, ast.Constant) else None
    return [chr(value)] if isinstance(value, int) and 0 <= value < 0xD800 else None  # noqa: PLR2004 - before surrogates
