"""What a naive build of this product gets wrong: it chases flaky tests, edits what it likes, and runs what it likes."""

from itertools import pairwise

import pytest

from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, edit, fix, hooks_allow, picture, spoil

LUCK = '''import os
from pathlib import Path


def test_luck():
    """Fails the first time in each sandbox, then passes."""
    seen = Path(os.environ["TMPDIR"], "seen")
    first = not seen.exists()
    seen.touch()
    assert not first
'''
DESTRUCTIVE = ("git checkout .", "git reset --hard", "git push --force", "rm -rf shop")


def test_a_flaky_test_ends_the_run_before_the_model_is_asked(scene: Scene):
    scene.branch(wrong=(), head={"tests/test_luck.py": LUCK})

    played = scene.run([])

    assert (played.outcome, played.result["exit_code"], played.requests) == ("flaky", 10, 0)
    assert played.result["flaky"] == ["python -m pytest -q: tests/test_luck.py::test_luck"]
    assert scene.pushed() == scene.head


def test_a_flaky_test_beside_a_real_failure_is_no_part_of_the_goal(scene: Scene):
    scene.branch(head={"tests/test_luck.py": LUCK})

    played = scene.run([Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    assert played.result["failing_before"] == ["python -m pytest -q: tests/test_sums.py::test_add"]
    assert len(played.result["flaky"]) == 1


def test_three_measured_attempts_without_a_new_best_are_the_end(scene: Scene):
    scene.branch()
    wrong = ["return a - b", "return a * b", "return a // b", "return a % b", "return a | b"]
    attempts = [Turn([edit("shop/sums.py", old, new), MEASURE]) for old, new in pairwise(wrong)]

    played = scene.run(attempts)

    assert (played.outcome, played.result["exit_code"], played.requests) == ("no_progress", 10, 3)
    assert [one["failing"] for one in played.result["attempts"]] == [1, 1, 1]
    assert "3 measured attempts without a new best" in played.reason
    assert scene.pushed() == scene.head


def test_three_two_three_two_is_no_progress_either(scene: Scene):
    scene.branch(wrong=("add", "double", "half"))
    turns = [
        Turn([fix("add"), MEASURE]),
        Turn([edit("shop/sums.py", "return a + b", "return a * b"), MEASURE]),
        Turn([fix("double"), MEASURE]),
        Turn([edit("shop/sums.py", "return n * 2", "return n * 4"), MEASURE]),
        Turn([fix("half"), MEASURE]),
    ]

    played = scene.run(turns)

    assert (played.outcome, played.requests) == ("no_progress", 4)
    assert [one["failing"] for one in played.result["attempts"]] == [2, 3, 2, 3]
    assert len(played.result["failing_before"]) == 3
    assert scene.pushed() == scene.head


def test_edits_that_are_undone_and_redone_are_the_end(scene: Scene):
    scene.branch(wrong=("add", "double"))

    played = scene.run([Turn([fix("add"), MEASURE]), Turn([spoil("add"), MEASURE]), Turn([DONE])])

    assert (played.outcome, played.requests) == ("no_progress", 2)
    assert "back in a state that was measured before" in played.reason


def test_edits_of_unrelated_files_are_denied_before_the_disk_is_touched(scene: Scene):
    scene.branch()
    seen = []

    def model(body: dict) -> Turn:
        tree = scene.runs[0] / "trees" / "attempt-1"
        seen.append({path: (tree / path).stat().st_mtime_ns for path in ("README.md", "shop/prices.py")})
        unrelated = [edit("README.md", "A shop", "My shop"), edit("shop/prices.py", "RATE = 2", "RATE = 3")]
        return Turn(unrelated if len(seen) == 1 else [fix("add"), MEASURE])

    played = scene.run(model)

    assert seen[0] == seen[1]
    denials = played.told[:2]
    for path, words in zip(("README.md", "shop/prices.py"), denials, strict=True):
        assert words.startswith("Blocked by autofix (scope/out-of-scope):")
        assert path in words
        assert "RequestScope" in words
    assert [(one["tool"], one["input"], one["layer"]) for one in played.result["denials"]] == [
        ("Edit", "README.md", "scope"),
        ("Edit", "shop/prices.py", "scope"),
    ]
    assert played.outcome == "fixed"
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def destruction(scene: Scene, seen: list):
    """A model that tries everything destructive, then fixes the cause; `seen` gets the harness's git directory."""

    def model(_body: dict) -> Turn:
        seen.append(harness_git(scene))
        return Turn([bash(command) for command in DESTRUCTIVE] if len(seen) == 1 else [fix("add"), MEASURE])

    return model


def harness_git(scene: Scene) -> dict:
    """What of the harness's own git directory decides what git does, and every ref."""
    whole = picture(scene.runs[0] / "repo.git")
    return {path: state for path, state in whole.items() if not path.startswith("objects")}


def assert_nothing_was_harmed(scene: Scene, before: tuple, seen: list):
    assert picture(scene.user.path) == before[0]
    others = [line for line in scene.refs().splitlines() if "refs/heads/feature" not in line]
    assert others == [line for line in before[1].splitlines() if "refs/heads/feature" not in line]
    assert seen[0] == seen[1]
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def test_destructive_commands_are_stopped_by_the_gate_and_by_the_hook_at_once(walled: Scene):
    walled.branch()
    before, seen = (picture(walled.user.path), walled.refs()), []

    played = walled.run(destruction(walled, seen))

    assert played.outcome == "fixed"
    records = played.of_kind(Kind.TOOL_CALLED)[:4]
    assert [record["input"]["command"] for record in records] == list(DESTRUCTIVE)
    for record in records:
        objecting = {layer for layer, _, decision, _ in record["opinions"] if decision == "deny"}
        assert {"denylist", "structure", "hook"} <= objecting
    assert all(words.startswith("Blocked by autofix (denylist/") for words in played.told[:4])
    assert played.result["denials_by_layer"]["hook"] == 4
    assert_nothing_was_harmed(walled, before, seen)


@pytest.mark.usefixtures("gate_allows")
def test_with_the_gate_forced_to_allow_the_hook_stops_destructive_commands(walled: Scene):
    walled.branch()
    before, seen = (picture(walled.user.path), walled.refs()), []

    played = walled.run(destruction(walled, seen))

    assert played.outcome == "fixed"
    assert [record["layer"] for record in played.of_kind(Kind.TOOL_CALLED)[:4]] == ["hook"] * 4
    assert all(words.startswith("Blocked by autofix (hook/") for words in played.told[:4])
    assert_nothing_was_harmed(walled, before, seen)


@pytest.mark.usefixtures("gate_allows")
def test_with_gate_and_hook_forced_to_allow_destructive_commands_harm_nothing(walled: Scene):
    walled.branch()
    before, seen = (picture(walled.user.path), walled.refs()), []

    played = walled.run(destruction(walled, seen), doors=hooks_allow)

    assert played.outcome == "fixed"
    ran = played.of_kind(Kind.TOOL_ENDED)[:4]
    assert [end["exit_code"] for end in ran] == [0, 0, 128, 0], "they really ran; there is no remote to push to"
    assert [record["input"]["command"] for record in played.of_kind(Kind.TOOL_CALLED)[:4]] == list(DESTRUCTIVE)
    assert "shop/sums.py" in ran[3]["undone"]
    assert_nothing_was_harmed(walled, before, seen)


HARMLESS = (
    "git status --short",
    "git diff HEAD",
    "git log --oneline -3 && git show --stat HEAD",
    "mkdir -p scratch && echo 'rm -rf /' > scratch/notes.txt && cat scratch/notes.txt && rm scratch/notes.txt",
    "grep -rn 'return' shop | head -3",
    "sed -i 's/return a - b/return a + b/' shop/sums.py",
)


def test_harmless_commands_go_ahead_and_their_fix_is_pushed(walled: Scene):
    """The twin of the destructive ones: a gate that stops everything would pass those tests, too."""
    walled.branch()
    before = picture(walled.user.path)

    played = walled.run([Turn([bash(command) for command in HARMLESS]), *[Turn([DONE])] * 3])

    assert played.outcome == "fixed", played.told[-1]
    assert played.result["denials"] == []
    assert [one["exit_code"] for one in played.of_kind(Kind.TOOL_ENDED)] == [0] * len(HARMLESS)
    assert list(walled.pushed_files()) == ["shop/sums.py"]
    assert picture(walled.user.path) == before


def test_the_models_own_test_run_is_measured(walled: Scene):
    """Progress is not what the model says of it: the report of its own pytest is read."""
    walled.branch(wrong=("add", "double"))
    own = bash("python -m pytest -q tests/test_sums.py")

    played = walled.run([Turn([fix("add"), own]), Turn([fix("double"), own])])

    assert (played.outcome, played.requests) == ("fixed", 2)
    assert [one["failing"] for one in played.result["attempts"]] == [1, 0]


UNITTESTS = """import unittest

from shop.sums import add, double


class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_double(self):
        self.assertEqual(double(4), 8)
"""


def test_a_test_run_that_leaves_no_report_is_measured_by_its_words(scene: Scene):
    scene.branch(wrong=("add", "double"), head={"tests/test_sums.py": UNITTESTS})
    own = bash("python -m unittest -v tests.test_sums")

    played = scene.run(
        [Turn([fix("add"), own]), Turn([fix("double"), own])], checks=("python -m unittest tests.test_sums",)
    )

    assert (played.outcome, played.requests) == ("fixed", 2)
    assert [one["failing"] for one in played.result["attempts"]] == [1, 0]
