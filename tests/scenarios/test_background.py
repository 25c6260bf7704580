"""A run asked about, watched and ended from another process: while it goes on, when it has ended, when it was killed."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autofix.world.owner import alive
from autofix.world.run_directory import RunDirectory
from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.scenarios.scene import CHECK, DONE, KEY, LONG, MEASURE, Ended, Scene, bash, fix
from tests.scenarios.test_cancelled import running, wait_for

HONEST = [Turn([fix("add"), MEASURE]), Turn([DONE])]


@pytest.fixture
def stage(scene: Scene) -> Iterator[Scene]:
    scene.branch()
    yield scene
    for directory in RunDirectory.all(scene.state):
        kill(directory)


@pytest.fixture
def nap() -> Iterator[str]:
    """A command of this test alone: the host's room cannot end it with a run that is killed."""
    command = f"sleep 300.{secrets.randbelow(10**9):09}"
    yield command
    for process in running(*command.split()):
        os.kill(process, signal.SIGKILL)


def kill(directory: RunDirectory) -> None:
    """As a machine that goes down does it: the run's whole session, unless it has ended."""
    if directory.owner and alive(directory.owner):
        os.killpg(int(directory.owner.split(".")[2]), signal.SIGKILL)
        assert wait_for(lambda: not alive(directory.owner))


def program(stage: Scene, command: str, *arguments: str, server: AnthropicServer | None = None) -> Ended:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "autofix", command, *arguments, f"--state-dir={stage.state}"],
        cwd=stage.directory,
        env=stage.environ(server),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def detach(stage: Scene, server: AnthropicServer, *more: str) -> RunDirectory:
    options = [f"--repo={stage.user.path}", f"--check={CHECK}", "--sandbox=host", "--mode=bypass-permissions", *more]
    done = program(stage, "run", "--detach", *options, server=server)
    assert done.exit_code == 0, done.stderr
    (name,) = done.stdout.split()
    return RunDirectory.find(stage.state, name)


def napping(stage: Scene, nap: str) -> RunDirectory:
    """A detached run in the middle of a command."""
    directory = detach(stage, stage.serve([Turn([bash(nap)]), Turn([DONE])]))
    assert wait_for(lambda: running(*nap.split())), (directory.path / "run.log").read_text()
    return directory


def test_a_detached_run_goes_on_alone_and_every_command_knows_how_it_ended(stage: Scene):
    directory = detach(stage, stage.serve(HONEST))
    name = directory.path.name

    watched = program(stage, "watch", "last")
    assert watched.exit_code == 0, watched.stderr
    shown = (directory.path / "run.log").read_text()
    assert watched.stderr.strip() in shown, "watching shows what the run itself showed"
    assert "── fixed" in watched.stderr
    assert stage.pushed() != stage.head

    assert program(stage, "status", name[:-2]).stdout.startswith(f"{name}  ended: fixed\n")
    assert program(stage, "list").stdout == f"{name}  ended: fixed\n"
    assert program(stage, "cancel", name).stdout == f"{name}  ended: fixed\n"
    told = program(stage, "result", name, "--json")
    assert told.stdout == (directory.path / "result.json").read_text()
    assert program(stage, "result", name).stdout.startswith("fixed: ")
    again = program(stage, "watch", name)
    assert (again.exit_code, again.stderr) == (0, watched.stderr)


def test_a_detached_run_holds_no_secret_in_its_command_line_or_environment_or_log(stage: Scene, nap: str):
    directory = napping(stage, nap)
    process = Path("/proc") / directory.owner.split(".")[2]
    for file in ("cmdline", "environ"):
        assert KEY.encode() not in (process / file).read_bytes()
    assert int((process / "stat").read_text().split()[5]) == int(process.name), "a session of its own"
    assert KEY not in (directory.path / "run.log").read_text()


def test_a_run_that_goes_on_is_seen_cancelled_and_its_outcome_waited_for(stage: Scene, nap: str):
    directory = napping(stage, nap)
    name = directory.path.name
    told = json.loads(program(stage, "status", "last", "--json").stdout)
    assert (told["life"], told["phase"], told["tool_calls"]) == ("running", "waiting_for_tool", 1)
    assert program(stage, "result", "last").exit_code == 2

    cleaned = program(stage, "clean", "--older-than=0")
    assert cleaned.stdout == ""
    assert (directory.path / "repo.git").is_dir(), "a run that goes on is never touched"

    assert program(stage, "cancel", "last").stdout == f"{name}  ended: cancelled\n"
    assert not running(*nap.split())
    assert program(stage, "watch", "last").exit_code == 12
    assert program(stage, "result", "last").exit_code == 12


