"""Whether what a test asserted is still asserted elsewhere in the patch: renamed with its subject, merged, or split."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autofix.checks.tamper.patch import PatchFiles
from autofix.checks.tamper.python_code import UNKNOWN, Function, body_without_docstring, constant, shape, tests_of
from autofix.checks.tamper.strength import Strength, assertions


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The tests that a patch adds or rewrites.

    Attributes:
        shapes: of the bodies of the new ones.
        forms: the same with every name left out.
        literals: of each that asserts something: its literals, and how much it asserts.
        asserted: the shapes of all their assertions.
    """

    shapes: frozenset[str]
    forms: frozenset[str]
    literals: tuple[tuple[frozenset[str], Strength], ...]
    asserted: Counter[str]

    @classmethod
    def of(cls, patch: PatchFiles) -> "Elsewhere":
        new = [function for file in patch.files for function in _new_tests(file.old, file.new, rewritten=False)]
        touched = [function for file in patch.files for function in _new_tests(file.old, file.new, rewritten=True)]
        return cls(
            frozenset(shape(body_without_docstring(function)) for function in new),
            frozenset(_form(function) for function in new),
            tuple((frozenset(_literals([function])), _strength(function)) for function in touched),
            Counter(one.shape for function in touched for one in assertions(function)),
        )

    def holds(self, function: Function) -> bool:
        """Whether some new test asserts what this one did: the same but for names, or all its values as strictly."""
        if shape(body_without_docstring(function)) in self.shapes or _form(function) in self.forms:
            return True
        own = Counter(one.shape for one in assertions(function))
        cases = set(_literals(function.decorator_list))
        if own and own <= self.asserted and any(cases <= found for found, _ in self.literals):
            return True
        wanted, strength = set(_literals(function.body)), _strength(function)
        return bool(wanted) and any(wanted <= found and at_least >= strength for found, at_least in self.literals)


def _new_tests(old: ast.Module | None, new: ast.Module | None, *, rewritten: bool) -> Iterator[Function]:
    before = {name: shape(function) for name, function in tests_of(old).items()}
    for name, function in tests_of(new).items():
        if name not in before or (rewritten and before[name] != shape(function)):
            yield function


def _form(function: Function) -> str:
    """The body's shape without names; a test is the same test when what it is about goes by another name."""
    body = ast.parse(ast.unparse(ast.Module(body_without_docstring(function), [])))
    for node in ast.walk(body):
        if isinstance(node, ast.Name):
            node.id = "_"
        elif isinstance(node, ast.Attribute):
            node.attr = "_"
    return ast.dump(body)


def _literals(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.expr) and (value := constant(each)) is not UNKNOWN:
                yield repr(value)


def _strength(function: Function) -> Strength:
    return max((one.strength for one in assertions(function)), default=Strength.NONE)
