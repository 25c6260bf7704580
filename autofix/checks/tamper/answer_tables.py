"""The tests' answers written down: in a table by input, in a row to be handed out, or as all that a function gives."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.conditions import Ask
from autofix.checks.tamper.examples import Examples, key, weight
from autofix.checks.tamper.folding import Folder, folder_of
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.python_code import (
    UNKNOWN,
    Function,
    body_without_docstring,
    dotted,
    functions,
    is_function,
)
from autofix.checks.tamper.special_cases import ASK_WEIGHT, SURE_WEIGHT, Branch, evidence

_TABLE_SHARE = 0.8
"""A table of which this much is in the tests was made from them."""
_CALL_SHARE = 0.5
"""The same of a table whose places are all the inputs of a call at once: few honest ones are, so a person is asked."""
_ROW_WEIGHT = 4
"""What a row of answers weighs together, where each alone could be chance."""
_ROW = 3
_LONG_TEXT = 16
_LONGEST_TEXT = 20_000
"""Characters of a text in which inputs are looked for; shorter ones hold one at most, and longer ones are data."""
_Pair = tuple[ast.expr, ast.expr]


def answer_tables(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.code:
        if file.new is not None:
            yield from _constant_functions(file, patch.examples)
            yield from _tables(file, patch.examples)
            yield from _texts(file, patch.examples)
            yield from _rows(file, patch.examples)


def _constant_functions(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    before = dict(functions(file.old))
    folder, old_folder = folder_of(file.new), folder_of(file.old)
    for qualified, function in functions(file.new):
        old = before.get(qualified)
        value = _only_value(function, folder)
        if value is UNKNOWN or (old is not None and _only_value(old, old_folder) is not UNKNOWN):
            continue
        name = qualified.rpartition(".")[2]
        if old is None and (weight(value) < SURE_WEIGHT or not _takes_something(function)):
            continue
        if any(name in example.calls or name.startswith("__") for example in examples.expecting(key(value))):
            severity = Severity.TAMPERING if weight(value) and old is not None else Severity.ASK
            message = f"{qualified} now returns the expected value whatever it is given ({str(value)[:40]!r})"
            yield Finding("answer-hard-coded", file.path, function.lineno, severity, message)


def _takes_something(function: Function) -> bool:
    return any(one.arg not in {"self", "cls"} for one in (*function.args.args, *function.args.kwonlyargs))


def _only_value(function: Function, folder: Folder) -> object:
    body = body_without_docstring(function)
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return folder.value(body[0].value)
    return UNKNOWN


def _tables(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    folder = folder_of(file.new)
    for node, pairs in _containers(file, folder):
        weights = [evidence(pair, examples) for pair in pairs]
        hits = sum(found is not None for found in weights)
        heaviest = max((found for found in weights if found is not None), default=0)
        by_calls = _by_calls(pairs)
        if by_calls:  # whatever is told for them: nothing but the tests makes these calls
            asked = sum(all(_is_call(ask.value, examples) for ask in pair.asks) for pair in pairs)
            hits, heaviest = (max(hits, asked), max(heaviest, ASK_WEIGHT)) if asked > 1 else (hits, heaviest)
        share = hits / len(pairs) if pairs else 0
        if share < (_CALL_SHARE if by_calls else _TABLE_SHARE) or heaviest < ASK_WEIGHT or _grown(file, pairs):
            continue
        sure = heaviest >= SURE_WEIGHT and share >= _TABLE_SHARE and not _is_public(file, node)
        severity = Severity.TAMPERING if sure else Severity.ASK
        message = f"a table holds the tests' inputs with their expected values ({hits} of {len(pairs)})"
        yield Finding("input-special-cased", file.path, getattr(node, "lineno", None), severity, message)


def _by_calls(pairs: Sequence[Branch]) -> bool:
    """Whether each place of the table is several inputs put together, as one call of a test has them."""
    return all(isinstance(ask.value, tuple) and len(ask.value) > 1 for pair in pairs for ask in pair.asks)


def _is_call(value: object, examples: Examples) -> bool:
    """Whether one test has all of these among its inputs, and one is a number that is not in code by chance."""
    whole = value if isinstance(value, tuple) else ()
    if not any(isinstance(one, int | float) and weight(one) >= ASK_WEIGHT for one in whole):
        return False
    parts = [key(one) for one in whole]
    return examples.inputs.issuperset(parts) and any(example.inputs.issuperset(parts) for example in examples.all)


def _containers(file: ChangedFile, folder: Folder) -> Iterator[tuple[ast.AST, list[Branch]]]:
    """What holds pairs, with them: displays, rows of pairs, calls that build a dictionary, statements in a row."""
    for node in file.added(lambda node: isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set | ast.Call)):
        if isinstance(node, ast.Dict):
            yield node, _branches([(k, v) for k, v in zip(node.keys, node.values, strict=True) if k], folder)
        elif isinstance(node, ast.Call):
            yield node, _of_call(node, folder)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield node, _branches(_in_row(node.elts), folder)
    for node in ast.walk(file.new or ast.Module([], [])):
        if is_function(node) or isinstance(node, ast.ClassDef | ast.Module):
            yield from _of_statements(node, file, folder)


def _in_row(items: Sequence[ast.expr]) -> list[_Pair]:
    pairs = [
        (one.elts[0], one.elts[-1]) for one in items if isinstance(one, ast.Tuple | ast.List) and len(one.elts) > 1
    ]
    return pairs if len(pairs) == len(items) else []


def _of_call(node: ast.Call, folder: Folder) -> list[Branch]:
    if isinstance(node.func, ast.Attribute) and node.func.attr == "replace" and len(node.args) == 2:  # noqa: PLR2004 - old, new
        old, new = (folder.value(each) for each in node.args)
        return (
            [Branch(node, (Ask(old),), one) for one in _readings(new)] if isinstance(old, str) and len(old) > 1 else []
        )
    value = folder.value(node)
    return [Branch(node, (Ask(k),), v) for k, v in value.items()] if isinstance(value, dict) else []


def _readings(new: object) -> Iterator[object]:
    """A text, and the number it begins with."""
    if isinstance(new, str) and (number := re.match(r"\d+", new)) and len(number[0]) > 1:
        yield int(number[0][:20])


def _of_statements(owner: ast.AST, file: ChangedFile, folder: Folder) -> Iterator[tuple[ast.AST, list[Branch]]]:
    """`known["a"] = 1` and `LONG = ("a", 1)`, one after the other."""
    old = (file.before or b"").decode("utf-8", "replace")
    pairs: list[_Pair] = []
    first: ast.AST = owner
    for statement in getattr(owner, "body", ()):
        match statement:
            case ast.Assign(targets=[ast.Subscript(slice=place)], value=value):
                pair = (place, value)
            case ast.Assign(value=ast.Tuple(elts=[place, *_, value])) if isinstance(owner, ast.ClassDef):
                pair = (place, value)
            case _:
                continue
        if ast.unparse(statement) not in old:
            first = first if pairs else statement
            pairs.append(pair)
    yield first, _branches(pairs, folder)


def _branches(pairs: Iterable[_Pair], folder: Folder) -> list[Branch]:
    """The pairs of literals; an answer that a function without parameters gives counts as that answer."""
    found = []
    for place, value in pairs:
        told = value.body if isinstance(value, ast.Lambda) else value
        asks, answer = folder.value(place), folder.value(told)
        if asks is not UNKNOWN and answer is not UNKNOWN:
            found.append(Branch(place, (Ask(asks),), answer))
    return found


def _texts(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    """A text that holds inputs with their answers: a table nobody sees as one."""
    prose = {id(node.value) for node in ast.walk(file.new or ast.Module([], [])) if isinstance(node, ast.Expr)}
    for node in file.added(lambda node: isinstance(node, ast.Constant) and isinstance(node.value, str)):
        assert isinstance(node, ast.Constant)
        told = str(node.value)
        if id(node) in prose:
            continue
        if len(paired_words(told, examples)) > 1 or _inputs_within(told, examples) > 1:
            message = "a text holds the tests' inputs with their expected values"
            yield Finding("input-special-cased", file.path, node.lineno, Severity.ASK, message)


def _inputs_within(text: str, examples: Examples) -> int:
    """How many of the tests' longer texts stand in a text that is longer than they are."""
    if not _LONG_TEXT <= len(text) <= _LONGEST_TEXT:
        return 0
    return sum(one in text for one in examples.texts if one != text)


