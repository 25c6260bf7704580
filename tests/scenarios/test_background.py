"""A run asked about, watched and ended from another process: while it goes on, when it has ended, when it was killed."""

import json
import os
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


def test_a_detached_run_holds_no_secret_in_its_command_line_or_environment_or_log(stage: Scene):
    directory = napping(stage, "sleep 300.71")
    process = Path("/proc") / directory.owner.split(".")[2]
    for file in ("cmdline", "environ"):
        assert KEY.encode() not in (process / file).read_bytes()
    assert int((process / "stat").read_text().split()[5]) == int(process.name), "a session of its own"
    assert KEY not in (directory.path / "run.log").read_text()


def test_a_run_that_goes_on_is_seen_cancelled_and_its_outcome_waited_for(stage: Scene):
    directory = napping(stage, "sleep 300.72")
    name = directory.path.name
    told = json.loads(program(stage, "status", "last", "--json").stdout)
    assert (told["life"], told["phase"], told["tool_calls"]) == ("running", "waiting_for_tool", 1)
    assert program(stage, "result", "last").exit_code == 2

    cleaned = program(stage, "clean", "--older-than=0")
    assert cleaned.stdout == ""
    assert (directory.path / "repo.git").is_dir(), "a run that goes on is never touched"

    assert program(stage, "cancel", "last").stdout == f"{name}  ended: cancelled\n"
    assert not running("sleep", "300.72")
    assert program(stage, "watch", "last").exit_code == 12
    assert program(stage, "result", "last").exit_code == 12


def test_a_killed_run_is_dead_for_every_command_and_says_what_can_be_done(stage: Scene):
    directory = napping(stage, "sleep 300.73")
    name = directory.path.name
    kill(directory)

    assert f"`autofix resume {name}`" in program(stage, "status", "last").stdout
    assert program(stage, "list").stdout.startswith(f"{name}  dead in ")
    watched = program(stage, "watch", "last")
    assert watched.exit_code == 1
    assert "▸ Bash sleep 300.73" in watched.stderr
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
