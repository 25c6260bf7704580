from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from autofix.checks.result import Case, CaseKey, CheckResult
from autofix.checks.result import Outcome as CaseOutcome
from autofix.errors import ModelRejected, ModelUnavailable
from autofix.harness.call import Decision, Ruling, Verdict
from autofix.harness.dispatch import Dispatched
from autofix.harness.tools import ScopeRequest
from autofix.loop.budget import Budget, Limits
from autofix.loop.conversation import Conversation
from autofix.loop.outcome import Finished, Judgement, Stopped
from autofix.loop.progress import Progress
from autofix.loop.retry import RetryPolicy
from autofix.loop.turn import TurnLoop
from autofix.ports.model import ModelReply, TextBlock, ToolResultBlock, ToolUseBlock, Usage
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from tests.fakes.model import ScriptedModel, call, calls, say, tool_use
from tests.fakes.recorder import ManualClock, of_kind, started_recorder

LIMITS = Limits(
    turns=40,
    usd=Decimal(0),
    seconds=1200,
    tool_calls=400,
    input_tokens=10**6,
    output_tokens=10**6,
    invalid_calls=3,
    output_tokens_per_call=16_000,
)
ALLOWED = Ruling(Verdict(Decision.ALLOW, "rules", "default"), ())
GOAL = {CaseKey("unit", "a"), CaseKey("unit", "b")}
FINISHED = Finished(verification=None)


def failing(*names):
    cases = {name: Case(name, CaseOutcome.FAILED if name in names else CaseOutcome.PASSED) for name in "ab"}
    return CheckResult("unit", cases, 1 if names else 0, report=True)


@dataclass
class ScriptedDispatcher:
    """Answers each tool use by name; every Edit makes another tree."""

    answers: dict[str, Dispatched] = field(default_factory=dict)
    edits: int = 0
    seen: list[ToolUseBlock] = field(default_factory=list)

    def dispatch(self, use):
        self.seen.append(use)
        self.edits += use.name == "Edit"
        usual = Dispatched(
            ToolResultBlock(use.id, f"result {len(self.seen)}"),
            ALLOWED,
            valid=True,
            tree=self.tree_digest(),
            fingerprint=use.id,
        )
        changes = self.answers.get(use.name, {})
        return replace(usual, **(changes(use) if callable(changes) else changes))

    def tree_digest(self):
        return f"tree {self.edits}"


def no():
    return Judgement(None, "2 still fail", (failing("a", "b"),))


class Judge:
    """Gives the judgements in order, the last one for ever."""

    def __init__(self, *judgements):
        self.judgements = list(judgements)
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return self.judgements.pop(0) if len(self.judgements) > 1 else self.judgements[0]


def loop(*steps, judge=None, dispatcher=None, limits=LIMITS, read_only=False, recorder=None, stop_hooks=None):
    clock = ManualClock()
    return TurnLoop(
        model=ScriptedModel(*steps),
        conversation=Conversation(model="m", system="s", tools=(), task="fix", max_tokens=100),
        dispatcher=dispatcher or ScriptedDispatcher(),
        judge=judge or Judge(Judgement(FINISHED, "")),
        budget=Budget(limits, None, clock),
        progress=Progress(GOAL, (), patience=3, start="tree 0"),
        recorder=recorder or started_recorder(),
        clock=clock,
        policy=RetryPolicy(attempts=3, jitter=lambda: 0.5),
        on_text=lambda _text: None,
        read_only=read_only,
        stop_hooks=stop_hooks,
    )


def last_user_text(task):
    return "".join(block.text for block in task.conversation.messages[-1].blocks if isinstance(block, TextBlock))


def test_a_claim_is_believed_only_when_the_judge_accepts_it():
    task = loop(say("done"), say("done now"), judge=Judge(no(), Judgement(FINISHED, "")))
    assert task.run() is FINISHED
    assert "2 still fail" in str(task.conversation.messages[2].blocks)


def test_a_model_that_only_claims_is_stopped_after_three_measured_claims():
    task = loop(*[say("done")] * 5, judge=Judge(no()))
    ended = task.run()
    assert ended.outcome is Outcome.NO_PROGRESS
    assert task.judge.asked == 3


