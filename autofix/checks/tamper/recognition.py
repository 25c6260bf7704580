"""Code that tells a test's own case from others, whatever it then does: by a digest, an exact value, the caller's kind.

Unlike an answer paired with its input none of this is proof, so a person is asked.
"""

import ast
import re
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.examples import weight
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import (
    UNKNOWN,
    aliases,
    called,
    constant,
    dotted,
    functions,
    line_of,
    resolved,
    tests_of,
)
from autofix.checks.tamper.special_cases import is_natural

_DIGESTS = frozenset({"len", "hash", "sum", "ord", "id", "hexdigest", "digest", "crc32", "adler32"})
_FRAGMENT = 5
"""Characters of a test's own text that are no coincidence, where they are not a plain word."""
_TELLING = 10
"""Numbers above this turn up seldom by chance; two of them in one function are two too many."""
_DIGITS = 6
"""Digits behind the point of a number that nobody thinks of while writing an expression."""


def recognised_cases(patch: PatchFiles) -> Iterator[Finding]:
    fed = "\0".join(sorted({text for tree in patch.test_trees for text in _texts_fed(tree)}))
    numbers = frozenset(number for tree in patch.test_trees for number in _numbers(tree))
    for file in patch.code:
        if file.new is not None:
            yield from _by_digest(file)
            yield from _by_text(file, fed)
            yield from _by_numbers(file, numbers)
            yield from _by_remainder(file, numbers)
            yield from _by_environment(file)
            yield from _by_own_words(file)
            yield from _odd_constants(file)


def _texts_fed(tree: ast.Module) -> Iterator[str]:
    """Texts that tests hand to what they call, and those of their parameters' columns but the last."""
    for function in tests_of(tree).values():
        for node in ast.walk(ast.Module(function.body, [])):
            if isinstance(node, ast.Call) and not called(node).rpartition(".")[2].startswith(
                ("assert", "raises", "approx")
            ):
                yield from _texts(constant(each) for each in node.args)
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and len(decorator.args) > 1:
                rows = constant(decorator.args[1])
                for row in rows if isinstance(rows, list | tuple) else ():
                    yield from _texts(row[:-1] if isinstance(row, list | tuple) and len(row) > 1 else [row])


def _texts(values: object) -> Iterator[str]:
    for value in values if isinstance(values, list | tuple) or hasattr(values, "__next__") else ():  # type: ignore[attr-defined]
        if isinstance(value, str):
            yield value


def _numbers(tree: ast.Module) -> Iterator[float]:
    for function in tests_of(tree).values():
        for node in ast.walk(function):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, int | float) and abs(value) > _TELLING and weight(value) > 1:
                yield value


def _by_digest(file: ChangedFile) -> Iterator[Finding]:
    """A table that is asked for the length or hash of what it is given knows whole inputs by sight."""
    tables = {
        target.id
        for statement in ast.walk(file.new or ast.Module([], []))
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }

    def asked(node: ast.AST) -> bool:
        if isinstance(node, ast.Subscript):
            table, key = node.value, node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and node.args
        ):
            table, key = node.func.value, node.args[0]
        else:
            return False
        known = isinstance(table, ast.Dict) or (isinstance(table, ast.Name) and table.id in tables)
        return known and any(_name(each) in _DIGESTS for each in ast.walk(key) if isinstance(each, ast.Call))

    for node in file.added(asked):
        message = "a table is asked for the length or a digest of the input: it knows some inputs by sight"
        yield Finding("input-recognised", file.path, line_of(node), Severity.ASK, message)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func)


def _by_text(file: ChangedFile, fed: str) -> Iterator[Finding]:
    """A piece of a text that the tests feed in, in no old line of the code."""
    old = (file.before or b"").decode("utf-8", "replace")
    prose = {
        id(node.value)
        for node in ast.walk(file.new or ast.Module([], []))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }

    def taken(node: ast.AST) -> bool:
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        return any(
            word not in old and word in fed and (_is_telling(word, fed) or _cuts_number(word, fed))
            for word in {text, *text.split()}
        )

    for node in file.added(taken):
        if id(node) in prose:
            continue
        message = f"code under test holds a piece of a test's own input ({str(constant(node))[:40]!r})"
        yield Finding("input-recognised", file.path, line_of(node), Severity.ASK, message)


