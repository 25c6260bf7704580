"""A run played again from its record asks the model the same, byte for byte, and touches nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.scenarios.dying_run import Lived, live
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, fix, picture


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    scene.branch(wrong=("add", "double"))
    yield scene
    scene.close()


def replayed(scene: Scene, run: str = "last") -> Lived:
    arguments = ["replay", run, f"--state-dir={scene.state}"]
    return live("never", 0, scene.environ(None), arguments, scene.directory)


TURNS = (Turn([bash("ls"), fix("add")]), Turn([MEASURE]), Turn([fix("double")]), Turn([DONE]))


def play(scene: Scene) -> Path:
    assert scene.run(TURNS).outcome == "fixed"
    return scene.runs[0]


def test_every_request_of_a_finished_run_is_asked_again_as_it_was(scene: Scene) -> None:
    run = play(scene)
    before, pushed = picture(run), scene.pushed()
    ended = replayed(scene)
    assert (ended.exit_code, ended.stdout) == (0, f"{run.name}: 4 turns, every request as recorded\n")
    assert (picture(run), scene.pushed()) == (before, pushed)


def test_a_run_is_replayed_without_a_model_a_sandbox_or_its_own_checks(scene: Scene) -> None:
    play(scene)
    scene.remote.rename(scene.directory / "moved.git")
    assert replayed(scene).exit_code == 0


def test_a_request_that_would_differ_is_named_by_turn_and_place(scene: Scene) -> None:
    run = play(scene)
    transcript = run / "transcript.jsonl"
    lines = transcript.read_text().splitlines()
    third = json.loads(lines[2])
    third["request"]["messages"][-1]["content"][0]["content"] = "something else"
    transcript.write_text("\n".join([*lines[:2], json.dumps(third), *lines[3:]]) + "\n")
    ended = replayed(scene)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("turn 3 differs at messages[4].content[0].content: recorded 'something else', now ")


def from_turn(scene: Scene, turn: str, server: AnthropicServer) -> Lived:
    arguments = ["replay", "last", f"--from-turn={turn}", f"--state-dir={scene.state}"]
    return live("never", 0, scene.environ(server), arguments, scene.directory)


def test_from_a_turn_on_the_real_model_goes_on_as_a_new_run_with_the_same_conversation_before_it(scene: Scene) -> None:
    server = scene.serve([*TURNS, Turn([fix("double"), MEASURE])])
    assert scene.play(server).outcome == "fixed"
    run = scene.runs[0]
    before, pushed = picture(run), scene.pushed()

    ended = from_turn(scene, "3", server)

    assert ended.exit_code == 0, ended.stderr
    assert len(server.raw_bodies) == 5
    assert server.raw_bodies[4] == server.raw_bodies[2], "the third request is what it was, byte for byte"
    (forked,) = [path for path in scene.runs if path != run]
    result = json.loads((forked / "result.json").read_text())
    assert (result["run_id"], result["outcome"], result["delivery"]["rung"]) == (forked.name, "fixed", "patch")
    assert result["usage"]["turns"] == 3
    assert (picture(run), scene.pushed()) == (before, pushed)
    assert replayed(scene, forked.name).exit_code == 0


@pytest.mark.parametrize(("turn", "words"), [("9", "has 4 turns"), ("0", "0 is not in the range")])
def test_a_turn_that_is_not_there_is_one_clear_line_and_leaves_nothing(scene: Scene, turn: str, words: str) -> None:
    play(scene)
    ended = from_turn(scene, turn, scene.serve([]))
    assert ended.exit_code == 2
    assert words in ended.stderr
    assert len(scene.runs) == 1


def test_a_recorded_transcript_is_what_a_replay_takes(scene: Scene) -> None:
    file = scene.directory / "record.jsonl"
    turns = [Turn([bash("ls"), fix("add")]), Turn([fix("double"), MEASURE])]
    assert scene.command_line(scene.serve(turns), f"--record={file}").result["outcome"] == "fixed"
    assert file.read_text() == (scene.runs[0] / "transcript.jsonl").read_text()

    again = scene.command_line(None, f"--replay={file}", "--delivery=patch")
    assert again.result["outcome"] == "fixed", again.stderr

    refused = scene.command_line(scene.serve([]), f"--record={scene.directory}/none/record.jsonl")
    assert refused.exit_code == 2
    assert "--record: cannot write" in refused.stderr


def policy(scene: Scene, name: str, text: str) -> Lived:
    file = scene.directory / name
    file.write_text(text)
    arguments = ["replay", "last", f"--policy={file}", f"--state-dir={scene.state}"]
    return live("never", 0, scene.environ(None), arguments, scene.directory)


def test_another_policy_is_asked_about_the_same_calls_and_only_what_would_change_is_printed(scene: Scene) -> None:
    play(scene)
    ended = policy(scene, "settings.json", json.dumps({"permissions": {"deny": ["Bash(ls:*)", "RunChecks"]}}))
    assert ended.exit_code == 1
    first, second, total = ended.stdout.splitlines()
    assert first.startswith("Bash 'ls': allow -> deny (rules/")
    assert second.startswith("RunChecks '': allow -> deny (rules/")
    assert total == "2 of 4 verdicts would change"


def test_a_policy_that_changes_nothing_says_so(scene: Scene) -> None:
    play(scene)
    ended = policy(scene, "autofix.toml", '[gate]\nmode = "bypass-permissions"\n')
    assert (ended.exit_code, ended.stdout) == (0, "0 of 4 verdicts would change\n")


def test_a_policy_with_a_mistake_is_refused_in_one_line(scene: Scene) -> None:
    play(scene)
    ended = policy(scene, "autofix.toml", "[gate]\nmod = 1\n")
    assert ended.exit_code == 2
    assert "mod" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(("run", "said"), [("20", "no run"), ("nothing", "no run is called 'nothing'")])
def test_a_run_that_is_not_there_is_refused_in_one_line(scene: Scene, run: str, said: str) -> None:
    ended = replayed(scene, run)
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1
