"""A whole run on a stage: a real checkout with a real remote, real pytest, and a scripted model over real HTTP.

    scene = Scene(tmp_path)
    scene.branch(wrong=("add",))
    played = scene.run([Turn([fix("add")])])
    assert played.outcome == "fixed"

The branch `feature` adds `shop/sums.py`, whose functions may be wrong, and `tests/test_sums.py`, which shows it. `run`
plays in this process, where doors can be swapped; `command_line` plays the real program.
"""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from autofix.cli.compose import compose
from autofix.cli.running import start
from autofix.cli.words import RunWords
from autofix.harness.call import Decision, Ruling, Verdict
from autofix.harness.hooks import AfterHooks, HookVerdict
from autofix.pipeline.order import World
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.journal import Event, read
from autofix.state.recorder import Watcher
from autofix.world.clock import SystemClock
from tests.fakes.anthropic_server import AnthropicServer, Script, Step, Turn, call, text
from tests.fakes.events_document import assert_documented
from tests.fakes.repositories import Repository, bare_remote, remote_head
from tests.fakes.result_schema import assert_a_result

KEY = "sk-ant-api03-scenario-key-0123456789"
CHECK = "python -m pytest -q"
PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
"""The interpreter that has pytest, then the system's programs."""
SETUP = (
    "pip install --quiet --root-user-action=ignore --disable-pip-version-check pytest"
    " && apt-get -qq update >/dev/null && apt-get -qq install -y --no-install-recommends git >/dev/null"
)
"""Setup of the Docker room: what a destructive command needs must be there. All scenarios share the one image."""
LONG = 100.0
"""Seconds until a program that hangs is a failed test."""

RIGHT = {"add": "return a + b", "double": "return n * 2", "half": "return n // 2"}
WRONG = {"add": "return a - b", "double": "return n + n + n", "half": "return n % 2"}
SIGNATURES = {"add": "a, b", "double": "n", "half": "n"}
ASSERTIONS = {"add": "add(2, 3) == 5", "double": "double(4) == 8", "half": "half(6) == 3"}

BASE_FILES = {
    "README.md": "# A shop\n",
    "shop/__init__.py": "",
    "shop/prices.py": "RATE = 2\n\n\ndef gross(net):\n    return net * RATE\n",
    "tests/test_prices.py": "from shop.prices import gross\n\n\ndef test_gross():\n    assert gross(3) == 6\n",
}
CONFIGURATION = {"flaky.reruns": 1, "sandbox.environment": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}}


def sums(*wrong: str) -> str:
    """`shop/sums.py`, these functions of it wrong."""
    bodies = {**RIGHT, **{name: WRONG[name] for name in wrong}}
    return "\n\n".join(f"def {name}({SIGNATURES[name]}):\n    {body}\n" for name, body in bodies.items())


def sums_tests() -> str:
    head = f"from shop.sums import {', '.join(RIGHT)}\n\n\n"
    return head + "\n\n".join(f"def test_{name}():\n    assert {said}\n" for name, said in ASSERTIONS.items())


