"""The room made of containers: opens one sibling container a sandbox, and removes what dead runs left."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import SandboxSpec
from autofix.world.docker_engine import Engine, engine_errors
from autofix.world.docker_sandbox import DockerSandbox
from autofix.world.docker_setup import Setups
from autofix.world.docker_walls import SCRATCH, environment, labels, sandbox_options
from autofix.world.own_container import own_container
from autofix.world.owner import identity
from autofix.world.ownership import hand_over, user_for
from autofix.world.shell import checked

DEFAULT_IMAGE = "python:3.13-slim"


class DockerRoom:
    """`ports.sandbox.Room`.

    Args:
        runtime: the engine's runtime for sandboxes (such as gVisor's `runsc`); the engine's default when None.
        setup_network: the network of the setup command.
        translate: from a path of ours to the engine's; None finds out: inside a container by its own mounts.
    """

    name: Literal["docker"] = "docker"

    def __init__(
        self,
        *,
        runtime: str | None = None,
        setup_network: str = "bridge",
        translate: Callable[[Path], str] | None = None,
    ) -> None:
        self._runtime = runtime
        self._told = translate
        self._setups = Setups(network=setup_network, runtime=runtime)
        self._connected: Engine | None = None

    def _engine(self) -> Engine:
        if self._connected is None:
            self._connected = Engine()
        return self._connected

    def _translate(self, path: Path) -> str:
        if self._told is not None:
            return self._told(path)
        return self._engine().path_of(path)

    def unavailable(self) -> str | None:
        try:
            self._engine()
        except SandboxUnavailable as error:
            return str(error)
        return None

    def prepare(self, spec: SandboxSpec, tree: Path) -> None:
        """Keeps the setup command's file system as a local image, and runs it only where that image is missing.

        So what it leaves in the tree is there only when it ran.
        """
        if spec.setup_command:
            engine = self._engine()
            base = engine.image(spec.image or DEFAULT_IMAGE)
            self._setups.keep(engine, base, spec, tree.resolve(), self._translate)

    def open(self, spec: SandboxSpec, tree: Path) -> DockerSandbox:
        if not tree.is_dir():
            raise SandboxUnavailable(f"the work tree {tree} is no directory")
        tree = tree.resolve()
        engine = self._engine()
        base = engine.image(spec.image or DEFAULT_IMAGE)
        image = self._setups.kept(engine, base, spec, tree) if spec.setup_command else base
        names = {**environment(base.environment, SCRATCH), **checked(spec.environment)}
        options = sandbox_options(spec, self._translate(tree), runtime=self._runtime)
        user = user_for(tree)
        hand_over(tree, user)
        with engine_errors(SandboxUnavailable, "the sandbox's container cannot be made"):
            container = engine.create(image.id, options, labels(spec.run_id, identity(), own_container()))
        sandbox = DockerSandbox(engine, container, user, names)
        try:
            with engine_errors(SandboxUnavailable, "the sandbox's container cannot be started"):
                container.start()
            sandbox.greet()
        except BaseException as error:
            sandbox.close()
            if isinstance(error, SandboxBroken):
                raise SandboxUnavailable(str(error)) from error
            raise
        return sandbox

    def sweep(self) -> int:
        engine = self._engine()
        with engine_errors(SandboxUnavailable, "what earlier runs left cannot be removed"):
            leftovers = engine.leftovers()
            for container in leftovers:
                engine.remove(container)
        return len(leftovers)
