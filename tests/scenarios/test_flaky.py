"""Tests that fail now and then, or only in company, in whole runs: never a fix's merit, never called fixed by luck.

A flaky test here reads its outcomes, one a run, from a file outside every checkout: `P` passes, anything else fails.
"""

from pathlib import Path

import pytest

from autofix.checks.repetition import PASSES
from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import CHECK, DONE, MEASURE, Played, Scene, edit, fix, sums, sums_tests

SHAKY_TEST = """import os
from pathlib import Path


def test_shaky():
    turns = Path(os.environ["TURNS"])
    left = turns.read_text()
    turns.write_text(left[1:])
    assert left[:1] == "P", "not this time"
"""
SHAKY = f"{CHECK}: tests/test_shaky.py::test_shaky"
SPOILING_TEST = """from shop import sums


def test_rates_can_be_set():
    sums.RATES["vat"] = 7
    assert sums.RATES["vat"] == 7
"""
SPOILT_TEST = """from shop import sums


def test_no_rate_is_set():
    assert sums.RATES == {}
"""
HARMLESS = edit("shop/sums.py", "return a + b", "return a + b  # the sum")


class Turns:
    """The outcomes to come of the flaky test of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.file = scene.directory / "turns"
        scene.configuration["sandbox.environment"] = {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "TURNS": str(self.file),
        }

    def are(self, outcomes: str) -> None:
        self.file.write_text(outcomes)

    @property
    def left(self) -> str:
        return self.file.read_text()


@pytest.fixture
def turns(scene: Scene) -> Turns:
    return Turns(scene)


def checks_run(played: Played) -> list[str]:
    return [event["why"] for event in played.of_kind(Kind.CHECK_RAN)]


def test_a_test_that_fails_then_passes_on_the_same_tree_is_flaky_and_no_model_is_asked(scene: Scene, turns: Turns):
    scene.branch(wrong=(), head={"tests/test_shaky.py": SHAKY_TEST})
    turns.are("FP")

    played = scene.run([])

    assert (played.outcome, played.requests) == ("flaky", 0)
    assert played.result["flaky"] == [SHAKY]
    assert "Flaky, not touched" in played.comment
    assert checks_run(played) == ["head", "rerun"]


def test_a_flaky_test_beside_a_real_failure_is_set_aside_and_counts_as_no_progress(scene: Scene, turns: Turns):
    scene.branch(wrong=("add", "half"), head={"tests/test_shaky.py": SHAKY_TEST})
    turns.are("FP" + "P" * 2 + "FP" * 10)

    played = scene.run([Turn([MEASURE]), Turn([fix("add")]), Turn([MEASURE]), Turn([fix("half")]), Turn([DONE])])

    assert played.outcome == "fixed"
    assert played.result["flaky"] == [SHAKY]
    assert [key.rpartition("::")[2] for key in played.result["failing_before"]] == ["test_add", "test_half"]
    assert {attempt["failing"] for attempt in played.result["attempts"]} <= {0, 1, 2}
    assert scene.pushed() == played.result["commit"]


def test_a_patch_after_which_a_flaky_test_passes_by_luck_is_not_called_a_fix(scene: Scene, turns: Turns):
    """It fails in every run of the baseline, passes once after a patch that mends nothing, and fails again."""
    scene.branch(wrong=(), head={"tests/test_shaky.py": SHAKY_TEST})
    turns.are("FFF" + "P" + "F")

    played = scene.run(lambda body: Turn([HARMLESS]) if len(body["messages"]) == 1 else Turn([DONE]))

    assert played.outcome == "no_progress"
    assert played.result["failing_after"] == [SHAKY]
    assert played.result["verification"]["verdict"] == "still failing"
    assert any("flaky: passed once, then failed, in the same patched tree" in said for said in played.told)
    assert checks_run(played)[:6] == ["head", "rerun", "base", "alone", "verification: measure", "verification: again"]
    assert scene.pushed() == scene.head


def test_a_test_that_was_flaky_at_the_merge_base_has_to_pass_many_times(scene: Scene, turns: Turns):
    """At the base it fails once and passes once, so it is not older; one pass of it proves nothing."""
    scene.branch(wrong=(), base={"tests/test_shaky.py": SHAKY_TEST})
    turns.are("FF" + "FP" + "F" + "P" * (PASSES - 1) + "F" * 40)

    played = scene.run(lambda body: Turn([HARMLESS]) if len(body["messages"]) == 1 else Turn([DONE]))

    assert played.outcome == "no_progress"
    assert played.result["preexisting"] == []
    assert f"flaky: passed {PASSES - 1} times, then failed" in "\n".join(played.told)
    assert scene.pushed() == scene.head


def test_a_once_flaky_test_that_is_really_mended_is_believed_after_enough_passes(scene: Scene, turns: Turns):
    scene.branch(wrong=(), base={"tests/test_shaky.py": SHAKY_TEST})
    turns.are("FF" + "FP" + "F" + "P" * 40)

    played = scene.run([Turn([HARMLESS]), Turn([DONE])])

    assert played.outcome == "fixed"
    assert checks_run(played).count("verification: again") == PASSES - 1
    assert f"passed {PASSES} times in a row in the patched tree" in "\n".join(played.result["notes"])


def test_a_test_that_passes_alone_is_named_order_dependent_and_is_in_the_goal(scene: Scene):
    head = {
        "shop/sums.py": sums() + "\n\nRATES = {}\n",
        "tests/test_a_rates.py": SPOILING_TEST,
        "tests/test_b_rates.py": SPOILT_TEST,
    }
    scene.branch(wrong=(), head=head)

    played = scene.run(lambda _body: Turn([DONE]))

    by_order = [f"{CHECK}: tests/test_b_rates.py::test_no_rate_is_set"]
    assert played.outcome == "no_progress"
    assert played.result["order_dependent"] == played.result["failing_before"] == by_order
    assert "Order-dependent" in played.comment
    assert any("tests of other files make it fail" in note for note in played.result["notes"])
    assert "depends on the order of tests" in str(played.server.bodies[0]["messages"][0])
    assert checks_run(played)[:5] == ["head", "rerun", "base", "alone", "file order"]


def test_an_order_dependent_failure_that_is_mended_is_believed_in_company(scene: Scene):
    head = {
        "shop/sums.py": sums() + "\n\nRATES = {}\n",
        "shop/__init__.py": "",
        "tests/test_a_rates.py": SPOILING_TEST,
        "tests/test_b_rates.py": SPOILT_TEST.replace("sums.RATES == {}", "sums.fresh_rates() == {}"),
    }
    head["shop/sums.py"] += "\n\ndef fresh_rates():\n    return RATES\n"
    scene.branch(wrong=(), head=head)

    played = scene.run([Turn([edit("shop/sums.py", "    return RATES\n", "    return {}\n")]), Turn([DONE])])

    assert played.outcome == "fixed"
    assert checks_run(played).count("verification: again") == PASSES - 1


BROKEN = {"shop/sums.py": sums("add", "half"), "tests/test_sums.py": sums_tests()}
LATER = "\n\nLATER = 1\n"


@pytest.mark.bubblewrap
def test_a_second_run_does_not_run_the_merge_base_again_and_a_damaged_memory_only_costs_time(in_bubblewrap: Scene):
    scene = in_bubblewrap
    scene.branch(base=BROKEN, head={"shop/sums.py": sums("add", "half") + LATER})

    first, second = scene.run([]), scene.run([])
    for file in (scene.state / "cases").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    third, fourth = scene.run([]), scene.run([])

    runs = (first, second, third, fourth)
    assert [checks_run(played).count("base") for played in runs] == [2, 0, 2, 0]
    assert {played.outcome for played in runs} == {"preexisting"}
    assert {tuple(played.result["preexisting"]) for played in runs} == {
        (f"{CHECK}: tests/test_sums.py::test_add", f"{CHECK}: tests/test_sums.py::test_half")
    }


@pytest.mark.bubblewrap
def test_what_is_remembered_hides_no_failure_of_a_later_head(in_bubblewrap: Scene):
    scene = in_bubblewrap
    scene.branch(base={**BROKEN, "shop/sums.py": sums("add")}, head={"shop/sums.py": sums("add") + LATER})
    old = scene.run([])
    scene.user.git("stash", "-q", "--include-untracked")
    scene.user.commit({"shop/sums.py": sums("add", "half") + LATER}, "Break another")

    new = scene.run(lambda _body: Turn([DONE]))

    assert old.outcome == "preexisting"
    assert new.result["failing_before"] == [f"{CHECK}: tests/test_sums.py::test_half"]
    assert new.result["preexisting"] == [f"{CHECK}: tests/test_sums.py::test_add"]
    assert checks_run(new).count("base") == 1


@pytest.mark.bubblewrap
def test_the_memory_is_nothing_that_code_under_test_can_see_or_write(in_bubblewrap: Scene):
    scene = in_bubblewrap
    spy = f"""from pathlib import Path


