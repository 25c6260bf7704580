"""Running the setup command once, with network, and keeping its file system as a local image.

The image is found again by a key over what it was made from: the base image, the command, and the content of the files
the setup depends on. Where the command left something in its tree, which no image holds, it runs again. No secret
enters the container; it is removed whatever happens.
"""

import hashlib
import os
from contextlib import ExitStack
from pathlib import Path

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import TREE, CommandResult, SandboxSpec
from autofix.world.capture import Capture
from autofix.world.docker_engine import Container, Engine, Image, engine_errors
from autofix.world.docker_placing import Placing
from autofix.world.docker_stream import ExecStream, clean_argv
from autofix.world.docker_walls import environment, labels, setup_options
from autofix.world.own_container import own_container
from autofix.world.owner import identity
from autofix.world.ownership import User, user_for
from autofix.world.pump import Deadline
from autofix.world.scratch import read_beneath
from autofix.world.shell import checked, setup_failure

REPOSITORY = "autofix-setup"
LEAVES_LABEL = "autofix.leaves-files"
"""On an image whose setup also left files in its tree."""
_ROOT = User(0, 0)
_ROOT_HOME = "/root"
_OUTPUT_BYTES = 256 * 1024  # of a failed setup; its last lines are shown
_FILE_BYTES = 64 * 1024 * 1024  # of a setup file; a lock file rarely passes one MiB
# The command, then the tree back to its owner whatever came of it.
_SCRIPT = 'sh -c "$1" </dev/null 2>&1; code=$?; chown -hR "$2" . ; exit $code'


class Setups:
    """The setup images of one room; once one is in use, later changes of the setup files do not change it."""

    def __init__(self, placing: Placing, *, network: str, runtime: str | None) -> None:
        self._placing = placing
        self._network = network
        self._runtime = runtime
        self._in_use: dict[tuple[str, str, str, tuple[str, ...]], Image] = {}

    def keep(self, engine: Engine, base: Image, spec: SandboxSpec, tree: Path) -> None:
        """Make the image unless it is here.

        Raises:
            SandboxUnavailable: the engine cannot run it.
            SandboxBroken: the setup command failed.
        """
        name = f"{REPOSITORY}:{key(base.id, spec, tree)}"
        with engine_errors(SandboxUnavailable, "the engine does not answer"):
            image = engine.local_image(name)
        if image is None or LEAVES_LABEL in image.labels:
            image = self._make(engine, base, spec, tree=tree, name=name)
        self._in_use[_identity(base, spec)] = image

    def kept(self, engine: Engine, base: Image, spec: SandboxSpec, tree: Path) -> Image:
        """The image that `keep` left.

        Raises:
            SandboxUnavailable: it was not called, and no earlier run left one for this tree.
        """
        image = self._in_use.get(_identity(base, spec))
        if image is None:
            with engine_errors(SandboxUnavailable, "the engine does not answer"):
                image = engine.local_image(f"{REPOSITORY}:{key(base.id, spec, tree)}")
        if image is None:
            raise SandboxUnavailable("the setup command has not run for this tree: prepare the room first")
        return image

    def _make(self, engine: Engine, base: Image, spec: SandboxSpec, *, tree: Path, name: str) -> Image:
        before = _names(tree)
        owner, marks = user_for(tree), labels(spec.run_id, identity(), own_container())
        options = setup_options(network=self._network, runtime=self._runtime)
        placed = self._placing.place(engine, base.id, tree, owner, marks)
        with ExitStack() as stack:
            stack.callback(placed.close)
            with engine_errors(SandboxUnavailable, "the setup's container cannot be started"):
                container = engine.create(base.id, {**options, "mounts": [placed.mount]}, marks)
                stack.callback(_remove, engine, container)
                container.start()
            if placed.copies is not None:
                placed.copies.attach(container)
            with engine_errors(SandboxBroken, "the engine failed under the setup command"):
                failure = setup_failure(_run(engine, container, base, spec, owner), spec)
            if failure is not None:
                raise failure
            if placed.copies is not None:
                placed.copies.bring_out()
            with engine_errors(SandboxBroken, "the setup's file system cannot be kept"):
                return engine.commit(container, name, {LEAVES_LABEL: "yes"} if _names(tree) - before else {})


def _remove(engine: Engine, container: Container) -> None:
    with engine_errors(SandboxBroken, "the setup's container cannot be removed"):
        engine.remove(container)


def _run(engine: Engine, container: Container, base: Image, spec: SandboxSpec, owner: User) -> CommandResult:
    names = {**environment(base.environment, _ROOT_HOME), "TMPDIR": "/tmp", **checked(spec.environment)}  # noqa: S108
    argv = clean_argv(names, ["sh", "-c", _SCRIPT, "sh", spec.setup_command, f"{owner.uid}:{owner.gid}"])
    stream = ExecStream(engine.client.api, container.id, argv, _ROOT, directory=TREE, stdin=False)
    capture = Capture(_OUTPUT_BYTES)
    deadline = Deadline.after(spec.setup_timeout)
    late = False
    try:
        while (data := stream.receive(deadline)) is not None:
            capture.feed(data)
    except TimeoutError:
        late = True
    finally:
        stream.close()
    head, tail = capture.parts()
    code = None if late else stream.exit_code()
    return CommandResult(1 if code is None else code, head, tail, capture.total, timed_out=late, seconds=0.0)


def key(base: str, spec: SandboxSpec, tree: Path) -> str:
    """What a setup's outcome depends on, as one hash."""
    digest = hashlib.sha256()
    told = (base.encode(), spec.setup_command.encode(), spec.setup_depends_on.encode())
    for part in (*told, *_contents(spec, tree)):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _names(tree: Path) -> set[str]:
    """Every path below the tree, links not followed."""
    return {os.path.join(place, name) for place, inside, names in os.walk(tree) for name in (*inside, *names)}  # noqa: PTH118 - by the hundred thousand


def _contents(spec: SandboxSpec, tree: Path) -> list[bytes]:
    parts: list[bytes] = []
    for name in sorted(spec.setup_files):
        data = read_beneath(tree, name, _FILE_BYTES)
        parts += [name.encode(), b"absent" if data is None else b"=" + data]
    return parts


def _identity(base: Image, spec: SandboxSpec) -> tuple[str, str, str, tuple[str, ...]]:
    return base.id, spec.setup_command, spec.setup_depends_on, spec.setup_files