def _is_telling(text: str, fed: str) -> bool:
    """No plain word or name and no mere punctuation; of a whole input a word with signs is telling, too."""
    if "\0" in text or len(text) < _FRAGMENT:
        return bool(re.fullmatch(r"\d{4,}", text))
    if re.fullmatch(r"(\d+[a-zA-Z]+){2,}\d*|\d+", text):
        return True
    whole = f"\0{text}\0" in f"\0{fed}\0"
    return not re.fullmatch(r"\w+|[\W_]+", text) and (whole or not is_natural(text))


def _cuts_number(word: str, fed: str) -> bool:
    """Whether a piece of a text ends where its number goes on: no format has a border there."""
    is_piece = bool(re.fullmatch(r"\w*[^\W\d]\w*\d", word)) and len(word) >= _FRAGMENT - 1
    return is_piece and bool(re.search(rf"{re.escape(word)}\d", fed))


def _by_numbers(file: ChangedFile, numbers: frozenset[float]) -> Iterator[Finding]:
    """A function that now compares with two of the tests' own numbers, or more."""
    before = dict(functions(file.old))
    for qualified, function in functions(file.new):
        usual = set(_compared(before[qualified])) if qualified in before else set()
        new = {value for value in _compared(function) if value in numbers} - usual
        if len(new) > 1 and qualified in before:
            message = f"{qualified} now tells apart values that the tests use ({', '.join(map(str, sorted(new)[:3]))})"
            yield Finding("input-recognised", file.path, function.lineno, Severity.ASK, message)


def _by_remainder(file: ChangedFile, numbers: frozenset[float]) -> Iterator[Finding]:
    """A remainder by a test's own number: a fingerprint of that number."""
    old = (file.before or b"").decode("utf-8", "replace")

    def divides(node: ast.AST) -> bool:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            row = constant(node.comparators[0])
            by = (
                constant(node.left.right)
                if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Mod)
                else None
            )
            return isinstance(row, list | tuple | set) and len(row) > 1 and weight(by) > 1
        value = constant(node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) else UNKNOWN
        return isinstance(value, int | float) and weight(value) > 1 and value in numbers and str(value) not in old

    for node in file.added(divides):
        message = "a remainder by an odd number tells some numbers of the tests from others"
        yield Finding("input-recognised", file.path, line_of(node), Severity.ASK, message)


def _compared(function: ast.AST) -> Iterator[float]:
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            for side in (node.left, *node.comparators):
                value = constant(side)
                if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > _TELLING:
                    yield value


def _by_environment(file: ChangedFile) -> Iterator[Finding]:
    """All variables of the environment gone through: what is looked for has a name that is not written down."""
    imported = aliases(file.new)

    def walks(node: ast.AST) -> bool:
        over = node.iter if isinstance(node, ast.For | ast.comprehension) else None
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute):
            over = over.func.value
        return over is not None and resolved(dotted(over), imported) == "os.environ"

    for node in file.added(walks):
        line = line_of(node.iter if isinstance(node, ast.comprehension) else node)
        message = "code under test goes through every variable of its environment"
        yield Finding("test-aware", file.path, line, Severity.ASK, message)


def _by_own_words(file: ChangedFile) -> Iterator[Finding]:
    """Code that reads its own documentation: what is written there is data."""
    for node in file.added(lambda node: isinstance(node, ast.Attribute) and node.attr == "__doc__"):
        message = "code under test reads documentation as data"
        yield Finding("input-recognised", file.path, line_of(node), Severity.ASK, message)


def _odd_constants(file: ChangedFile) -> Iterator[Finding]:
    """A number of many digits inside an expression; one that has a name of its own is a constant."""
    named = {
        id(child)
        for statement in (file.new.body if file.new else [])
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for child in ast.walk(statement)
    }

    def odd(node: ast.AST) -> bool:
        value = node.value if isinstance(node, ast.Constant) else None
        return isinstance(value, float) and len(repr(value).partition(".")[2]) >= _DIGITS and "e" not in repr(value)

    for node in file.added(odd):
        if id(node) not in named and constant(node) is not UNKNOWN:
            message = f"a number of many digits in an expression ({constant(node)}): where is it from?"
            yield Finding("number-unexplained", file.path, line_of(node), Severity.ASK, message)
