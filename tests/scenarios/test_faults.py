"""Faults on the way: what can be tried again is, what cannot ends the run, and nothing that went wrong is pushed."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from autofix.errors import CannotPush, ForgeUnavailable
from autofix.pipeline.order import World
from autofix.ports.model import JsonObject
from autofix.state.events import Kind
from autofix.state.journal import Event, Journal
from tests.fakes.anthropic_server import Drop, Failure, Turn
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, fix

ONCE = {
    "429 with retry-after": (Failure(429, headers={"retry-after": "7"}), 429),
    "529": (Failure(529), 529),
    "500": (Failure(500), 500),
    "an error event in the stream": (Turn([fix("add")], error_after=3), 529),
    "a stream that is cut": (Turn([fix("add")], piece=5, cut_after=4), None),
    "a stream that ends without a stop reason": (Turn([fix("add")], end_after=4), None),
    "an event that is not JSON": (Turn([fix("add")], garbage_after=3), None),
    "a connection that is dropped": (Drop(), None),
}


@pytest.mark.parametrize("fault", ONCE)
def test_a_fault_of_the_models_service_is_tried_again(scene: Scene, fault: str):
    step, status = ONCE[fault]
    scene.branch()

    played = scene.run([step, Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    (retry,) = played.of_kind(Kind.MODEL_RETRIED)
    assert (retry["attempt"], retry["status"]) == (1, status)
    assert retry["wait"] == 7 or "retry-after" not in fault
    assert played.result["model_retries"] == 1
    assert len(played.of_kind(Kind.TOOL_CALLED)) == 2, "nothing of the broken answer was carried out"
    assert list(scene.pushed_files()) == ["shop/sums.py"]


def test_a_slow_stream_is_waited_for(scene: Scene):
    scene.branch()

    played = scene.run([Turn([fix("add"), MEASURE], piece=20, pause=0.02)])

    assert (played.outcome, played.result["model_retries"]) == ("fixed", 0)


def test_a_service_that_stays_overloaded_ends_the_run(scene: Scene):
    scene.branch()

    played = scene.run([Failure(529)] * 5)

    assert (played.outcome, played.result["exit_code"], played.requests) == ("error", 1, 5)
    assert "given up after 5 attempts" in played.reason
    assert [retry["wait"] is None for retry in played.of_kind(Kind.MODEL_RETRIED)] == [False] * 4 + [True]
    assert scene.pushed() == scene.head


def test_what_a_broken_answer_used_is_paid_for(scene: Scene):
    scene.branch()

    played = scene.run([Turn([fix("add")], piece=5, cut_after=4), Turn([fix("add"), MEASURE])])

    whole = sum(usage.total for usage in played.server.usages)
    used = played.result["usage"]
    assert used["input_tokens"] + used["cache_read_tokens"] + used["cache_write_tokens"] == whole


BEFORE_THE_PUSH = (
    Kind.RUN_STARTED, Kind.STAGE, Kind.CHECK_RAN, Kind.BASELINE, Kind.PLAN, Kind.MODEL_CALLED, Kind.MODEL_REPLIED,
    Kind.TOOL_CALLED, Kind.TOOL_ENDED, Kind.PROGRESS, Kind.VERIFICATION_STARTED, Kind.VERIFIED, Kind.DELIVERY_STARTED,
)  # fmt: skip


@pytest.mark.parametrize("kind", BEFORE_THE_PUSH, ids=str)
def test_an_exception_at_any_point_of_a_run_means_no_push(scene: Scene, kind: Kind, monkeypatch):
    """G35. The exception comes out of the journal, which every point of a run passes."""
    scene.configuration["flaky.reruns"] = 0
    scene.branch()
    before = scene.refs()

    append = Journal.append

    def failing(journal: Journal, event: Kind, data: JsonObject, *, plan: int) -> Event:
        written = append(journal, event, data, plan=plan)
        if event is kind:
            raise OSError(f"thrown at {kind}")
        return written

    monkeypatch.setattr(Journal, "append", failing)
    if kind is Kind.RUN_STARTED:
        with pytest.raises(OSError, match="thrown at"):
            scene.run([])
        assert scene.refs() == before
        return
    played = scene.run([Turn([fix("add"), MEASURE])])

    assert (played.outcome, played.result["exit_code"]) == ("error", 1)
    assert f"thrown at {kind}" in played.reason
    assert f"thrown at {kind}" in (played.directory / "error.txt").read_text()
    assert scene.refs() == before
    assert not (played.directory / "trees").exists()


class Breaking:
    """A door that breaks at one of its methods, and is as it was in all else."""

    def __init__(self, door: Any, method: str, error: Exception, *, after: int = 0) -> None:
        self._door, self._method, self._error, self._left = door, method, error, after

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._door, name)
        if name != self._method:
            return found

        def broken(*arguments: Any, **more: Any) -> Any:
            if self._left:
                self._left -= 1
                return found(*arguments, **more)
            raise self._error

        return broken


def broken_door(name: str, method: str, after: int = 0) -> Callable[[World], World]:
    def doors(world: World) -> World:
        return replace(world, **{name: Breaking(getattr(world, name), method, OSError("broken"), after=after)})

    return doors


def full_disk(world: World) -> World:
    def keep(name: str, content: bytes) -> str:
        if name == "fix.patch":
            raise OSError(28, "No space left on device")
        return world.keep(name, content)

    return replace(world, keep=keep)


DOORS = {
    "the first sandbox": broken_door("room", "open"),
    "the sandbox of the verification": broken_door("room", "open", after=2),
    "the tree of the verification": broken_door("trees", "open", after=2),
    "the diff for the prompt": broken_door("git", "diff"),
    "the files of the head": broken_door("git", "entries"),
    "the model": broken_door("model", "reply"),
    "the hooks before a call": broken_door("hooks", "before"),
    "the hooks after a call": broken_door("hooks", "after"),
    "the patch": broken_door("git", "commit"),
    "the commit": broken_door("git", "commit", after=1),
    "where to push": broken_door("forge", "target"),
    "where the branch is": broken_door("forge", "head"),
    "the disk": full_disk,
}


@pytest.mark.parametrize("door", DOORS)
def test_an_exception_at_any_door_means_no_push(scene: Scene, door: str):
    scene.configuration["flaky.reruns"] = 0
    scene.branch()
    before = scene.refs()

    played = scene.run([Turn([fix("add"), MEASURE])], doors=DOORS[door])

    assert (played.outcome, played.result["exit_code"]) == ("error", 1)
    assert scene.refs() == before


@pytest.mark.parametrize("kind", [Kind.MODEL_CALLED, Kind.VERIFICATION_STARTED, Kind.DELIVERY_STARTED], ids=str)
def test_a_kill_means_no_push(scene: Scene, kind: Kind):
    """The same for `kill -9`: a process of its own dies at the point."""
    scene.configuration["flaky.reruns"] = 0
    scene.branch()
    before = scene.refs()

    def watcher(event: Event) -> None:
        if event.kind is kind:
            os.kill(os.getpid(), signal.SIGKILL)

    server = scene.serve([Turn([fix("add"), MEASURE])])
    child = os.fork()
    if not child:
        try:
            scene.play(server, watchers=[watcher])
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)

    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert scene.refs() == before


def test_a_forge_that_does_not_answer_leaves_the_patch(scene: Scene):
    scene.branch()

    played = scene.run(
        [Turn([fix("add"), MEASURE])],
        doors=lambda world: replace(
            world, forge=Breaking(world.forge, "push", CannotPush("the remote refused the push: rule 7"))
        ),
    )

    assert (played.outcome, played.result["delivery"]["rung"]) == ("fixed", "patch")
    assert played.result["delivery"]["fell"][0] == "the remote refused the push: rule 7"
    assert scene.pushed() == scene.head


def test_a_comment_that_cannot_be_written_is_said_in_the_result(scene: Scene):
    scene.branch()

    played = scene.run(
        [Turn([fix("add"), MEASURE])],
        doors=lambda world: replace(world, forge=Breaking(world.forge, "comment", ForgeUnavailable("no answer"))),
    )

    assert played.outcome == "fixed"
    assert played.result["notes"] == ["the comment could not be written: no answer"]


def test_a_reply_that_hits_the_output_limit_is_continued_in_smaller_steps(scene: Scene):
    scene.branch()
    cut = Turn([DONE], stop_reason="max_tokens")

    played = scene.run([cut, cut, Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    assert [words for words in played.told if "smaller steps" in words]


def test_replies_that_keep_hitting_the_output_limit_end_the_run(scene: Scene):
    scene.branch()

    played = scene.run([Turn([DONE], stop_reason="max_tokens")] * 4)

    assert (played.outcome, played.requests) == ("budget_exceeded", 3)


def test_a_full_context_window_ends_the_run(scene: Scene):
    scene.branch()

    played = scene.run([Turn([DONE], stop_reason="model_context_window_exceeded")])

    assert played.outcome == "budget_exceeded"


def test_a_paused_turn_is_continued(scene: Scene):
    scene.branch()

    played = scene.run([Turn([DONE], stop_reason="pause_turn"), Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"


def test_a_command_past_its_time_is_ended_and_the_run_goes_on(walled: Scene):
    walled.branch()

    played = walled.run([Turn([bash("sleep 60", timeout=1000)]), Turn([fix("add"), MEASURE])])

    assert played.outcome == "fixed"
    assert "[timed out after 1 s]" in played.told[0]
