"""The room made of containers: opens one sibling container a sandbox, and removes what dead runs left."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import Files, SandboxSpec
from autofix.world.docker_engine import Engine, engine_errors
from autofix.world.docker_placing import Placing
from autofix.world.docker_sandbox import DockerSandbox
from autofix.world.docker_setup import Setups
from autofix.world.docker_walls import SCRATCH, environment, labels, sandbox_options
from autofix.world.own_container import own_container
from autofix.world.owner import identity
from autofix.world.ownership import user_for
from autofix.world.shell import checked

DEFAULT_IMAGE = "python:3.13-slim"


class DockerRoom:
    """`ports.sandbox.Room`.

    Args:
        runtime: the engine's runtime for sandboxes (such as gVisor's `runsc`); the engine's default when None.
        setup_network: the network of the setup command.
        files: how trees get into containers (`docker_placing`).
        translate: from a path of ours to the engine's; None finds out.
    """

    name: Literal["docker"] = "docker"

    def __init__(
        self,
        *,
        runtime: str | None = None,
        setup_network: str = "bridge",
        files: Files = "auto",
        translate: Callable[[Path], str] | None = None,
    ) -> None:
        self._runtime = runtime
        self._placing = Placing(files, translate)
        self._setups = Setups(self._placing, network=setup_network, runtime=runtime)
        self._connected: Engine | None = None

    def _engine(self) -> Engine:
        if self._connected is None:
            self._connected = Engine()
        return self._connected

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
            self._setups.keep(engine, base, spec, tree.resolve())

    def open(self, spec: SandboxSpec, tree: Path) -> DockerSandbox:
        if not tree.is_dir():
            raise SandboxUnavailable(f"the work tree {tree} is no directory")
        tree = tree.resolve()
        engine = self._engine()
        base = engine.image(spec.image or DEFAULT_IMAGE)
        image = self._setups.kept(engine, base, spec, tree) if spec.setup_command else base
        names = {**environment(base.environment, SCRATCH), **checked(spec.environment)}
        user, marks = user_for(tree), labels(spec.run_id, identity(), own_container())
        options = sandbox_options(spec, runtime=self._runtime)
        placed = self._placing.place(engine, image.id, tree, user, marks)
        try:
            with engine_errors(SandboxUnavailable, "the sandbox's container cannot be made"):
                container = engine.create(image.id, {**options, "mounts": [placed.mount]}, marks)
        except BaseException:
            placed.close()
            raise
        sandbox = DockerSandbox(engine, container, user, names, placed.copies)
        try:
            with engine_errors(SandboxUnavailable, "the sandbox's container cannot be started"):
                container.start()
            sandbox.greet()
            if placed.copies is not None:
                placed.copies.attach(container)
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
            volumes = engine.leftover_volumes()
            for volume in volumes:
                engine.remove_volume(volume)
        return len(leftovers) + len(volumes)
