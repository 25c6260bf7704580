"""The tests that a document names: `tests/path/test_file.py::test_name`, looked up in the syntax of their files."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NODE = re.compile(r"`(tests/[\w/.]+)::(\w+)`")


def named_tests(text: str) -> list[tuple[str, str]]:
    """(file, test) of each that is named."""
    return _NODE.findall(text)


def is_there(file: str, test: str) -> bool:
    """Whether the file has a function of this name that pytest collects: at its top, or in a class of tests."""
    return test in _collected(ROOT / file)


@cache
def _collected(path: Path) -> frozenset[str]:
    if not path.is_file() or not path.name.startswith("test_"):
        return frozenset()
    top = ast.parse(path.read_text(encoding="utf-8")).body
    inside = [
        one for group in top if isinstance(group, ast.ClassDef) and group.name.startswith("Test") for one in group.body
    ]
    return frozenset(
        one.name for one in (*top, *inside) if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
    )
