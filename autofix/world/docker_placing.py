"""How a tree gets into a container: mounted where the engine sees our files, else copied.

An engine elsewhere takes a path of ours for one of its own, and mounts an empty directory or somebody else's. So where
it is not known to be this machine's, a file is laid into the tree and looked for through the engine.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autofix.errors import SandboxUnavailable
from autofix.ports.sandbox import Files
from autofix.world.docker_copies import DockerCopies
from autofix.world.docker_engine import Engine, engine_errors
from autofix.world.docker_walls import tree_mount, volume_mount
from autofix.world.ownership import User, hand_over


@dataclass(frozen=True, slots=True)
class Placed:
    """A tree as a container is given it: its mount, and what keeps the two equal where it is a copy."""

    mount: Any
    copies: DockerCopies | None = None

    def close(self) -> None:
        """After the container is gone."""
        if self.copies is not None:
            self.copies.close()


class Placing:
    """Of one room: once it is known how, every tree is placed so.

    Args:
        translate: from a path of ours to the engine's; None finds out: inside a container by its own mounts.
    """

    def __init__(self, files: Files, translate: Callable[[Path], str] | None) -> None:
        self._files = files
        self._told = translate

    def place(self, engine: Engine, image: str, tree: Path, user: User, labels: Mapping[str, str]) -> Placed:
        """Make a tree ready to be mounted in a container of `image`, for commands of `user`.

        Raises:
            SandboxUnavailable: it cannot be.
        """
        if self._files == "auto":
            self._files = "mount" if self._can_mount(engine, image, tree, labels) else "copy"
        if self._files == "mount":
            mounted = Placed(tree_mount(self._translate(engine, tree)))
            hand_over(tree, user)
            return mounted
        copies = DockerCopies(engine, tree, user, image, labels)
        return Placed(volume_mount(copies.volume), copies)

    def _translate(self, engine: Engine, tree: Path) -> str:
        return engine.path_of(tree) if self._told is None else self._told(tree)

    def _can_mount(self, engine: Engine, image: str, tree: Path, labels: Mapping[str, str]) -> bool:
        try:
            source = self._translate(engine, tree)
        except SandboxUnavailable:  # our own container's file system, which the engine can give to nobody
            return False
        if engine.is_of_this_machine():
            return True
        sign = f".autofix-{secrets.token_hex(8)}"
        (tree / sign).touch()
        try:
            with engine_errors(SandboxUnavailable, "the engine does not answer"):
                return engine.finds(image, tree_mount(source), sign, labels)
        finally:
            (tree / sign).unlink()
