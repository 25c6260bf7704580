"""The outer loop over fake tasks: what starts when, and what a question to a person lets go on."""

from collections.abc import Callable
from datetime import timedelta

from autofix.harness.approval import Answer, Approvals, Question, Subject, Waiting
from autofix.loop.driver import Meanwhile, drive
from autofix.plan.graph import Plan, Task, TaskEnd, TaskKind
from autofix.state.events import Kind
from autofix.state.history import replayable
from tests.fakes.recorder import ManualClock, resumed_recorder, started_recorder

Deed = Callable[[Meanwhile], TaskEnd]
QUESTION = Question(subject=Subject.SCOPE, wanted="change a.py", reason="it is out of scope", grant="scope:a.py")
TWO_AND_A_REPORT = Plan(
    1,
    (
        Task("asks", TaskKind.FIX),
        Task("other", TaskKind.FIX),
        Task("after-other", TaskKind.VERIFY, ("other",)),
        Task("after-both", TaskKind.DELIVER, ("asks", "after-other")),
    ),
    "a test's",
)


def asking(recorder, answers=None) -> Deed:
    """A task that asks a person and succeeds when allowed."""

    def deed(meanwhile: Meanwhile) -> TaskEnd:
        approvals = Approvals(
            recorder=recorder,
            run_id="20260101-000000-abcdef",
            head="a" * 40,
            now=ManualClock().now,
            lifetime=timedelta(days=1),
            answers=answers or {},
            meanwhile=meanwhile,
        )
        approvals.asked_before()
        answer = approvals.ask(QUESTION)
        if isinstance(answer, Waiting):
            return TaskEnd.WAITING
        return TaskEnd.SUCCEEDED if answer.approved else TaskEnd.FAILED

    return deed


def play(recorder, deeds: dict[str, Deed], plan: Plan = TWO_AND_A_REPORT) -> tuple[dict[str, TaskEnd], list[str]]:
    """How the tasks ended, and which ones did something."""
    done: list[str] = []

    def handler(task: Task, meanwhile: Meanwhile) -> TaskEnd:
        if task.id in deeds:
            return deeds[task.id](meanwhile)
        done.append(task.id)
        return TaskEnd.SUCCEEDED

    return drive(plan, dict.fromkeys(TaskKind, handler), recorder), done


def test_the_other_ready_tasks_go_on_before_a_person_is_asked():
    recorder = started_recorder()
    settled, done = play(recorder, {"asks": asking(recorder)})
    assert settled == {"other": TaskEnd.SUCCEEDED, "after-other": TaskEnd.SUCCEEDED}
    assert done == ["other", "after-other"]
    assert recorder.events[-1].kind is Kind.APPROVAL_ASKED, "it is asked when nothing else is left to do"


def test_with_the_answer_the_rest_follows_and_nothing_is_done_twice():
    first = started_recorder()
    play(first, {"asks": asking(first)})
    recorder = resumed_recorder(replayable(first.events))

    settled, done = play(recorder, {"asks": asking(recorder, {"abcdef-1": Answer(approved=True, by="ada")})})

    assert settled == dict.fromkeys(("asks", "other", "after-other", "after-both"), TaskEnd.SUCCEEDED)
    kinds = [event.kind for event in recorder.events]
    assert kinds[:2] == [Kind.RESUMED, Kind.APPROVAL_ANSWERED], "all before the answer came from the record"
    assert kinds.count(Kind.TASK_STARTED) == 1
    assert done == ["other", "after-other", "after-both"]


def test_a_refusal_skips_what_needed_the_task():
    recorder = started_recorder()
    settled, _ = play(recorder, {"asks": asking(recorder, {"abcdef-1": Answer(approved=False, by="ada")})})
    assert settled["asks"] is TaskEnd.FAILED
    assert settled["after-both"] is TaskEnd.SKIPPED


def test_two_tasks_never_ask_at_once():
    recorder = started_recorder()
    settled, _ = play(recorder, {"asks": asking(recorder), "other": asking(recorder)})
    assert settled == {}
    assert [event.kind for event in recorder.events].count(Kind.APPROVAL_ASKED) == 1


def test_without_questions_tasks_run_in_the_plans_order_and_failures_skip_what_follows():
    recorder = started_recorder()
    settled, done = play(recorder, {"other": lambda _: TaskEnd.FAILED})
    assert done == ["asks"]
    assert settled == {
        "asks": TaskEnd.SUCCEEDED,
        "other": TaskEnd.FAILED,
        "after-other": TaskEnd.SKIPPED,
        "after-both": TaskEnd.SKIPPED,
    }
