"""Work trees with their sandboxes: opened together, closed together, whatever happens in between."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from autofix.ports.sandbox import CommandResult, Room, Sandbox, SandboxSpec, ShellCommand
from autofix.ports.tree import WorkTree, WorkTrees

LEAST_SECONDS = 1.0
"""A command that starts when time is up may still say so itself."""


def _now(deed: Callable[[], None]) -> None:
    deed()


@dataclass(frozen=True, slots=True)
class Workplace:
    """A checkout and the sandbox over it."""

    tree: WorkTree
    sandbox: Sandbox


@dataclass(frozen=True, slots=True)
class TimedSandbox:
    """A sandbox whose commands never run past a deadline, whatever time they ask for.

    Attributes:
        closing: does what closing takes, now or in the background.
    """

    inner: Sandbox
    seconds_left: Callable[[], float]
    closing: Callable[[Callable[[], None]], None] = _now

    @property
    def root(self) -> str:
        return self.inner.root

    @property
    def scratch(self) -> str:
        return self.inner.scratch

    def run(self, command: ShellCommand) -> CommandResult:
        left = max(LEAST_SECONDS, self.seconds_left())
        return self.inner.run(replace(command, timeout=min(command.timeout, left)))

    def read(self, path: str, limit: int) -> bytes | None:
        return self.inner.read(path, limit)

    def remove(self, path: str) -> None:
        self.inner.remove(path)

    def close(self) -> None:
        self.closing(self.inner.close)


@dataclass(slots=True)
class Workspace:
    """Opens workplaces of one run.

    What the setup command left in its checkout is laid into every tree that is opened after it. A container takes a
    quarter of a second to start and a tenth to go: what nobody waits for is done by one thread, in order, and `settle`
    waits for it.
    """

    trees: WorkTrees
    room: Room
    spec: SandboxSpec
    seconds_left: Callable[[], float]
    """Until the run has to be over."""
    _setup_tree: WorkTree | None = None
    _background: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "workspace"))
    _closings: list[Future[None]] = field(default_factory=list)

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
            yield Workplace(tree, TimedSandbox(sandbox, self.seconds_left, self._later))
            self._later(stack.pop_all().close)

    @contextmanager
    def opening(self, commit: str, name: str) -> Iterator[Callable[[], Workplace]]:
        """As `opened`, in the background: what it yields waits for the workplace."""
        with ExitStack() as stack:
            made = self._background.submit(lambda: stack.enter_context(self.opened(commit, name)))
            try:
                yield made.result
            finally:
                made.exception()  # waits: nothing may be opened after its stack has closed

    def settle(self) -> None:
        """Wait until everything that is over is closed.

        Raises:
            SandboxBroken: something could not be closed.
        """
        self._background.shutdown()
        for closing in self._closings:
            closing.result()

    def _later(self, deed: Callable[[], None]) -> None:
        self._closings.append(self._background.submit(deed))
