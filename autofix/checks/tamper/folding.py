"""What an expression always gives: literals, and what is put together from literals alone.

Nothing of it is run: operators, a few built-ins and methods of texts are carried out on values that stay small.
`"cr" + chr(233)`, `72 * 100 + 5`, `json.loads('{"a": 1}')` and a name that is bound once to such a value are all known.
"""

import ast
import base64
import binascii
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from autofix.checks.tamper.python_code import UNKNOWN, aliases, constant, dotted, resolved

SIZE = 10_000
"""Characters or items of a value that is put together; an expected value in a test is seldom longer than this."""
_BITS = 256
_DEPTH = 40
_NOTHING: Mapping[str, object] = {}

_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
"""The operands are whatever the literals are; a misfit raises and is UNKNOWN."""
_UNARY: dict[type[ast.unaryop], Callable[[object], object]] = {ast.USub: operator.neg, ast.Invert: operator.invert}  # type: ignore[dict-item]
_METHODS = frozenset(
    {"lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "swapcase", "replace", "join", "split"}
    | {"decode", "encode", "removeprefix", "removesuffix", "splitlines", "casefold", "hex"}
)
_CALLS: dict[str, Callable[..., object]] = {
    "chr": chr,
    "ord": ord,
    "str": str,
    "int": int,
    "float": float,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "zip": lambda *columns: list(zip(*columns, strict=False)),
    "reversed": lambda row: list(reversed(row)),
    "sum": sum,
    "bytes": lambda row: bytes(row) if isinstance(row, list | tuple) else UNKNOWN,
    "bytes.fromhex": bytes.fromhex,
    "json.loads": json.loads,
    "base64.b64decode": base64.b64decode,
    "binascii.unhexlify": binascii.unhexlify,
}
"""By the name they were imported from."""


class Folder:
    """Folds expressions of one module, whose names that are bound once are known.

    An object made of literals, such as `Vector(4, 6)`, folds to a tuple that tells its class and what it is made of.
    """

    def __init__(self, tree: ast.Module | None) -> None:
        self._tree = tree

    @cached_property
    def _imported(self) -> dict[str, str]:
        return aliases(self._tree)

    @cached_property
    def _names(self) -> dict[str, object]:
        bound = Counter(_bindings(self._tree))
        known: dict[str, object] = {}
        for node in ast.walk(self._tree) if self._tree else ():
            target, value = _assigned(node)
            if bound[target] == 1 and value is not None:
                folded = self._fold(value, known, 0)
                if folded is not UNKNOWN:
                    known[target] = folded
        return known

    def value(self, node: ast.AST | None) -> object:
        """What the expression always gives; UNKNOWN where that cannot be said."""
        known = constant(node)
        if known is not UNKNOWN or node is None or isinstance(node, ast.Constant):
            return known
        return self._fold(node, self._names, 0)

    def _fold(self, node: ast.AST, known: Mapping[str, object], depth: int) -> object:
        if depth > _DEPTH or isinstance(node, ast.Constant):
            return node.value if isinstance(node, ast.Constant) else UNKNOWN
        try:
            value = self._of(node, known, depth + 1)
        except (ArithmeticError, AttributeError, TypeError, ValueError, LookupError, RecursionError, MemoryError):
            return UNKNOWN
        return value if _is_small(value) else UNKNOWN

    def _of(self, node: ast.AST, known: Mapping[str, object], depth: int) -> object:
        match node:
            case ast.Name(id=name):
                return known.get(name, UNKNOWN)
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.JoinedStr():
                return self._collection(node, known, depth)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                inner = self._fold(operand, known, depth)
                return UNKNOWN if inner is UNKNOWN else _UNARY[type(op)](inner)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._operation(op, (left, right), known, depth)
            case ast.Subscript(value=owner, slice=place):
                return self._item(owner, place, known, depth)
        return self._call(node, known, depth) if isinstance(node, ast.Call) else UNKNOWN

    def _collection(self, node: ast.expr, known: Mapping[str, object], depth: int) -> object:
        match node:
            case ast.Dict(keys=keys, values=values):
                pairs = self._all([*(one for one in keys if one), *values], known, depth)
                if pairs is None or not all(keys):
                    return UNKNOWN
                return dict(zip(pairs[: len(keys)], pairs[len(keys) :], strict=True))
            case ast.JoinedStr(values=parts):
                told = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                texts = self._all(told, known, depth)
                return UNKNOWN if texts is None else "".join(map(str, texts))
            case ast.List(elts=elements) | ast.Set(elts=elements) | ast.Tuple(elts=elements):
                items = self._all(elements, known, depth)
                if items is not None:
                    return tuple(items) if isinstance(node, ast.Tuple) else items
        return UNKNOWN

    def _all(self, nodes: Sequence[ast.AST], known: Mapping[str, object], depth: int) -> list[object] | None:
        values = [self._fold(node, known, depth) for node in nodes[:SIZE]]
        return None if any(value is UNKNOWN for value in values) else values

    def _operation(
        self, op: ast.operator, sides: tuple[ast.expr, ast.expr], known: Mapping[str, object], depth: int
    ) -> object:
        values = self._all(sides, known, depth)
        if values is None:
            return UNKNOWN
        left, right = values
        if isinstance(op, ast.Mult) and max(_repeats(left, right), _repeats(right, left)) > SIZE:
            return UNKNOWN
        if isinstance(op, ast.Mod) and isinstance(left, str | bytes) and not _is_plain_format(left):
            return UNKNOWN  # a format may ask for any width
        return _OPERATORS[type(op)](left, right)

    def _item(self, owner: ast.expr, place: ast.expr, known: Mapping[str, object], depth: int) -> object:
        value = self._fold(owner, known, depth)
        if value is UNKNOWN:
            return UNKNOWN
        if isinstance(place, ast.Slice):
            bounds = [None if one is None else self._fold(one, known, depth) for one in _bounds(place)]
            return UNKNOWN if UNKNOWN in bounds else value[slice(*bounds)]  # type: ignore[index]
        key = self._fold(place, known, depth)
        return UNKNOWN if key is UNKNOWN else value[key]  # type: ignore[index]

    def _call(self, node: ast.Call, known: Mapping[str, object], depth: int) -> object:
        name = resolved(dotted(node.func), self._imported)
        if name == "map" and len(node.args) == 2 and dotted(node.args[0]) in {"chr", "str", "int"}:  # noqa: PLR2004 - map's two
            row = self._fold(node.args[1], known, depth)
            return [_CALLS[dotted(node.args[0])](item) for item in row] if row is not UNKNOWN else UNKNOWN  # type: ignore[attr-defined]
        if name in {"os.environ.get", "os.getenv"} and len(node.args) > 1:
            return self._fold(node.args[1], known, depth)
        arguments = self._all([*node.args, *(word.value for word in node.keywords)], known, depth)
        return UNKNOWN if arguments is None else self._applied(name, node, arguments, known, depth)

    def _applied(
        self, name: str, node: ast.Call, arguments: list[object], known: Mapping[str, object], depth: int
    ) -> object:
        made = name.rpartition(".")[2]
        if made[:1].isupper() and arguments:
            return (f"new {made}", *arguments)
        if name in _CALLS and not node.keywords:
            return _CALLS[name](*arguments)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not node.keywords:
            owner = self._fold(node.func.value, known, depth)
            if isinstance(owner, str | bytes) and _stays_small(owner, node.func.attr, arguments):
                return getattr(owner, node.func.attr)(*arguments)
        return UNKNOWN


@lru_cache(maxsize=64)
def folder_of(tree: ast.Module | None) -> Folder:
    return Folder(tree)


def _bounds(place: ast.Slice) -> tuple[ast.expr | None, ...]:
    return place.lower, place.upper, place.step


def _bindings(tree: ast.Module | None) -> list[str]:
    """Every name each time it is bound: assigned, looped over, a parameter, a function, an import."""
    names = []
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.append(name)
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Global(names=more) | ast.Nonlocal(names=more):
                names.extend(more)
    return names


def _assigned(node: ast.AST) -> tuple[str, ast.expr | None]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
    return "", None


def _is_plain_format(text: str | bytes) -> bool:
    return isinstance(text, str) and re.fullmatch(r"(?:[^%]|%[sdr%])*", text) is not None


def _repeats(what: object, times: object) -> int:
    return len(what) * times if isinstance(what, str | bytes | list | tuple) and isinstance(times, int) else 0


def _stays_small(owner: str | bytes, method: str, arguments: list[object]) -> bool:
    """`replace` and `join` can make much of little."""
    if method == "replace":
        return (
            len(owner) * max((len(one) for one in arguments if isinstance(one, str | bytes)), default=0) <= 100 * SIZE
        )
    if method == "join":
        row = arguments[0]
        return isinstance(row, list | tuple) and sum(len(one) + len(owner) for one in row) <= SIZE
    return True


def _is_small(value: object) -> bool:
    return value is UNKNOWN or _left(value, SIZE) >= 0


def _left(value: object, budget: int) -> int:
    """What is left of a budget of characters and items; the count ends where it is used up."""
    if isinstance(value, int):
        return budget if value.bit_length() <= _BITS else -1
    if isinstance(value, str | bytes):
        return budget - len(value)
    if isinstance(value, list | tuple | set | frozenset | dict):
        items = [*value, *value.values()] if isinstance(value, dict) else value
        for item in items:
            budget = _left(item, budget - 1)
            if budget < 0:
                break
    return budget
