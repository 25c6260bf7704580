"""SIGTERM and SIGINT to the real program, whatever it is doing: an outcome, an exit code, and nothing left behind."""

import contextlib
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autofix.state.journal import read
from tests.contract.rooms_here import room_or_skip
from tests.fakes.anthropic_server import Failure, Turn
from tests.scenarios.scene import DONE, LONG, Scene, bash, end, fix

ROOMS = [
    "host",
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
]
SIGNALS = pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=["SIGTERM", "SIGINT", "SIGHUP"]
)
GRACE = 10.0
"""Seconds a cancelled job has on a runner (7.5 after SIGINT, then 2.5 after SIGTERM)."""


def wait_for(condition: Callable[[], object], seconds: float = LONG) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def wait_for_nap(process: subprocess.Popen[str], nap: str) -> None:
    """Until the command runs; a program that ends before has something to say."""
    assert wait_for(lambda: process.poll() is not None or running(*nap.split()))
    assert process.poll() is None, process.communicate()


def running(*words: str) -> list[int]:
    """Processes of this machine, containers' included, with exactly this command line."""
    wanted = b"\0".join(word.encode() for word in words) + b"\0"
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if _content(path) == wanted]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has just ended
        return b""


def labelled(run_id: str) -> list[str]:
    found = subprocess.run(
        ["docker", "ps", "-aq", "--filter", f"label=autofix.run={run_id}"], capture_output=True, text=True, check=True
    )
    return found.stdout.split()


def assert_cancelled(scene: Scene, process, number: int, nap: str = "") -> None:
    """The program ended in time, said so everywhere, and left neither process nor container nor tree."""
    try:
        out, err = process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        pytest.fail(f"it did not end within {GRACE:g} s")
    finally:
        end(process)
    name = signal.Signals(number).name
    assert process.returncode == 12, err
    (directory,) = scene.runs
    result = (directory / "result.json").read_text()
    assert out == result
    assert '"outcome": "cancelled"' in result
    assert f"stopped by {name}" in result
    ended = read(directory / "journal.jsonl").events[-1]
    assert (ended.kind.value, ended.data["outcome"], ended.data["phase"]) == ("run_ended", "cancelled", "cancelled")
    assert "outcome <code>cancelled</code>" in (directory / "comment.md").read_text()
    assert not (directory / "trees").exists()
    assert not (directory / "repo.git").exists()
    assert running(*nap.split()) == []
    assert list((scene.directory / "tmp").glob("autofix-*")) == []
    assert scene.pushed() == scene.head


@pytest.fixture
def nap() -> str:
    """A command that nobody else runs, so that its process can be looked for."""
    return f"sleep 3217.{secrets.randbelow(10**9)}"


@pytest.fixture
def stage(scene: Scene) -> Scene:
    """Temporary files of the program in a place of their own, so that what is left can be seen."""
    (scene.directory / "tmp").mkdir()
    scene.environment["TMPDIR"] = str(scene.directory / "tmp")
    return scene


@SIGNALS
@pytest.mark.parametrize("room", ROOMS)
def test_cancelled_during_a_command_ends_the_command_too(stage: Scene, room: str, number: int, nap: str):
    room_or_skip(room)
    stage.options["sandbox"] = room
    stage.branch()
    process = stage.started(stage.serve([Turn([bash(nap)])]))

    wait_for_nap(process, nap)
    process.send_signal(number)

    assert_cancelled(stage, process, number, nap)
    if room == "docker":
        assert labelled(stage.runs[0].name) == []


def cancel_like_a_runner(process: subprocess.Popen[str]) -> None:
    """SIGINT, 7.5 s later SIGTERM: what GitHub's runner sends, unless the program has ended before."""
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(7.5)
        return
    process.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("room", ROOMS)
def test_cancelled_during_the_setup_command(stage: Scene, room: str, nap: str):
    room_or_skip(room)
    stage.options["sandbox"] = room
    stage.branch()
    process = stage.started(stage.serve([]), f"--setup-command={nap}")

    wait_for_nap(process, nap)
    cancel_like_a_runner(process)

    assert_cancelled(stage, process, signal.SIGINT, nap)
    if room == "docker":
        assert labelled(stage.runs[0].name) == []