def test_spy():
    place = Path({str(scene.state / "cases")!r})
    assert not place.exists()
    try:
        place.mkdir(parents=True)
        (place / ("ab" * 32)).write_text("x")
    except OSError:
        pass
"""
    scene.branch(base={**BROKEN, "tests/test_spy.py": spy}, head={"shop/sums.py": sums("add", "half") + LATER})

    scene.run([])
    played = scene.run([])

    assert not any(key.endswith("test_spy") for key in played.result["preexisting"] + played.result["flaky"])
    assert not (scene.state / "cases" / ("ab" * 32)).exists()
    assert len(list((scene.state / "cases").iterdir())) > 0


def test_in_the_host_room_nothing_is_remembered(scene: Scene):
    scene.branch(base=BROKEN, head={"shop/sums.py": sums("add", "half") + LATER})

    runs = scene.run([]), scene.run([])

    assert [checks_run(played).count("base") for played in runs] == [2, 2]
    assert not (scene.state / "cases").exists()


def test_older_failures_are_mended_only_where_that_is_asked_for(tmp_path: Path):
    scene = Scene(tmp_path / "asked", configuration={"flaky.reruns": 1, "fix-preexisting": True})
    other = Scene(tmp_path / "not-asked", configuration={"flaky.reruns": 1})
    for one in (scene, other):
        one.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        one.branch(base={**BROKEN, "shop/sums.py": sums("add")}, head={"shop/sums.py": sums("add") + LATER})
    try:
        asked = scene.command_line(scene.serve([Turn([fix("add")]), Turn([DONE])]))
        left = other.command_line(other.serve([]))
    finally:
        scene.close()
        other.close()

    assert (asked.exit_code, asked.result["outcome"]) == (0, "fixed")
    assert asked.result["failing_before"] == [f"{CHECK}: tests/test_sums.py::test_add"]
    assert asked.result["preexisting"] == []
    assert (left.exit_code, left.result["outcome"]) == (10, "preexisting")
    assert other.pushed() == other.head
