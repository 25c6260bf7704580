"""A run asks a person, ends its process, and goes on in another one when the person has spoken."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from autofix.cli.main import run as program
from autofix.pipeline.order import World
from autofix.start import Taken
from autofix.state.events import Kind
from tests.fakes.anthropic_server import AnthropicServer, Turn, call
from tests.fakes.result_schema import assert_a_result
from tests.scenarios.scene import (
    DONE,
    MEASURE,
    HurriedClock,
    Played,
    Scene,
    bash,
    edit,
    end,
    fix,
    sums_tests,
    told,
)

WRONG_TEST = sums_tests().replace("add(2, 3) == 5", "add(2, 3) == 6")
MEND_THE_TEST = edit("tests/test_sums.py", "add(2, 3) == 6", "add(2, 3) == 5")
READ_THE_RATE = call("Read", file_path="shop/prices.py")
MEND_THE_RATE = edit("shop/prices.py", "return net * RATE", "return RATE * net")
ASK_FOR_THE_RATE = call("RequestScope", path="shop/prices.py", reason="the rate comes from there")


@dataclass
class Story:
    """A run with one model, whose processes come and go."""

    scene: Scene
    server: AnthropicServer
    played: Played
    capsys: pytest.CaptureFixture[str]

    def says(self, *arguments: str) -> tuple[int, str, str]:
        """What the program does with these words: its exit code, stdout and stderr."""
        self.capsys.readouterr()
        environ = self.scene.environ(self.server)
        code = program(Taken(environ, str(self.scene.directory)), [*arguments, f"--state-dir={self.scene.state}"])
        return code, *self.capsys.readouterr()

    @property
    def question(self) -> str:
        return str(self.played.of_kind(Kind.APPROVAL_ASKED)[-1]["id"])

    def answer(self, word: str, *why: str) -> Played:
        code, out, err = self.says(word, "last", self.question, *why, "--output-format=json")
        assert out, err
        result = json.loads(out)
        assert result["exit_code"] == code
        assert_a_result(result)
        return replace(self.played, result=result)


@pytest.fixture
def tell(scene: Scene, capsys: pytest.CaptureFixture[str]) -> Iterator[object]:
    def begin(script: list[Turn], **how: object) -> Story:
        server = scene.serve(script)
        return Story(scene, server, scene.play(server, **how), capsys)

    return begin


def wrong_test(scene: Scene) -> None:
    """The code is right, and the test is wrong: only a person may say so."""
    scene.branch(wrong=(), head={"tests/test_sums.py": WRONG_TEST})


def assert_waits(scene: Scene, played: Played) -> None:
    assert (played.outcome, played.result["exit_code"]) == ("awaiting_approval", 11)
    assert (played.result["status"], played.result["resumable"]) == ("interrupted", True)
    assert scene.pushed() == scene.head


def test_an_edit_of_a_test_waits_for_a_person_and_is_delivered_when_allowed(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])

    assert_waits(scene, story.played)
    interruption = story.played.result["interruption"]
    assert interruption["reason"] == "approval_required"
    assert interruption["pending_tool_call"]["tool"] == "Edit"
    assert interruption["pending_tool_call"]["input"]["new_string"] == "add(2, 3) == 5"
    assert interruption["approve"] == f"autofix approve {story.played.directory.name} {story.question}"
    assert story.played.requests == 1
    assert "waits for a person" in story.says("status", "last")[1]
    assert interruption["approve"] in story.played.comment
    assert "+ add(2, 3) == 5" in story.played.comment

    ended = story.answer("approve")

    assert (ended.outcome, ended.result["status"], ended.result["interruption"]) == ("fixed", "ended", None)
    assert scene.pushed_files() == {"tests/test_sums.py": sums_tests().strip()}
    assert [(one["id"], one["approved"]) for one in ended.result["answers"]] == [(story.question, True)]
    assert ended.result["answers"][0]["by"] in ended.comment
    assert len(told(story.server)) == 1, "what was paid for before the question is not paid again"
    assert story.server.bodies[1]["messages"][0] == story.server.bodies[0]["messages"][0]


def test_a_person_sees_everything_a_call_says(scene: Scene, tell):
    """An edit of one place and an edit of every place look alike but for one word."""
    wrong_test(scene)
    everywhere = call("Edit", file_path="tests/test_sums.py", old_string="== 6", new_string="== 5", replace_all=True)
    story = tell([Turn([everywhere])])
    assert_waits(scene, story.played)
    assert "replace_all: True" in story.played.comment


def test_a_refusal_reaches_the_model_with_the_persons_words_and_is_not_asked_again(scene: Scene, tell):
    scene.branch()
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")
    story = tell([Turn([wanted]), Turn([wanted, fix("add")]), Turn([MEASURE])])
    assert_waits(scene, story.played)

    ended = story.answer("deny", "the", "test", "is", "right")

    assert ended.outcome == "fixed"
    assert scene.pushed_files().keys() == {"shop/sums.py"}
    words = told(story.server)
    assert "refused it: the test is right" in words[0]
    assert words[1] == words[0]
    assert len(ended.of_kind(Kind.APPROVAL_ASKED)) == 1


def test_a_path_that_a_person_adds_to_the_scope_may_be_edited_and_delivered(scene: Scene, tell):
    scene.branch()
    story = tell([Turn([ASK_FOR_THE_RATE]), Turn([READ_THE_RATE, MEND_THE_RATE, fix("add")]), Turn([MEASURE])])
    assert_waits(scene, story.played)
    assert "shop/prices.py" in story.played.reason
    assert "the rate comes from there" in story.played.comment

    ended = story.answer("approve")

    assert ended.outcome == "fixed"
    assert scene.pushed_files().keys() == {"shop/prices.py", "shop/sums.py"}


def test_a_path_that_a_person_does_not_add_stays_out(scene: Scene, tell):
    scene.branch()
    story = tell([Turn([ASK_FOR_THE_RATE]), Turn([READ_THE_RATE, MEND_THE_RATE, fix("add")]), Turn([MEASURE])])

    ended = story.answer("deny")

    assert ended.outcome == "fixed"
    assert scene.pushed_files().keys() == {"shop/sums.py"}
    assert "scope/out-of-scope" in told(story.server)[2]


def test_an_allowed_edit_allows_no_other_edit_of_the_same_file(scene: Scene, tell):
    """Past the gate, too: a program may change a test that is in scope, and nobody has seen it."""
    wrong_test(scene)
    another = bash("sed -i 's/half(6) == 3/half(8) == 4/' tests/test_sums.py")
    story = tell([Turn([MEND_THE_TEST]), Turn([another, MEASURE]), *[Turn([DONE])] * 4])

    waits = story.answer("approve")

    assert_waits(scene, waits)
    assert waits.result["interruption"]["subject"] == "patch"
    assert "+    assert half(8) == 4" in waits.comment
    assert story.answer("deny").outcome == "blocked"
    assert scene.pushed() == scene.head


def test_what_is_too_long_to_be_seen_is_not_put_to_a_person(scene: Scene, tell):
    scene.branch()
    long = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == " + "5" * 20_000)
    story = tell([Turn([long, fix("add"), MEASURE])])

    assert story.played.outcome == "fixed"
    assert "do less at once" in json.dumps(story.played.of_kind(Kind.TOOL_CALLED)[0])


@pytest.mark.usefixtures("gate_allows")
def test_a_verified_patch_of_a_protected_file_waits_for_a_person(scene: Scene, tell):
    """Whatever let the edit through: nothing is delivered that a person did not see."""
    scene.branch(head={"requirements.txt": "left-pad==1\n"})
    story = tell([Turn([edit("requirements.txt", "left-pad==1", "left-pad==2"), fix("add"), MEASURE])])
    assert_waits(scene, story.played)
    assert "left-pad==2" in story.played.comment
    assert story.played.result["interruption"]["subject"] == "patch"

    ended = story.answer("approve")

    assert ended.outcome == "fixed"
    assert scene.pushed_files().keys() == {"requirements.txt", "shop/sums.py"}


@pytest.mark.usefixtures("gate_allows")
def test_a_patch_that_a_person_refuses_is_not_delivered(scene: Scene, tell):
    scene.branch(head={"requirements.txt": "left-pad==1\n"})
    turn = Turn([edit("requirements.txt", "left-pad==1", "left-pad==2"), fix("add"), MEASURE])
    story = tell([turn, *[Turn([DONE])] * 4])

    ended = story.answer("deny", "not that version")

    assert ended.outcome == "blocked"
    assert "refused it: not that version" in ended.reason
    assert scene.pushed() == scene.head


def test_several_questions_each_wait_for_their_own_answer(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([ASK_FOR_THE_RATE, MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])
    first = story.question

    waits = story.answer("deny")
    assert_waits(scene, waits)
    assert story.question != first
    code, _, err = story.says("approve", "last", first)
    assert (code, "waits for a person" in err) == (2, True)

    assert story.answer("approve").outcome == "fixed"


def test_a_denial_is_never_put_to_anybody(scene: Scene, tell):
    scene.branch()
    story = tell([Turn([call("Bash", command="git push --force")]), Turn([fix("add"), MEASURE])])

    assert story.played.outcome == "fixed"
    assert story.played.of_kind(Kind.APPROVAL_ASKED) == []


def test_nobody_is_asked_where_the_configuration_says_so(scene: Scene, tell):
    scene.configuration["gate.ask"] = "deny"
    scene.branch()
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")
    story = tell([Turn([wanted]), *[Turn([DONE])] * 3])

    assert (story.played.outcome, story.played.result["exit_code"]) == ("blocked", 10)
    assert story.played.of_kind(Kind.APPROVAL_ASKED) == []


def test_what_is_not_asked_cannot_be_answered(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])
    journal = story.played.directory / "journal.jsonl"
    before = journal.read_bytes()

    for words in (("approve", "last", "000000-7"), ("resume", "last")):
        code, _, err = story.says(*words)
        assert code == 2
        assert f"autofix approve {story.played.directory.name} {story.question}" in err
        assert journal.read_bytes() == before, "nothing changed"

    assert story.answer("approve").outcome == "fixed"
    code, _, err = story.says("approve", "last", story.question)
    assert (code, "has ended: fixed" in err) == (2, True)


def test_a_question_expires(scene: Scene, tell):
    class LastWeek(HurriedClock):
        def now(self) -> datetime:
            return super().now() - timedelta(days=8)

    def last_week(world: World) -> World:
        return replace(world, clock=LastWeek())

    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST])], doors=last_week)

    code, _, err = story.says("approve", "last", story.question)

    assert code == 2
    assert "could be answered until" in err
    assert "start a new run" in err


def test_an_answer_to_a_branch_that_moved_meanwhile_pushes_nothing(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])
    moved = scene.move_the_branch()

    ended = story.answer("approve")

    assert (ended.outcome, ended.result["exit_code"]) == ("superseded", 13)
    assert scene.pushed() == moved


def test_a_waiting_run_can_be_cancelled(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST])])

    code, out, _ = story.says("cancel", "last")

    assert code == 0
    assert "ended: cancelled" in out
    result = json.loads((story.played.directory / "result.json").read_text())
    assert (result["outcome"], result["status"]) == ("cancelled", "ended")
    assert scene.pushed() == scene.head


def test_a_run_that_waited_can_be_replayed_byte_for_byte(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])
    assert "every request as recorded" in story.says("replay", "last")[1]

    story.answer("approve")

    assert "every request as recorded" in story.says("replay", "last")[1]


def test_of_two_answers_at_once_one_wins(scene: Scene, tell):
    wrong_test(scene)
    story = tell([Turn([MEND_THE_TEST]), Turn([MEASURE]), Turn([DONE])])
    words = ["last", story.question, f"--state-dir={scene.state}", "--quiet"]
    racing = [
        subprocess.Popen(
            [sys.executable, "-P", "-m", "autofix", word, *words],
            cwd=scene.directory,
            env=scene.environ(story.server),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for word in ("approve", "approve")
    ]
    errors = [process.communicate(timeout=100)[1] for process in racing]
    for process in racing:
        end(process)

    assert sorted(process.returncode for process in racing) == [0, 1], errors
    assert len(story.played.of_kind(Kind.APPROVAL_ANSWERED)) == 1
    assert scene._in_remote("rev-list", "--count", f"{scene.head}..feature").strip() == "1"