def test_a_measured_tree_without_failures_is_judged_without_another_turn():
    dispatcher = ScriptedDispatcher({"RunChecks": {"reports": (failing(),)}})
    task = loop(call("Edit"), call("RunChecks"), dispatcher=dispatcher)
    assert task.run() is FINISHED
    assert task.model.left == 0


def test_evidence_against_a_clean_looking_tree_goes_back_with_the_results():
    dispatcher = ScriptedDispatcher({"RunChecks": {"reports": (failing(),)}})
    judge = Judge(Judgement(None, "test_b was skipped"), Judgement(FINISHED, ""))
    task = loop(calls(tool_use("Edit"), tool_use("RunChecks")), say("done"), dispatcher=dispatcher, judge=judge)
    assert task.run() is FINISHED
    blocks = task.conversation.messages[2].blocks
    assert [type(block) for block in blocks] == [ToolResultBlock, ToolResultBlock, TextBlock]
    assert "test_b was skipped" in blocks[-1].text


def test_oscillation_ends_after_three_attempts_without_a_new_best():
    counts = iter([("a",), ("a", "b"), ("a",), ("a", "b"), ("a",)])
    dispatcher = ScriptedDispatcher({"RunChecks": lambda _use: {"reports": (failing(*next(counts)),)}})
    both = [calls(tool_use("Edit"), tool_use("RunChecks"))] * 5
    task = loop(*[calls(tool_use("Edit"), tool_use("RunChecks")) for _ in both], dispatcher=dispatcher)
    ended = task.run()
    assert ended == Stopped(Outcome.NO_PROGRESS, "3 measured attempts without a new best (failing 2-1-2, best 1)")
    assert len(task.model.requests) == 4


def test_a_request_for_scope_ends_the_task_before_another_call_is_paid_for():
    dispatcher = ScriptedDispatcher({"RequestScope": {"scope_request": ScopeRequest("setup.py", "the bug is there")}})
    ended = loop(call("RequestScope"), dispatcher=dispatcher).run()
    assert ended.outcome is Outcome.OUT_OF_SCOPE
    assert "setup.py" in ended.reason


def test_a_refusal_and_a_block_are_never_mixed_up():
    assert loop(say("I will not", "refusal")).run().outcome is Outcome.REFUSED
    withheld = ScriptedDispatcher({"Edit": {"withheld": "tests are changed only with a person's word"}})
    task = loop(call("Edit"), *[say("done")] * 3, dispatcher=withheld, judge=Judge(no()))
    ended = task.run()
    assert ended.outcome is Outcome.BLOCKED
    assert "person's word" in ended.reason


@pytest.mark.parametrize("blame", [Outcome.TAMPERING, Outcome.INFRASTRUCTURE])
def test_the_judge_s_blame_names_the_outcome_of_a_run_that_gets_nowhere(blame):
    task = loop(*[say("done")] * 3, judge=Judge(Judgement(None, "skips were added", (failing("a", "b"),), blame=blame)))
    ended = task.run()
    assert ended == Stopped(blame, "skips were added")


def test_where_only_a_person_can_decide_no_further_turn_is_paid_for():
    judge = Judge(Judgement(None, "the tests change", blame=Outcome.BLOCKED, person_needed=True))
    task = loop(say("done"), say("never asked"), judge=judge)
    assert task.run() == Stopped(Outcome.BLOCKED, "the tests change")
    assert task.model.left == 1


def test_a_reply_cut_at_the_limit_is_asked_to_go_on_twice_and_then_the_task_ends():
    task = loop(*[say("long", "max_tokens")] * 3)
    ended = task.run()
    assert ended.outcome is Outcome.BUDGET_EXCEEDED
    assert len(task.model.requests) == 3


def test_tool_uses_of_a_cut_reply_are_never_acted_on():
    cut = ModelReply((ToolUseBlock("toolu_1", "Bash", None, '{"comm'),), "max_tokens", Usage(), "m")
    dispatcher = ScriptedDispatcher()
    loop(cut, say("done"), dispatcher=dispatcher).run()
    assert dispatcher.seen == []


def test_a_pause_is_continued_with_the_same_conversation():
    task = loop(say("thinking", "pause_turn"), say("done"))
    assert task.run() is FINISHED
    assert len(task.conversation.messages) == 2


def test_a_full_context_window_ends_the_task():
    ended = loop(say("", "model_context_window_exceeded")).run()
    assert ended == Stopped(Outcome.BUDGET_EXCEEDED, "the model's context window is full")


