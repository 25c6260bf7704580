"""Which file of the tree a path from the model means; what no tool touches, whatever the gate said."""

import posixpath

from autofix.errors import TreeError
from autofix.harness.names import plain_components
from autofix.harness.tools.tool import Workshop

ARTIFACT = "artifact:"
"""Prefix of the names of kept results, where a tool also reads those."""


def located(path: str, workshop: Workshop) -> str:
    """The path relative to the tree, links resolved; "" is the root itself.

    Raises:
        TreeError: it leaves the tree, or belongs to git.
    """
    relative = _relative(path, workshop)
    _refuse_git(relative)
    real = workshop.tree.real_path(relative) if relative else ""
    _refuse_git(real)
    return "" if real == "." else real


def kept(name: str, workshop: Workshop) -> bytes:
    """A kept result by its `artifact:NAME`.

    Raises:
        TreeError: there is none.
    """
    content = workshop.artifacts.read(name.removeprefix(ARTIFACT))
    if content is None:
        raise TreeError(f"There is no {name}. The mark of a cut result names what was kept.")
    return content


def _relative(path: str, workshop: Workshop) -> str:
    """Absolute paths that name the tree, as the sandbox or the harness sees it, become relative to it."""
    if path.startswith("/"):
        normal = posixpath.normpath(path)
        for root in (workshop.sandbox.root, str(workshop.tree.path)):
            if normal == root:
                return ""
            if normal.startswith(root.rstrip("/") + "/"):
                return normal[len(root.rstrip("/")) + 1 :]
        raise TreeError(f"{path} is outside the work tree; give a path relative to its root")
    return "" if path in {"", ".", "./"} else path


def _refuse_git(path: str) -> None:
    if any(name in {".git", "git~1"} for name in plain_components(path)):
        raise TreeError(f"{path}: git's own files are not for tools; `git log`, `git show` ... work in Bash")