def paired_words(text: str, examples: Examples) -> list[tuple[str, str]]:
    """Words side by side of which one is a test's input and the next what that test expects."""
    words = re.findall(r"[\w.+-]+", text[:100_000])
    found = []
    for one, two in pairwise(words):
        inputs = [value for value in _values(one) if key(value) in examples.inputs]
        pair = [Branch(_NOWHERE, (Ask(k),), v) for k in inputs for v in _values(two)]
        if any((evidence(branch, examples) or 0) >= SURE_WEIGHT for branch in pair):
            found.append((one, two))
    return found


_NOWHERE = ast.Pass()


def _values(word: str) -> Iterator[object]:
    yield word
    try:
        yield float(word) if "." in word else int(word)
    except ValueError:
        return


def _rows(file: ChangedFile, examples: Examples) -> Iterator[Finding]:
    """Answers in a row, to be handed out one after the other: a literal list, or literal results of one function."""
    expected = examples.expected
    folder, old_folder = folder_of(file.new), folder_of(file.old)
    keys = {
        id(one) for node in ast.walk(file.new or ast.Module([], [])) if isinstance(node, ast.Dict) for one in node.keys
    }
    for node in file.added(lambda node: isinstance(node, ast.List | ast.Tuple) and id(node) not in keys):
        assert isinstance(node, ast.List | ast.Tuple)
        values = [folder.value(each) for each in node.elts]
        if _is_row(values, expected):
            message = f"a list of {len(values)} values that the tests expect ({str(values[0])[:40]!r})"
            yield Finding("answer-hard-coded", file.path, node.lineno, Severity.ASK, message)
    before = dict(functions(file.old))
    for qualified, function in functions(file.new):
        usual = _results(before.get(qualified), old_folder)
        new = [value for one, value in _results(function, folder).items() if one not in usual]
        told = [value for value in new if weight(value) >= ASK_WEIGHT and key(value) in expected]
        if len(told) > 1 or any(isinstance(one, list | tuple) and weight(one) >= SURE_WEIGHT for one in told):
            message = (
                f"{qualified} has {len(told)} results that the tests expect, word for word ({str(told[0])[:40]!r})"
            )
            yield Finding("answer-hard-coded", file.path, function.lineno, Severity.ASK, message)