def test_a_limit_is_checked_before_a_call_is_paid_for():
    task = loop(call("Read"), say("never asked"), limits=replace(LIMITS, turns=1))
    assert task.run().outcome is Outcome.BUDGET_EXCEEDED
    assert task.model.left == 1


def test_three_invalid_calls_in_a_row_end_the_task():
    dispatcher = ScriptedDispatcher({"Nope": {"valid": False}})
    ended = loop(*[call("Nope")] * 3, dispatcher=dispatcher).run()
    assert ended == Stopped(Outcome.BUDGET_EXCEEDED, "the limit of 3 invalid tool calls in a row is reached")


def test_an_overloaded_model_is_tried_again_and_each_try_is_on_the_record():
    recorder = started_recorder()
    task = loop(ModelUnavailable("overloaded", status=529), say("done"), recorder=recorder)
    assert task.run() is FINISHED
    (retried,) = of_kind(recorder, Kind.MODEL_RETRIED)
    assert (retried["status"], retried["attempt"]) == (529, 1)
    assert task.budget.spent.turns == 1


def test_a_model_that_stays_away_or_refuses_the_request_is_an_error_with_the_reason():
    assert loop(*[ModelUnavailable("no route", status=None)] * 3).run().outcome is Outcome.ERROR
    ended = loop(ModelRejected("the key is not valid", status=401)).run()
    assert ended == Stopped(Outcome.ERROR, "the model's service refused the request: the key is not valid")


def test_plan_mode_ends_in_the_model_s_diagnosis_and_judges_nothing():
    judge = Judge(no())
    task = loop(say("the bug is in line 3"), judge=judge, read_only=True)
    assert task.run() == Stopped(Outcome.DIAGNOSIS, "the bug is in line 3")
    assert judge.asked == 0


def test_several_calls_of_one_reply_are_all_answered_in_order():
    task = loop(calls(tool_use("Read"), tool_use("Grep"), tool_use("Glob")), say("done"))
    task.run()
    uses = [block.id for block in task.conversation.messages[1].blocks]
    results: Sequence[ToolResultBlock] = task.conversation.messages[2].blocks
    assert [block.tool_use_id for block in results] == uses


class StopHooks:
    """Says no as often as told; `heard` is what it was told each time."""

    def __init__(self, noes):
        self.noes = noes
        self.heard = []

    def __call__(self, *, active):
        self.heard.append(active)
        self.noes -= 1
        return {"blocked": "a: say what you did", "feedback": "say what you did"} if self.noes >= 0 else NO_OBJECTION


NO_OBJECTION = {"blocked": "", "feedback": ""}


def test_a_stop_hook_sends_the_model_back_before_anything_is_verified():
    hooks = StopHooks(1)
    task = loop(say("done"), say("I mended add()"), stop_hooks=hooks)
    assert task.run() is FINISHED
    assert "say what you did" in str(task.conversation.messages[2].blocks)
    assert (hooks.heard, task.judge.asked) == ([False, True], 1)


def test_a_stop_hook_is_asked_where_the_harness_itself_would_end_the_task():
    hooks = StopHooks(1)
    dispatcher = ScriptedDispatcher({"RunChecks": {"reports": (failing(),)}})
    task = loop(call("Edit"), call("RunChecks"), call("RunChecks"), dispatcher=dispatcher, stop_hooks=hooks)
    assert task.run() is FINISHED
    assert hooks.heard == [False, True]


def test_a_stop_hook_that_never_lets_go_ends_the_task_as_blocked_by_a_rule():
    task = loop(*[say("done")] * 9, stop_hooks=StopHooks(99))
    ended = task.run()
    assert (ended.outcome, task.judge.asked) == (Outcome.BLOCKED, 0)
    assert "a: say what you did" in ended.reason


def test_a_diagnosis_is_held_back_by_a_stop_hook_as_well():
    task = loop(say("it is add()"), say("it is add(), line 2"), read_only=True, stop_hooks=StopHooks(1))
    assert task.run().reason == "it is add(), line 2"


def test_what_the_stop_hooks_said_is_on_the_journal():
    recorder = started_recorder()
    loop(say("done"), say("done"), recorder=recorder, stop_hooks=StopHooks(1)).run()
    assert [data["blocked"] for data in of_kind(recorder, Kind.END_ASKED)] == ["a: say what you did", ""]
