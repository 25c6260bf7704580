"""Work trees with their sandboxes: opened together, closed together, whatever happens in between."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from autofix.ports.sandbox import Room, Sandbox, SandboxSpec
from autofix.ports.tree import WorkTree, WorkTrees


@dataclass(frozen=True, slots=True)
class Workplace:
    """A checkout and the sandbox over it."""

    tree: WorkTree
    sandbox: Sandbox


@dataclass(slots=True)
class Workspace:
    """Opens workplaces of one run.

    What the setup command left in its checkout is laid into every tree that is opened after it.
    """

    trees: WorkTrees
    room: Room
    spec: SandboxSpec
    _setup_tree: WorkTree | None = None

    def set_up(self, commit: str) -> None:
        """Run the setup command, if there is one, in a checkout of its own."""
        if not self.spec.setup_command:
            return
        self._setup_tree = self.trees.open(commit, "setup")
        self.room.prepare(self.spec, self._setup_tree.path)

    @contextmanager
    def opened(self, commit: str, name: str, files: Mapping[str, bytes | None] | None = None) -> Iterator[Workplace]:
        """A fresh checkout of `commit` with `files` laid over it (None deletes), and a fresh sandbox."""
        with ExitStack() as stack:
            tree = self.trees.open(commit, name, dict(files or {}), leftovers_of=self._setup_tree)
            stack.callback(tree.drop)
            sandbox = self.room.open(self.spec, tree.path)
            stack.callback(sandbox.close)
            yield Workplace(tree, sandbox)
