"""The turn loop, on one screen: limits, model, tools, progress, stop or go on.

It trusts nothing the model says of its own success: a claim to be done is judged in a fresh tree, and so is a tree
whose failing count has reached zero, before another turn is paid for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from autofix.errors import ModelRejected, ModelUnavailable
from autofix.harness.approval import Waiting
from autofix.harness.dispatch import Dispatched, Dispatcher
from autofix.loop.budget import Budget
from autofix.loop.conversation import Conversation
from autofix.loop.outcome import Ended, Judge, Stopped
from autofix.loop.progress import Measure, Progress
from autofix.loop.retry import Retry, RetryPolicy, call_with_retries
from autofix.loop.stop import Standing, first_stop
from autofix.ports.clock import Clock
from autofix.ports.model import JsonObject, Model, ModelReply
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder

SMALLER_STEPS_LIMIT = 2
"""How often in a row a reply may hit the output limit before the task ends."""
SMALLER_STEPS = "Your reply was cut at the output limit. Continue in smaller steps: one short tool call at a time."
HELD_BACK_LIMIT = 3
"""How often in a row Stop hooks may send the model back; then their objection ends the task."""
HELD_BACK = "A hook of the repository does not let you end yet:\n"
NOT_ACCEPTED = "The harness verified your work in a fresh checkout and does not accept it yet:\n"


class StopHooks(Protocol):
    """Asks the hooks whether the task may end: `blocked` is the first objection ("" for none), `feedback` all of it."""

    def __call__(self, *, active: bool) -> JsonObject: ...


@dataclass(slots=True, kw_only=True)
class TurnLoop:
    """One task: the conversation with the model until the patch is verified or a condition says stop."""

    model: Model
    conversation: Conversation
    dispatcher: Dispatcher
    judge: Judge
    budget: Budget
    progress: Progress
    recorder: Recorder
    clock: Clock
    policy: RetryPolicy
    on_text: Callable[[str], None]
    stop_hooks: StopHooks | None = None
    """None where no hook wants to be asked."""
    read_only: bool = False
    """Plan mode: the model's last word is a diagnosis, not a claim to be judged."""
    standing: Standing = field(default_factory=Standing)
    last_words: str = ""
    _cut_in_a_row: int = 0
    _held_in_a_row: int = 0

    def run(self) -> Ended:
        while True:
            stopped = first_stop(self)
            if stopped:
                return stopped
            try:
                reply = self._ask()
            except ModelUnavailable as error:
                return Stopped(Outcome.ERROR, f"the model could not be reached: {error}")
            except ModelRejected as error:
                return Stopped(Outcome.ERROR, f"the model's service refused the request: {error}")
            self.conversation.add_reply(reply)
            ended = self._answer(reply)
            if ended:
                return ended

    def _ask(self) -> ModelReply:
        request = self.conversation.request()
        self.recorder.record(Kind.MODEL_CALLED, model=request.model, messages=len(request.messages))
        reply = call_with_retries(
            self.model,
            request,
            self.on_text,
            clock=self.clock,
            deadline=self.budget.loop_deadline,
            record=self._retried,
            policy=self.policy,
        )
        self.budget.spend_call(reply.usage)
        self._replied(reply)
        return reply

    def _answer(self, reply: ModelReply) -> Ended | None:
        self._cut_in_a_row = self._cut_in_a_row + 1 if reply.stop_reason == "max_tokens" else 0
        self.last_words = reply.text or self.last_words
        match reply.stop_reason:
            case "tool_use":
                return self._use_tools(reply)
            case "end_turn" | "stop_sequence":
                return self._diagnosed(reply) if self.read_only else self._claimed_done()
            case "max_tokens" if self._cut_in_a_row <= SMALLER_STEPS_LIMIT:
                self.conversation.add_text(SMALLER_STEPS)
            case "pause_turn":
                pass  # the same conversation again: the service continues where it paused
            case "refusal":
                return Stopped(Outcome.REFUSED, f"the model declined: {reply.text or 'no reason given'}")
            case "model_context_window_exceeded":
                return Stopped(Outcome.BUDGET_EXCEEDED, "the model's context window is full")
            case _:
                return Stopped(Outcome.BUDGET_EXCEEDED, "the model's replies keep hitting the output limit")
        return None

    def _use_tools(self, reply: ModelReply) -> Ended | None:
        done: list[Dispatched] = []
        for use in reply.tool_uses:
            one = self.dispatcher.dispatch(use)
            if isinstance(one, Waiting):
                return Stopped(Outcome.AWAITING_APPROVAL, one.line)
            done.append(one)
        for one in done:
            self._observe(one)
        ended, evidence = self._judge_when_clean(done)
        self.conversation.add_results([one.result for one in done], evidence)
        return ended

    def _observe(self, one: Dispatched) -> None:
        self.budget.spend_tool(valid=one.valid)
        self.standing.scope_request = one.scope_request or self.standing.scope_request
        if one.withheld:
            self.standing.withheld = [*(self.standing.withheld or []), one.withheld]
        self.progress.saw_state(one.tree)
        self.progress.saw_call(one.fingerprint, one.result.content)
        self._measured(self.progress.saw_results(one.reports, one.tree))

    def _judge_when_clean(self, done: list[Dispatched]) -> tuple[Ended | None, str]:
        """A measured tree without failures is judged at once: the model's next turn would only say so."""
        measured = any(one.reports for one in done)
        if self.read_only or not measured or self.progress.failing or self.standing.scope_request:
            return None, ""
        return self._judge_unless_held()

    def _claimed_done(self) -> Ended | None:
        ended, evidence = self._judge_unless_held()
        if ended is None:
            self.conversation.add_text(evidence)
        return ended

    def _judge_unless_held(self) -> tuple[Ended | None, str]:
        ended, feedback = self._held_back()
        return (ended, feedback) if ended or feedback else self._judge()

    def _held_back(self) -> tuple[Stopped | None, str]:
        """What the Stop hooks have to say to the end: a text for the model, or, once too often, an end of their own."""
        if self.stop_hooks is None:
            return None, ""
        asked = self.recorder.recall(Kind.END_ASKED)
        said = asked.data if asked else self.stop_hooks(active=self._held_in_a_row > 0)
        self.recorder.record(Kind.END_ASKED, **said)
        self._held_in_a_row = self._held_in_a_row + 1 if said["blocked"] else 0
        if self._held_in_a_row > HELD_BACK_LIMIT:
            return Stopped(Outcome.BLOCKED, f"a Stop hook does not let the run end: {said['blocked']}"), ""
        return None, f"{HELD_BACK}{said['feedback']}" if said["blocked"] else ""

    def _judge(self) -> tuple[Ended | None, str]:
        judgement = self.judge()
        self.standing.judgement = judgement
        if judgement.blame is Outcome.AWAITING_APPROVAL:
            return Stopped(judgement.blame, judgement.evidence), ""
        if judgement.finished:
            return judgement.finished, ""
        tree = self.dispatcher.tree_digest()
        self._measured(self.progress.saw_results(judgement.results, tree, claim=True))
        return None, NOT_ACCEPTED + judgement.evidence

    def _diagnosed(self, reply: ModelReply) -> Stopped | None:
        ended, feedback = self._held_back()
        if feedback:
            self.conversation.add_text(feedback)
            return None
        return ended or Stopped(Outcome.DIAGNOSIS, reply.text or "the model gave no diagnosis")

    def _measured(self, measure: Measure | None) -> None:
        if measure:
            self.recorder.record(
                Kind.PROGRESS,
                attempt=measure.attempt,
                failing=measure.failing,
                best=measure.best,
                without_new_best=measure.without_new_best,
            )

    def _retried(self, retry: Retry) -> None:
        self.budget.spend_tokens(retry.usage)
        self.recorder.record(
            Kind.MODEL_RETRIED, attempt=retry.attempt, status=retry.status, reason=retry.reason, wait=retry.wait
        )

    def _replied(self, reply: ModelReply) -> None:
        usage, spent = reply.usage, self.budget.spent
        self.recorder.record(
            Kind.MODEL_REPLIED,
            stop_reason=reply.stop_reason,
            text=reply.text,
            tools=[use.name for use in reply.tool_uses],
            usage=[usage.input, usage.output, usage.cache_read, usage.cache_write],
            turns=spent.turns,
            usd=f"{spent.usd:.6f}" if self.budget.priced else None,
            request_id=reply.request_id,
        )