def test_a_killed_run_is_dead_for_every_command_and_says_what_can_be_done(stage: Scene, nap: str):
    directory = napping(stage, nap)
    name = directory.path.name
    kill(directory)

    assert f"`autofix resume {name}`" in program(stage, "status", "last").stdout
    assert program(stage, "list").stdout.startswith(f"{name}  dead in ")
    watched = program(stage, "watch", "last")
    assert watched.exit_code == 1
    assert f"▸ Bash {nap}" in watched.stderr
    assert "dead in" in watched.stderr
    assert program(stage, "cancel", "last").stdout.startswith(f"{name}  dead in ")
    missing = program(stage, "result", "last")
    assert missing.exit_code == 2
    assert "resume" in missing.stderr

    program(stage, "clean")
    assert not (directory.path / "repo.git").exists()
    assert not (directory.path / "trees").exists()
    assert directory.journal.exists(), "its record stays, and it can still be resumed"
    assert program(stage, "clean", "--older-than=0").stdout == f"removed {name}\n"
    assert not directory.path.exists()


def test_a_detached_run_whose_input_is_wrong_says_so_to_its_caller_and_leaves_nothing(stage: Scene):
    done = program(stage, "run", "--detach", f"--repo={stage.user.path}", "--base=nowhere", server=stage.serve([]))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("autofix: ")
    assert done.stderr.count("\n") == 1
    assert stage.runs == []


@pytest.mark.parametrize("command", ["status", "watch", "cancel", "result"])
def test_an_unknown_run_is_one_line_with_the_nearest_names(stage: Scene, command: str):
    RunDirectory.create(stage.state, "20260101-101010-abcd").remove_work()
    done = program(stage, command, "20260101-101011-abcd")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "20260101-101010-abcd" in done.stderr


def test_a_run_for_a_program_is_its_events_as_lines_and_nothing_for_a_person_when_quiet(stage: Scene):
    server = stage.serve(HONEST)
    done = stage.command_line(server, "--output-format=stream-json", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert (events[0]["event"], events[-1]["event"]) == ("run_started", "run_ended")
    assert events[-1]["data"]["outcome"] == "fixed"


def test_a_killed_run_that_is_resumed_streams_its_whole_past_and_then_its_end(stage: Scene, nap: str):
    directory = napping(stage, nap)
    kill(directory)
    past = program(stage, "status", "last", "--json").result["events"]

    server = stage.serve([Turn([fix("add"), MEASURE]), Turn([DONE])])
    done = program(stage, "resume", "last", "--output-format=stream-json", "--quiet", server=server)

    assert (done.exit_code, done.stderr) == (0, "")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in told[:2]] == ["run_started", "stage"]
    assert {"resumed", "run_ended"} <= {event["event"] for event in told if event["number"] > past}
    assert program(stage, "status", "last").stdout.startswith(f"{directory.path.name}  ended: fixed\n")


def test_a_damaged_journal_is_said_by_line_and_hides_no_other_run(stage: Scene, nap: str):
    other = RunDirectory.create(stage.state, "20260101-101010-abcd")
    other.remove_work()
    directory = napping(stage, nap)
    kill(directory)
    directory.journal.write_bytes(directory.journal.read_bytes().replace(b"run_started", b"run_startled"))

    first, second = program(stage, "list").stdout.splitlines()
    assert first == "20260101-101010-abcd  dead before it began: start a new run"
    assert "line 1: not what was written" in second
    assert "line 1" in program(stage, "status", "last").stdout
    watched = program(stage, "watch", "last")
    assert (watched.exit_code, watched.stderr.count("\n")) == (1, 1)


ENDING_SLOWLY = """
import time
from autofix.cli.running import cancelled_by_signals
from autofix.errors import Cancelled
with cancelled_by_signals():
    try:
        print("running", flush=True)
        time.sleep(300)
    except Cancelled as error:
        print(error, flush=True)
        time.sleep(float(input()))
        print("written", flush=True)
"""


@pytest.fixture
def ending() -> Iterator[subprocess.Popen[str]]:
    """A program that has had its first SIGINT, and writes its end."""
    command = [sys.executable, "-c", ENDING_SLOWLY]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as made:
        assert made.stdout.readline() == "running\n"
        made.send_signal(signal.SIGINT)
        assert made.stdout.readline() == "stopped by SIGINT\n"
        yield made
        made.kill()


def test_a_runner_that_follows_with_another_signal_lets_the_end_be_written(ending):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM):
        ending.send_signal(number)
    out, err = ending.communicate("0\n", timeout=LONG)
    assert (out, err, ending.returncode) == ("written\n", "", 0)


def test_a_person_who_presses_twice_does_not_wait(ending):
    ending.send_signal(signal.SIGINT)
    assert ending.wait(timeout=LONG) == 12
    assert ending.stdout.read() == ""
    assert "stopped at once" in ending.stderr.read()
