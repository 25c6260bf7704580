"""Which checks a project has, when nobody says; and which runner a given command is."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from autofix.checks.result import Check


@dataclass(frozen=True, slots=True)
class Detected:
    """A check and, in one line, why it was chosen."""

    check: Check
    why: str


def detect(paths: Collection[str], read: Callable[[str], bytes | None]) -> tuple[Detected, ...]:
    """The checks a project's files speak of, the surest first; empty where nothing is recognised.

    Args:
        paths: every file of the tree, relative, with `/`.
        read: a file's content, None where it cannot be read.
    """
    raise NotImplementedError


def check_for_command(command: str, name: str = "", *, directory: str = ".", timeout: float = 600.0) -> Check:
    """A check from a command line such as `pytest -q`: the runner is recognised from the command's words."""
    raise NotImplementedError
