"""Security goals over a whole run of the action: no canary leaves by any exit (G5, G7, G8), no fault pushes (G35)."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME
from autofix.ports.model import JsonObject
from autofix.state.events import Kind
from autofix.state.journal import Event, Journal
from tests.contract.rooms_here import room_or_skip
from tests.fakes.anthropic_server import AnthropicServer, Turn, call, text
from tests.fakes.repositories import git
from tests.scenarios.action.stage import TOKEN, Ended, Stage
from tests.scenarios.canaries import canaries, files_below, leaks
from tests.scenarios.scene import DONE, LONG, MEASURE, bash, end, fix
from tests.scenarios.test_secrets_stay_inside import PROBE

FIX = [Turn([fix("add")]), Turn([DONE])]


def planted() -> dict[str, str]:
    """Canaries under the names the runner gives them."""
    values = canaries()
    return {
        "INPUT_ANTHROPIC-API-KEY": values["ANTHROPIC_API_KEY"],
        "INPUT_TOKEN": values["GITHUB_TOKEN"],
        "GITHUB_TOKEN": values["INPUT_TOKEN"],
        "ACTIONS_RUNTIME_TOKEN": values["ACTIONS_RUNTIME_TOKEN"],
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": values["INPUT_API-KEY"],
    }


@dataclass
class Eyes:
    """On a process and its descendants: what their environments and argument lists hold, and who talks to `server`.

    A git that talks to the server, and what such a git starts, has the token in its environment and nowhere else.
    """

    pid: int
    server: str
    environments: set[bytes] = field(default_factory=set)
    talking: set[bytes] = field(default_factory=set)
    arguments: set[bytes] = field(default_factory=set)
    looks: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        self._take(self.pid, talks=False)
        self.looks += 1

    def keep_looking(self, asked: Path, answered: Path) -> None:
        """Until stopped; who makes `asked` waits for `answered`."""

        def watch() -> None:
            while not self._over.wait(0.02):
                waits = asked.exists() and not answered.exists()
                self.look()
                if waits:
                    answered.touch()

        threading.Thread(target=watch, daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _take(self, pid: int, *, talks: bool) -> None:
        """The arguments before and after the environment: a process that changed its image in between is no witness."""
        place = Path(f"/proc/{pid}")
        before, environment, after = (_content(place / name) for name in ("cmdline", "environ", "cmdline"))
        self.arguments |= {before, after}
        talks = talks or (b"git" in before.split(b"\0")[0] and self.server.encode() in before)
        if before == after:
            (self.talking if talks else self.environments).add(environment)
        for child in _children(pid):
            self._take(child, talks=talks)


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, _content(task).split())


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended
        return b""


def waiting_hook(stage: Stage, asked: Path, answered: Path) -> None:
    """The server keeps each push waiting until it was looked at, and keeps every argument list it can see."""
    hook = stage.repo.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\ncat /proc/[0-9]*/cmdline > '{asked}' 2>/dev/null\n"
        f"for _ in $(seq 600); do [ -e '{answered}' ] && break; sleep 0.1; done\nexit 0\n"
    )
    hook.chmod(0o755)


def probing(stage: Stage, eyes: list[Eyes], probes: list[bytes]) -> object:
    """A model that does what a hijacked one would try, and then the job."""

    def model(body: dict) -> Turn:
        eyes[0].look()
        (run,) = (stage.temp / "autofix" / "runs").iterdir()
        probes.append((run / "trees/attempt-1/probe.txt").read_bytes())
        if len(body["messages"]) == 1:
            tries = [call("Read", file_path="/proc/self/environ"), call("Grep", pattern="sk-ant", path="/proc/self")]
            return Turn([*tries, bash("env"), bash("cat /proc/*/environ"), MEASURE])
        return Turn([fix("add")]) if len(body["messages"]) == 3 else Turn([DONE])

    return model


@pytest.mark.bubblewrap
@pytest.mark.parametrize("part", ["all", "fix"])
def test_no_canary_leaves_by_any_exit_of_the_action(stage: Stage, part: str):
    """In one job, and in the first of two, whose bundle goes through an artifact that others can read."""
    room_or_skip("bubblewrap")
    values = planted()
    state = stage.github.state
    state.tokens[values["INPUT_TOKEN"]] = state.tokens.pop(TOKEN)
    stage.inputs |= {"sandbox": "bubblewrap", "mode": ""}
    del stage.inputs["anthropic-api-key"], stage.inputs["token"]
    stage.environment |= values
    stage.pull(head={"tests/test_probe.py": PROBE})
    asked, answered = stage.directory / "asked", stage.directory / "answered"
    waiting_hook(stage, asked, answered)
    eyes: list[Eyes] = []
    probes: list[bytes] = []
    with AnthropicServer(probing(stage, eyes, probes), key=values["INPUT_ANTHROPIC-API-KEY"]) as server:
        stage.servers.append(server)
        environ = stage.environ(server, "workflow_run", stage.failure(), {"stage": part})
        action = [sys.executable, "-P", "-m", "autofix", "action"]
        process = subprocess.Popen(
            action, env=environ, cwd=stage.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        eyes.append(Eyes(process.pid, stage.github.git.url))
        try:
            while not server.raw_bodies and process.poll() is None:
                threading.Event().wait(0.05)
            eyes[0].keep_looking(asked, answered)
            out, err = process.communicate(timeout=LONG)
        finally:
            eyes[0].stop()
            end(process)
    ended = stage.ended(process.returncode, out)
    assert ended.outcome == "fixed", out + err
    assert ended.outputs["pushed"] == str(part == "all").lower()
    assert bool(ended.outputs["bundle"]) == (part == "fix")
    for name, value in values.items():
        shown = exits(stage, ended, err, probes)
        shown["the log"] = masked(out, value)
        shown |= {f"arguments {number}": text for number, text in enumerate(eyes[0].arguments)}
        shown |= {f"environment {number}": text for number, text in enumerate(eyes[0].environments)}
        if name != "INPUT_TOKEN":
            shown |= {f"environment beside the server {at}": text for at, text in enumerate(eyes[0].talking)}
        for where, content in shown.items():
            assert not leaks(content, value), f"{name} in {where}"
    assert eyes[0].looks >= 5
    assert len(probes[0]) > 1000, "the probe saw something"
    if part == "all":
        assert any(leaks(text, values["INPUT_TOKEN"]) for text in eyes[0].talking), "the push was looked at"
        assert asked.stat().st_size > 1000


def masked(log: str, value: str) -> bytes:
    """The log as the runner shows it: the line that makes it mask the value is never shown itself."""
    line = f"::add-mask::{value}\n"
    assert line in log
    return log.replace(line, "").encode()


def exits(stage: Stage, ended: Ended, err: str, probes: list[bytes]) -> dict[str, bytes]:
    """Everything that somebody else could read afterwards, but for the log."""
    state = stage.github.state
    asked = stage.directory / "asked"
    said = [f"{one.method} {one.path} {one.query} {one.body!r}" for one in stage.github.requests]
    return {
        "stderr": err.encode(),
        "the outputs": repr(ended.outputs).encode(),
        "the summary": ended.summary.encode(),
        "comments": repr(state.comments).encode(),
        "reviews": repr(state.reviews).encode(),
        "checks": repr(state.check_runs).encode(),
        "requests to GitHub": "\n".join(said).encode(),
        "requests to git": repr(stage.github.git.requests).encode(),
        "all commits": git(stage.repo.path, "log", "-p", "--all", "--format=raw"),
        "the server's refs and configuration": b"".join(
            (stage.repo.path / name).read_bytes() for name in ("config", "HEAD")
        ),
        "arguments the server saw": asked.read_bytes() if asked.exists() else b"",
        **{f"request {at} to the model": body for at, body in enumerate(stage.servers[0].raw_bodies)},
        **{f"inside the sandbox {at}": probe for at, probe in enumerate(probes)},
        **{str(path): content for path, content in files_below(stage.temp)},
    }


BEFORE_THE_PUSH = (
    Kind.STAGE, Kind.CHECK_RAN, Kind.BASELINE, Kind.PLAN, Kind.MODEL_CALLED, Kind.MODEL_REPLIED, Kind.TOOL_CALLED,
    Kind.TOOL_ENDED, Kind.PROGRESS, Kind.VERIFICATION_STARTED, Kind.VERIFIED, Kind.DELIVERY_STARTED,
)  # fmt: skip


@pytest.mark.parametrize("kind", BEFORE_THE_PUSH, ids=str)
def test_an_exception_at_any_of_twelve_points_of_the_action_means_no_push(stage: Stage, kind: Kind, monkeypatch):
    """The exception comes out of the journal, which every point of a run passes."""
    append = Journal.append

    def failing(journal: Journal, event: Kind, data: JsonObject, *, plan: int) -> Event:
        written = append(journal, event, data, plan=plan)
        if event is kind:
            raise OSError(f"thrown at {kind}")
        return written

    stage.pull(base={".github/autofix.toml": "flaky.reruns = 0\n"})
    monkeypatch.setattr(Journal, "append", failing)
    ended = stage.act([Turn([fix("add"), MEASURE]), Turn([DONE])])
    assert (ended.outcome, ended.exit_code, ended.outputs["pushed"]) == ("error", 1, "false"), ended.log
    assert f"thrown at {kind}" in ended.reason
    assert "autofix failed" in stage.own_comment
    assert (stage.at(), stage.pushes()) == (stage.head, 0)


@pytest.mark.parametrize("moment", ["before the push", "after the push"])
def test_a_kill_around_the_push_is_no_second_push(stage: Stage, moment: str):
    """The process is gone; what the branch holds is the head, or exactly the verified fix."""
    stage.pull()
    kind = Kind.DELIVERY_STARTED if moment == "before the push" else Kind.DELIVERED
    child = os.fork()
    if not child:
        try:
            append = Journal.append

            def dying(journal: Journal, event: Kind, data: JsonObject, *, plan: int) -> Event:
                if event is kind:
                    os.kill(os.getpid(), 9)
                return append(journal, event, data, plan=plan)

            Journal.append = dying  # type: ignore[method-assign] - in this process, which ends
            stage.act(FIX)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == 9
    pushed = stage.at()
    again = stage.act(FIX if pushed == stage.head else [])
    if moment == "before the push":
        assert pushed == stage.head
    else:
        assert stage.parent(str(pushed)) == stage.head
        assert (again.outcome, stage.at()) == ("superseded", pushed), again.log


WORDS = (
    "[skip ci]", "[ci skip]", "***NO_CI***", "skip-checks: true", "Co-authored-by: Eve <eve@example.org>",
    "Signed-off-by: Eve <eve@example.org>", "Autofix-Run: r9", "Autofix-Spent: runs=0 usd=0.00", "Closes #1", "fixes acme/widgets#1",
    "@everyone", "@acme/owners", "#1", "https://evil.example/x", "\u202egnp", "\x1b[2J", "$(id)", "`id`", "-m", "--amend",
)  # fmt: skip


def test_no_word_of_the_pull_request_reaches_the_commits_text(stage: Stage):
    """G23: said in the title, the description, a test's name and the model's last words."""
    tests = (
        "import pytest\n\nfrom shop.words import OK\n\n\n"
        f"@pytest.mark.parametrize('word', {WORDS!r})\ndef test_word(word):\n    assert OK, word\n"
    )
    said = "\n".join(WORDS)
    stage.pull(
        base={".github/autofix.toml": "flaky.reruns = 0\n"},
        head={"shop/words.py": "OK = False\n", "tests/test_words.py": tests},
        title=" ".join(WORDS),
        body=said,
    )
    fixes = [call("Write", file_path="shop/words.py", content="OK = True\n"), fix("add")]
    ended = stage.act([Turn([call("Read", file_path="shop/words.py"), *fixes]), Turn([text(said)])])
    assert ended.outcome == "fixed", ended.log
    message = stage.message(str(stage.at()))
    assert message.splitlines()[0] == f"Fix {len(WORDS) + 1} failing tests"
    own = [line for line in message.splitlines() if not line.startswith(("Autofix-Run: 2", "Autofix-Spent: runs=1 "))]
    assert not [word for word in WORDS if word in "\n".join(own)]
    assert message.count("Autofix-Run:") == message.count("Autofix-Spent:") == 1
    author = git(stage.repo.path, "log", "-1", "--format=%an <%ae>", str(stage.at())).decode().strip()
    assert author == f"{AUTHOR_NAME} <{AUTHOR_EMAIL}>"