def configuration(settings: Mapping[str, Any]) -> str:
    """`.github/autofix.toml` from dotted keys."""
    inline = {name: value for name, value in settings.items() if not _is_tables(value)}
    lines = [f"{name} = {_toml(value)}" for name, value in inline.items()]
    for name in settings.keys() - inline.keys():
        for table in settings[name]:
            lines += [f"[[{name}]]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    return json.dumps(value)


def fix(name: str) -> dict:
    """The honest edit of one wrong function."""
    return edit("shop/sums.py", WRONG[name], RIGHT[name])


def spoil(name: str) -> dict:
    return edit("shop/sums.py", RIGHT[name], WRONG[name])


def edit(path: str, old: str, new: str) -> dict:
    return call("Edit", file_path=path, old_string=old, new_string=new)


def bash(command: str, **more: Any) -> dict:
    return call("Bash", command=command, **more)


MEASURE = call("RunChecks")
DONE = text("The cause is mended.")


class HurriedClock(SystemClock):
    """A clock that waits for nobody: sleeping only moves it."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return super().monotonic() + self._ahead

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._ahead += seconds


@dataclass(frozen=True)
class Played:
    """What a run left."""

    result: dict[str, Any]
    directory: Path
    server: AnthropicServer

    @property
    def outcome(self) -> str:
        return str(self.result["outcome"])

    @property
    def reason(self) -> str:
        return str(self.result["reason"])

    @property
    def events(self) -> list[Event]:
        return list(read(self.directory / "journal.jsonl").events)

    def of_kind(self, kind: Kind) -> list[Mapping[str, Any]]:
        return [event.data for event in self.events if event.kind is kind]

    @property
    def requests(self) -> int:
        return len(self.server.raw_bodies)

    @property
    def told(self) -> list[str]:
        """Every tool result and word the model was sent, in order, without the first message."""
        return told(self.server)

    @property
    def comment(self) -> str:
        return (self.directory / "comment.md").read_text(encoding="utf-8")


def _assert_every_call_is_on_record(played: Played, served: list[str]) -> None:
    """G34, in every scenario: as many records as calls, each with its decision and what it was about."""
    records = played.of_kind(Kind.TOOL_CALLED)
    interrupted = played.outcome in {"cancelled", "error", "infrastructure", "awaiting_approval"}
    names = [record["tool"] for record in records]
    assert names == (served[: len(names)] if interrupted else served)
    for record in records:
        assert all(record[part] for part in ("decision", "layer", "rule", "hash", "opinions")), record


def told(server: AnthropicServer) -> list[str]:
    messages = server.bodies[-1]["messages"] if server.raw_bodies else []
    return [_words(block) for message in messages[1:] if message["role"] == "user" for block in _blocks(message)]


def _blocks(message: dict) -> list[dict]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _words(block: dict) -> str:
    if block["type"] == "text":
        return str(block["text"])
    content = block["content"]
    return content if isinstance(content, str) else "\n".join(one["text"] for one in content)


@dataclass(frozen=True)
class Ended:
    """What the program left."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def result(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)


@dataclass
class Scene:
    """One pull request on this machine."""

    directory: Path
    key: str = KEY
    check: str | None = CHECK
    configuration: dict[str, Any] = field(default_factory=lambda: dict(CONFIGURATION))
    servers: list[AnthropicServer] = field(default_factory=list)
    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    calls: dict[str, list[str]] = field(default_factory=dict)
    """Names of the tools each server asked for, by its URL."""
    environment: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=lambda: {"sandbox": "host", "mode": "bypass-permissions"})

    def __post_init__(self) -> None:
        self.state = self.directory / "state"
        self.home = self.directory / "home"
        self.home.mkdir(parents=True)
        self.user = Repository.create(self.directory / "checkout")
        self.remote = self.directory / "remote.git"

    def branch(
        self,
        wrong: Sequence[str] = ("add",),
        base: Mapping[str, str | bytes] | None = None,
        head: Mapping[str, str | bytes | None] | None = None,
    ) -> None:
        """Commit `main` and `feature`, publish both, and leave uncommitted work in the checkout."""
        toml = {".github/autofix.toml": configuration(self.configuration)}
        self.base = self.user.commit({**BASE_FILES, **toml, **(base or {})}, "Open the shop")
        self.user.branch("feature")
        feature = {"shop/sums.py": sums(*wrong), "tests/test_sums.py": sums_tests()}
        self.head = self.user.commit({**feature, **(head or {})}, "Add sums")
        bare_remote(self.user, self.remote)
        self.user.write({"README.md": "# A shop, being rewritten\n", "notes.txt": "not committed\n"})
        self.user.write({"staged.txt": "staged, not committed\n"})
        self.user.git("add", "staged.txt")

    def run(self, script: Script, **how: Any) -> Played:
        """Play a run in this process; `how` as for `play`."""
        server = self.serve(script)
        played = self.play(server, **how)
        _assert_every_call_is_on_record(played, self.calls[server.url])
        assert_documented(played.events)
        return played

    def play(
        self,
        server: AnthropicServer,
        *,
        doors: Callable[[World], World] = lambda world: world,
        watchers: Sequence[Watcher] = (),
        **words: Any,
    ) -> Played:
        """The same with a server that is there.

        Args:
            server: answers as the model.
            doors: what becomes of the doors of the world before the run begins.
            watchers: told of each event, besides those of the program.
            words: what else the command line says.
        """
        composed = compose(self.words(**words), Taken(self.environ(server), str(self.user.path)), lambda _text: None)
        ready = replace(composed, world=doors(replace(composed.world, clock=HurriedClock())))
        start(ready, list(watchers), lambda: None)
        result = json.loads((ready.directory.path / "result.json").read_text(encoding="utf-8"))
        return Played(result, ready.directory.path, server)

    def words(self, **words: Any) -> RunWords:
        given = {"checks": (CHECK,), "state_directory": self.state, **self.options, **words}
        if given["sandbox"] == "docker":
            given = {"setup_command": SETUP, **given}
        return RunWords(repository=self.user.path, **given)

    def environ(self, server: AnthropicServer | None) -> dict[str, str]:
        """What the caller's environment holds."""
        model = {"ANTHROPIC_API_KEY": self.key, "ANTHROPIC_BASE_URL": server.url} if server else {}
        return {"PATH": PATH, "HOME": str(self.home), "LANG": "C.UTF-8", **model, **self.environment}

    def serve(self, script: Script) -> AnthropicServer:
        """Start the model's API; it is stopped, and its violations are shown, at the end."""
        served: list[str] = []
        steps = iter(()) if callable(script) else iter(script)

        def play(body: dict) -> Step:
            step = script(body) if callable(script) else next(steps)
            if isinstance(step, Turn) and {step.cut_after, step.end_after, step.error_after, step.garbage_after} == {
                None
            }:
                served.extend(block["name"] for block in step.blocks if block["type"] == "tool_use")
            return step

        server = AnthropicServer(play, key=self.key)
        server.__enter__()
        self.servers.append(server)
        self.calls[server.url] = served
        return server

    def close(self) -> None:
        for process in self.processes:
            end(process)
        for server in self.servers:
            server.__exit__()
        broken = [violation for server in self.servers for violation in server.violations]
        assert not broken, "\n".join(broken)
        for file in self.state.glob("runs/*/result.json"):
            assert_a_result(json.loads(file.read_text(encoding="utf-8")))

    def command_line(self, server: AnthropicServer | None, *options: str, **more: Any) -> Ended:
        """Play a run by the real program, to its end."""
        process = self.started(server, *options, **more)
        try:
            out, err = process.communicate(timeout=LONG)
        finally:
            end(process)
        return Ended(process.returncode, out, err)

    def started(
        self,
        server: AnthropicServer | None,
        *options: str,
        cwd: Path | None = None,
        program: Sequence[str] = (sys.executable, "-P", "-m", "autofix"),
    ) -> subprocess.Popen[str]:
        """The same, while it runs."""
        given = [f"--{name.replace('_', '-')}={value}" for name, value in self.options.items()]
        given += [f"--setup-command={SETUP}"] if self.options.get("sandbox") == "docker" else []
        given += [f"--check={self.check}"] if self.check else []
        usual = [f"--repo={self.user.path}", f"--state-dir={self.state}", "--output-format=json"]
        process = subprocess.Popen(
            [*program, "run", *usual, *given, *options],
            cwd=cwd or self.directory,
            env=self.environ(server),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    @property
    def runs(self) -> list[Path]:
        return sorted((self.state / "runs").glob("*"))

    def pushed(self) -> str:
        """Where the remote's `feature` is."""
        return remote_head(self.remote, "feature")

    def pushed_files(self) -> dict[str, str]:
        """What the pushed commit changes against the head: path -> its new text."""
        commit = self.pushed()
        names = self._in_remote("diff", "--name-only", "-z", self.head, commit).split("\0")
        return {name: self._in_remote("show", f"{commit}:{name}") for name in names if name}

    def refs(self) -> str:
        return self._in_remote("for-each-ref", "--format=%(refname) %(objectname)")

    def move_the_branch(self) -> str:
        """Somebody pushes to the branch: the remote's new head."""
        other = Repository(self.directory / "colleague")
        self.user.git("clone", "-q", "--branch", "feature", str(self.remote), str(other.path))
        commit = other.commit({"CHANGES.md": "More.\n"}, "Somebody else's work")
        other.git("push", "-q", "origin", "feature")
        return commit

    def _in_remote(self, *arguments: str) -> str:
        return Repository(self.remote).git(*arguments)


def allow_everything(*_: object) -> Ruling:
    """In the place of `harness.gate.decide`."""
    opinion = Verdict(Decision.ALLOW, "gate", "forced", "forced to allow by a test")
    return Ruling(opinion, (opinion,))


class ConsentingHooks:
    """In the place of `harness.hooks.Hooks`: no hook is asked, so none objects."""

    guard_the_end = False

    def before(self, *_: object, **__: object) -> tuple[HookVerdict, ...]:
        return ()

    def after(self, *_: object, **__: object) -> AfterHooks:
        return AfterHooks()


def hooks_allow(world: World) -> World:
    return replace(world, hooks=ConsentingHooks())


def end(process: subprocess.Popen[str]) -> None:
    """Whatever happened, the program and its group are gone."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()


def picture(directory: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below a directory, byte for byte: kind, mode, owner, time of change, content."""
    return {str(path.relative_to(directory)): _state(path) for path in _below(directory)}


def _below(directory: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(directory):
        for name in (*folders, *files):
            yield Path(folder) / name


def _state(path: Path) -> tuple[Any, ...]:
    found = path.lstat()
    content = path.read_bytes() if stat.S_ISREG(found.st_mode) else b""
    target = str(path.readlink()) if stat.S_ISLNK(found.st_mode) else ""
    return found.st_mode, found.st_uid, found.st_mtime_ns, content, target
