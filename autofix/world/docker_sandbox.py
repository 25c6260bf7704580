"""A sandbox in a container: a fresh shell a command, through a supervisor that never outlives its welcome.

The container's main process is root without capabilities and does nothing; commands run as the tree's owner
(`ownership`) and reach no network, no socket, no file of the machine but the tree or its copy
(`docker_walls`, `docker_copies`). A command's time is kept here, outside: at its end everything of the commands' user
is killed, and if even that cannot be started (a fork bomb leaves no room for it), the container is.
"""

import contextlib
import secrets
import time
from collections.abc import Callable

from autofix.errors import SandboxBroken
from autofix.ports.sandbox import TREE, CommandResult, ShellCommand
from autofix.world.capture import Beginning, Capture
from autofix.world.docker_copies import DockerCopies
from autofix.world.docker_engine import Container, Engine, engine_errors
from autofix.world.docker_stream import ExecStream, clean_argv
from autofix.world.docker_supervisor import SUPERVISOR, Reply, read_text, remove_text, request, script_text
from autofix.world.docker_walls import SCRATCH
from autofix.world.ownership import User
from autofix.world.process import NOT_STARTED
from autofix.world.pump import Deadline
from autofix.world.scratch import plain_parts
from autofix.world.shell import checked, not_run

_OWN_SECONDS = 30.0  # for what we ask the supervisor ourselves: a file's beginning, a first sign of life
_GREETING = 7  # an exit code no broken shell comes to by itself
_KILLED = 137  # what a shell reports for a command that SIGKILL ended
_KILL_SECONDS = 3.0  # for a killed command's stream to end, before the container is killed instead


class DockerSandbox:
    """`ports.sandbox.Sandbox` in a running container."""

    def __init__(
        self, engine: Engine, container: Container, user: User, names: dict[str, str], copies: DockerCopies | None
    ) -> None:
        self._engine = engine
        self._container = container
        self._user = user
        self._copies = copies
        self._supervisor = clean_argv(names, ["sh", "-c", SUPERVISOR])
        self._stream: ExecStream | None = None
        self._closed = False

    @property
    def root(self) -> str:
        return TREE

    @property
    def scratch(self) -> str:
        return SCRATCH

    def run(self, command: ShellCommand) -> CommandResult:
        if "\0" in command.script:
            return not_run(NOT_STARTED, "the command: embedded null byte")
        self._check_open()
        if self._copies is not None:
            self._copies.bring_in()
        result = self._run(command)
        if self._copies is not None:
            self._copies.bring_out()
        return result

    def _run(self, command: ShellCommand) -> CommandResult:
        capture = Capture(command.output_limit)
        text = script_text(command.script, checked(command.environment))
        began = time.monotonic()
        code, late = self._call(text, capture.feed, command.timeout)
        head, tail = capture.parts()
        return CommandResult(code, head, tail, capture.total, timed_out=late, seconds=time.monotonic() - began)

    def read(self, path: str, limit: int) -> bytes | None:
        parts = plain_parts(path)
        if not parts:
            return None
        data = Beginning(limit)
        code = self._ask(read_text(SCRATCH, parts, limit), data.feed)
        return bytes(data.kept) if code == 0 else None

    def remove(self, path: str) -> None:
        parts = plain_parts(path)
        if parts:
            self._ask(remove_text(SCRATCH, parts), lambda _: None)

    def greet(self) -> None:
        """The first call to a supervisor: what does not work shows here, before any command.

        Raises:
            SandboxBroken: there is none to talk to.
        """
        said = Beginning(1024)
        code, _ = self._try(f"exit {_GREETING}", said.feed, _OWN_SECONDS)
        if code != _GREETING:
            detail = bytes(said.kept).decode("utf-8", "replace").strip() or "no answer"
            raise SandboxBroken(f"no shell answers in the container ({detail}): its image must hold sh, env and head")

    def _ask(self, text: str, sink: Callable[[bytes], object]) -> int:
        code, late = self._call(text, sink, _OWN_SECONDS)
        if late:
            raise SandboxBroken(f"the sandbox did not answer within {_OWN_SECONDS:g} s")
        return code

    def _call(self, text: str, sink: Callable[[bytes], object], timeout: float) -> tuple[int, bool]:
        """Have the supervisor run `text`: its exit code, and whether its time ran out first."""
        code, late = self._try(text, sink, timeout)
        if code is None:
            self._replace_supervisor()
        return _KILLED if code is None else code, late

    def _try(self, text: str, sink: Callable[[bytes], object], timeout: float) -> tuple[int | None, bool]:
        """The same; without an exit code where the supervisor was ended before it could tell."""
        self._check_open()
        nonce = secrets.token_hex(16)
        reply = Reply(nonce, sink)
        stream = self._open_stream()
        try:
            code = _converse(stream, request(nonce, text), reply, Deadline.after(timeout))
        except TimeoutError:
            reply.finish()
            self._end_commands(stream)
            return None, True
        if code is None:
            reply.finish()
            self._drop_stream()
        return code, False

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxBroken("the sandbox is closed")

    def _open_stream(self) -> ExecStream:
        if self._stream is None:
            with engine_errors(SandboxBroken, "the sandbox's container does not take commands any more"):
                self._stream = ExecStream(
                    self._engine.client.api, self._container.id, self._supervisor, self._user, directory=TREE
                )
        return self._stream

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _replace_supervisor(self) -> None:
        """The supervisor is gone: the next one ends, as its first deed, what may be left of the command.

        Raises:
            SandboxBroken: it was the container that ended.
        """
        try:
            self.greet()
        except SandboxBroken:
            with engine_errors(SandboxBroken, "the sandbox's container is gone"):
                self._container.reload()
            if self._container.status != "running":
                raise
            self._restart()  # what is left kills each new supervisor before it can act
            self.greet()

    def _end_commands(self, stream: ExecStream) -> None:
        """From outside: kill all of the commands' user; if the stream does not end by it, the whole container."""
        api = self._engine.client.api
        try:
            with engine_errors(SandboxBroken, "the command cannot be ended"):
                user = f"{self._user.uid}:{self._user.gid}"
                killer = api.exec_create(self._container.id, ["sh", "-c", "kill -9 -1"], user=user)
                api.exec_start(killer["Id"], detach=True)
            _await_end(stream, Deadline.after(_KILL_SECONDS))
        except (SandboxBroken, TimeoutError):
            self._restart()
        finally:
            self._drop_stream()

    def _restart(self) -> None:
        from docker.errors import APIError

        with engine_errors(SandboxBroken, "the sandbox's container cannot be started again"):
            with contextlib.suppress(APIError):  # it is not running
                self._container.kill()
            self._engine.client.api.wait(self._container.id)
            self._container.start()

    def close(self) -> None:
        self._closed = True
        self._drop_stream()
        with engine_errors(SandboxBroken, "the sandbox's container cannot be removed"):
            self._engine.remove(self._container)
        if self._copies is not None:
            self._copies.close()


def _converse(stream: ExecStream, line: bytes, reply: Reply, deadline: Deadline) -> int | None:
    """Send a request and take its answer; None where the supervisor was gone before the end."""
    try:
        stream.send(line, deadline)
    except TimeoutError:
        raise
    except OSError:
        return None
    code = None
    while code is None and (data := stream.receive(deadline)) is not None:
        code = reply.feed(data)
    return code


def _await_end(stream: ExecStream, deadline: Deadline) -> None:
    while stream.receive(deadline) is not None:
        continue
