"""Which files a search looks at: those of the tree below a path, in order, without what tools and builds left there."""

from collections.abc import Iterator

from autofix.errors import TreeError
from autofix.harness.tools.file_text import EDITABLE_BYTES
from autofix.harness.tools.place import located
from autofix.harness.tools.tool import Workshop

BUILD_DIRECTORIES = frozenset(
    {
        ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".tox", ".venv", "__pycache__", "bower_components",
        "htmlcov", "node_modules", "site-packages", "venv",
    }
)  # fmt: skip
"""Left out unless the path asked for lies in one: thousands of files nobody looks for."""


def files_below(path: str | None, workshop: Workshop) -> Iterator[tuple[str, str, int]]:
    """Each file's path, its path below `path`, and its size, sorted.

    Raises:
        TreeError: `path` is outside the tree, or not there.
    """
    root = located(path or "", workshop)
    prefix = f"{root}/" if root else ""
    for name, size in _files(root, workshop):
        below = name.removeprefix(prefix) if name != root else name.rpartition("/")[2]
        if BUILD_DIRECTORIES.isdisjoint(below.split("/")[:-1]):
            yield name, below, size


def _files(root: str, workshop: Workshop) -> Iterator[tuple[str, int]]:
    try:
        yield from workshop.tree.walk(root)
    except TreeError:  # no directory: a file, then, or nothing
        yield root, len(workshop.tree.read(root, EDITABLE_BYTES).content)
