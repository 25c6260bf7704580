"""A patch as the rules see it: each changed file before and after, parsed where it is Python."""

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from autofix.checks.measure import is_check_configuration, is_test_file
from autofix.checks.result import CaseKey
from autofix.checks.tamper.examples import Examples, examples_of

SIZE_LIMIT = 2 * 1024 * 1024
"""Bytes of a file that is parsed; the largest hand-written modules have some 500 KB."""


def parsed(content: bytes | None) -> ast.Module | None:
    """The syntax tree; None where there is no file, no Python this interpreter reads, or too much of it."""
    if content is None or len(content) > SIZE_LIMIT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@dataclass(frozen=True)
class ChangedFile:
    """One path of a patch. `before` is None for a new file, `after` for a deleted one."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def is_python(self) -> bool:
        return self.path.endswith((".py", ".pyi", ".pyw"))

    @property
    def is_test(self) -> bool:
        return is_test_file(self.path)

    @property
    def is_configuration(self) -> bool:
        return is_check_configuration(self.path)

    @property
    def is_code(self) -> bool:
        """Neither test nor configuration: the code under test."""
        return not self.is_test and not self.is_configuration

    @cached_property
    def old(self) -> ast.Module | None:
        return parsed(self.before) if self.is_python else None

    @cached_property
    def new(self) -> ast.Module | None:
        return parsed(self.after) if self.is_python else None

    @cached_property
    def old_lines(self) -> list[str]:
        return _lines(self.before)

    @cached_property
    def new_lines(self) -> list[str]:
        return _lines(self.after)

    @cached_property
    def added_lines(self) -> list[tuple[int, str]]:
        """Lines the old file does not have (as often), with their numbers."""
        left = Counter(line.strip() for line in self.old_lines)
        added = []
        for number, line in enumerate(self.new_lines, 1):
            if left[line.strip()] > 0:
                left[line.strip()] -= 1
            elif line.strip():
                added.append((number, line))
        return added

    def added(self, wanted: Callable[[ast.AST], bool]) -> Iterator[ast.AST]:
        """Nodes of the new tree that the old one does not have (as often), of a kind."""
        if self.new is None:
            return
        left = Counter(ast.dump(node) for node in ast.walk(self.old) if wanted(node)) if self.old else Counter()
        for node in ast.walk(self.new):
            if wanted(node):
                shape = ast.dump(node)
                if left[shape] > 0:
                    left[shape] -= 1
                else:
                    yield node


def _lines(content: bytes | None) -> list[str]:
    return [] if content is None or len(content) > SIZE_LIMIT else content.decode("utf-8", "replace").splitlines()


@dataclass(frozen=True)
class PatchFiles:
    """All of a patch, the head's tests beside it, and the goal's ids."""

    files: tuple[ChangedFile, ...]
    tests: Mapping[str, bytes] = field(default_factory=dict)
    goal: Collection[CaseKey] = ()

    @cached_property
    def code(self) -> tuple[ChangedFile, ...]:
        return tuple(file for file in self.files if file.is_code)

    @cached_property
    def test_files(self) -> tuple[ChangedFile, ...]:
        return tuple(file for file in self.files if file.is_test)

    @cached_property
    def examples(self) -> Examples:
        """What the head's Python tests, and the data beside them, pair."""
        data = {path: content for path, content in self.head_tests.items() if path.endswith(".json")}
        return examples_of(self.test_trees, data)

    @cached_property
    def head_tests(self) -> dict[str, bytes]:
        """The head's tests and their data: those given, and those the patch changes."""
        return {**self.tests, **{file.path: file.before for file in self.test_files if file.before is not None}}

    @cached_property
    def test_trees(self) -> tuple[ast.Module, ...]:
        """The head's Python tests."""
        trees = (parsed(content) for path, content in sorted(self.head_tests.items()) if path.endswith(".py"))
        return tuple(tree for tree in trees if tree is not None)