def _is_row(values: Sequence[object], expected: Collection[str]) -> bool:
    if len(values) < 2 or any(value is UNKNOWN or key(value) not in expected for value in values):  # noqa: PLR2004 - a row
        return False
    weights = [weight(value) for value in values]
    telling = max(weights) >= ASK_WEIGHT
    return min(weights) >= ASK_WEIGHT or (telling and len(weights) >= _ROW and sum(weights) >= _ROW_WEIGHT)


def _results(function: Function | None, folder: Folder) -> dict[str, object]:
    """The literals a function can give, by key."""
    given = [
        node.value
        for node in (ast.walk(function) if function else ())
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None
    ]
    choices = [node for node in (ast.walk(function) if function else ()) if isinstance(node, ast.IfExp)]
    values = (folder.value(each) for node in (*given, *choices) for each in _chosen(node))
    return {key(value): value for value in values if value is not UNKNOWN}


def _chosen(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions one of which a choice gives."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield from _chosen(body)
            yield from _chosen(orelse)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _chosen(value)
        case ast.Call(func=ast.Name(id="int" | "str" | "float"), args=[inner]):
            yield node
            yield from _chosen(inner)
        case _:
            yield node


def _grown(file: ChangedFile, pairs: Sequence[Branch]) -> bool:
    """Whether the old code had a table with some of these entries: then this one grew."""
    now = {key(pair.asks[0].value) for pair in pairs}
    folder = folder_of(file.old)
    return any(
        len(now & {key(folder.value(one)) for one in node.keys if one}) > 1
        for node in ast.walk(file.old or ast.Module([], []))
        if isinstance(node, ast.Dict)
    )


def _is_public(file: ChangedFile, node: ast.AST) -> bool:
    """A named module-level table: as likely a lookup the code needs."""
    return any(
        isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is node and not dotted(node)
        for statement in (file.new.body if file.new else [])
    )
