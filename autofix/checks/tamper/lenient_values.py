"""A new kind of text, number or list that compares in its own way: it is not what it seems to an assertion."""

from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import PatchFiles
from autofix.checks.tamper.python_code import classes, dotted, is_function

_VALUES = frozenset({"str", "int", "float", "complex", "bytes", "tuple", "list", "set", "frozenset", "dict", "bool"})
_AGREEING = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__iter__", "__len__"}
    | {"__radd__", "__rsub__", "__rmul__", "__sub__", "__abs__", "__bool__"}
)
"""What an assertion does with a value."""


def lenient_values(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.code:
        known = {one.name for one in classes(file.old)}
        for one in classes(file.new):
            bases = {dotted(base) for base in one.bases} & _VALUES
            own = [node.name for node in one.body if is_function(node) and node.name in _AGREEING]
            if bases and own and one.name not in known:
                message = f"{one.name} is a {min(bases)} with a {own[0]} of its own: it is not what it seems to a test"
                yield Finding("lenient-value", file.path, one.lineno, Severity.ASK, message)