@pytest.mark.parametrize("room", ROOMS)
def test_cancelled_during_a_command_by_a_runner(stage: Scene, room: str, nap: str):
    """A command that takes no notice of signals is ended with its sandbox."""
    room_or_skip(room)
    stage.options["sandbox"] = room
    stage.branch()
    process = stage.started(stage.serve([Turn([bash(f"trap '' INT TERM HUP; {nap}; {nap}")])]))

    wait_for_nap(process, nap)
    cancel_like_a_runner(process)

    assert_cancelled(stage, process, signal.SIGINT, nap)
    if room == "docker":
        assert labelled(stage.runs[0].name) == []


def test_cancelled_during_delivery_pushes_nothing_and_keeps_the_verified_patch(stage: Scene, nap: str):
    stage.branch()
    hook = stage.remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{nap}\n")
    hook.chmod(0o755)
    process = stage.started(stage.serve([Turn([fix("add")]), Turn([DONE])]))

    wait_for_nap(process, nap)
    cancel_like_a_runner(process)

    assert_cancelled(stage, process, signal.SIGINT, nap)
    assert "return a + b" in (stage.runs[0] / "fix.patch").read_text()


@SIGNALS
def test_cancelled_during_a_model_call(stage: Scene, number: int):
    stage.branch()
    asked = threading.Event()

    def model(_body: dict) -> Turn:
        asked.set()
        return Turn([DONE], delay=LONG)

    process = stage.started(stage.serve(model))
    assert asked.wait(LONG)
    process.send_signal(number)

    assert_cancelled(stage, process, number)


def test_cancelled_while_an_answer_streams(stage: Scene):
    stage.branch()
    asked = threading.Event()

    def model(_body: dict) -> Turn:
        asked.set()
        return Turn([DONE], piece=1, pause=1.0)

    process = stage.started(stage.serve(model))
    assert asked.wait(LONG)
    process.send_signal(signal.SIGTERM)

    assert_cancelled(stage, process, signal.SIGTERM)


def test_cancelled_while_waiting_to_ask_an_overloaded_service_again(stage: Scene):
    stage.branch()
    process = stage.started(stage.serve([Failure(529, headers={"retry-after": "50"})]))

    assert wait_for(lambda: any(b"model_retried" in _content(path / "journal.jsonl") for path in stage.runs))
    process.send_signal(signal.SIGTERM)

    assert_cancelled(stage, process, signal.SIGTERM)


def test_cancelled_during_the_baseline(stage: Scene, nap: str):
    stage.branch(head={"tests/test_slow.py": f"import os\n\n\ndef test_slow():\n    os.system({nap!r})\n"})
    process = stage.started(stage.serve([]))

    wait_for_nap(process, nap)
    process.send_signal(signal.SIGTERM)

    assert_cancelled(stage, process, signal.SIGTERM)


def test_a_second_signal_does_not_keep_the_outcome_from_being_written(stage: Scene, nap: str):
    """A runner sends SIGINT, then SIGTERM."""
    stage.branch()
    process = stage.started(stage.serve([Turn([bash(nap)])]))
    wait_for_nap(process, nap)

    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)

    assert_cancelled(stage, process, signal.SIGINT, nap)


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_killed_run_left_is_removed_by_the_next(stage: Scene, room: str, nap: str):
    """kill -9 leaves no chance to clean up: the next run does."""
    room_or_skip(room)
    stage.options["sandbox"] = room
    stage.branch()
    process = stage.started(stage.serve([Turn([bash(nap)])]))
    wait_for_nap(process, nap)
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    killed = stage.runs[0].name
    assert stage.pushed() == stage.head

    ended = stage.command_line(stage.serve([Turn([fix("add"), DONE]), Turn([DONE])]))

    assert ended.exit_code == 0, ended.stderr
    assert wait_for(lambda: not running(*nap.split()), GRACE)
    assert list((stage.directory / "tmp").glob("autofix-*")) == []
    if room == "docker":
        assert labelled(killed) == []
