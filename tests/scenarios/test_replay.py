"""A run played again from its record asks the model the same, byte for byte, and touches nothing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.anthropic_server import Turn
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


def play(scene: Scene) -> Path:
    turns = [Turn([bash("ls"), fix("add")]), Turn([MEASURE]), Turn([fix("double")]), Turn([DONE])]
    assert scene.run(turns).outcome == "fixed"
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
