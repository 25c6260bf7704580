"""One fix task put together: context, gate, tools, judge and budget around the turn loop."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from autofix.checks.baseline import Baseline
from autofix.checks.injection import ReportInjection
from autofix.checks.record import record_check
from autofix.checks.result import CheckResult
from autofix.checks.run import run_check
from autofix.delivery.judge import FreshTreeJudge
from autofix.errors import TreeError
from autofix.harness.approval import Approvals
from autofix.harness.asking import AskingGate
from autofix.harness.context import FILES_BYTES, SYSTEM, TaskFacts, failing_cases, task_blocks, task_text, telling_order
from autofix.harness.dispatch import Dispatcher
from autofix.harness.fence import Fence
from autofix.harness.gate import Mode
from autofix.harness.tools import TOOLS, Workshop
from autofix.harness.tree_memory import TreeMemory
from autofix.loop.budget import Budget, kept_back
from autofix.loop.conversation import Conversation
from autofix.loop.progress import Progress
from autofix.loop.retry import RetryPolicy
from autofix.loop.turn import TurnLoop
from autofix.pipeline.bench import Bench
from autofix.pipeline.gatekeeping import after_hook_of, gate_of, stop_hooks_of
from autofix.pipeline.order import Order, World
from autofix.pipeline.workspace import TimedSandbox
from autofix.ports.git import ChangeKind
from autofix.ports.sandbox import Sandbox
from autofix.state.recorder import Recorder

PLAN_MODE = "This run is read-only: find the cause and end your turn with a diagnosis and the change you would make."
DIFF_LIMIT = 256 * 1024
"""Bytes of the diff that are read for the prompt, which shows far less."""
SHOWN_FILES_LIMIT = 12
"""Files looked at for the first message; the most telling come first."""


@dataclass(slots=True)
class ChecksInReach:
    """RunChecks, and what the model's own commands show: one inbox for the progress detector."""

    order: Order
    sandbox: Sandbox
    recorder: Recorder
    injection: ReportInjection
    _inbox: list[CheckResult] = field(default_factory=list)

    def run(self, check: str | None, tests: tuple[str, ...]) -> str:
        """The tool RunChecks: run one check or all, whole or only some tests; what the model reads."""
        chosen = [one for one in self.order.checks if check in {None, one.name}]
        if not chosen:
            names = ", ".join(one.name for one in self.order.checks)
            return f"There is no check {check!r}. Checks: {names}"
        results = [run_check(one, self.sandbox, tests=tests) for one in chosen]
        self._inbox.extend(results)
        for result in results:
            record_check(self.recorder, result, "asked by the model")
        return "\n\n".join(told(result) for result in results)

    def collect(self) -> tuple[CheckResult, ...]:
        """Everything the checks showed since last asked."""
        found = (*self._inbox, *self.injection.collect())
        self._inbox.clear()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Everything one fix task needs, ready to run."""

    loop: TurnLoop
    judge: FreshTreeJudge
    budget: Budget
    approvals: Approvals


def attempt(bench: Bench) -> Attempt:
    """Put a fix task together over a workplace that holds the untouched head."""
    order, world = bench.order, bench.world
    check_seconds = sum(result.seconds for result in bench.baseline.results)
    keep = kept_back(order.limits.seconds, check_seconds)
    life = None
    if order.lifetime_usd is not None:
        life = Budget.of_money("the pull request's life", order.lifetime_usd, order.price, world.clock)
    budget = Budget(order.limits, order.price, world.clock, started=bench.started, keep=keep, parent=life)
    sandbox = TimedSandbox(bench.workplace.sandbox, budget.loop_seconds_left)
    injection = ReportInjection(order.checks, sandbox, bench.baseline.results)
    checks = ChecksInReach(order, sandbox, bench.recorder, injection)
    workshop = Workshop(
        tree=bench.workplace.tree,
        sandbox=sandbox,
        scope=order.scope,
        artifacts=world.artifacts,
        run_checks=checks.run,
        redactor=world.redactor,
        bash_environment=lambda: injection.environment,
        after_bash=injection.hear,
    )
    approvals = _approvals(bench)
    judge = _judge(bench, approvals)

    def widen(path: str) -> None:
        """A person added a path: tools, gate and patch know it from here on."""
        workshop.scope = judge.scope = workshop.scope.granting(path)

    dispatcher = Dispatcher(
        gate=AskingGate(
            gate=gate_of(bench, lambda: workshop.scope), approvals=approvals, workshop=workshop, widen=widen
        ),
        after_hook=after_hook_of(bench),
        workshop=workshop,
        reports=checks.collect,
        redactor=world.redactor,
        recorder=bench.recorder,
        memory=TreeMemory(bench.workplace.tree, world.memory),
    )
    loop = TurnLoop(
        model=world.model,
        conversation=_conversation(bench, workshop),
        dispatcher=dispatcher,
        judge=judge,
        budget=budget,
        progress=_progress(bench, dispatcher),
        recorder=bench.recorder,
        clock=world.clock,
        policy=RetryPolicy(attempts=order.model_tries),
        on_text=world.on_text,
        stop_hooks=stop_hooks_of(bench),
        read_only=order.gate.mode is Mode.PLAN,
    )
    return Attempt(loop=loop, judge=judge, budget=budget, approvals=approvals)


def told(result: CheckResult) -> str:
    """A check's result as the model reads it: counts first, then each failing case with its trace."""
    failing = [case for case in result.cases.values() if case.outcome.failing]
    if result.not_run:
        head = f"{result.check}: {result.not_run.value} (exit code {result.exit_code})"
    else:
        head = f"{result.check}: {len(failing)} of {len(result.cases)} fail (exit code {result.exit_code})"
    parts = [head, *result.notes]
    parts += [f"{case.id}\n{case.trace or case.message}".rstrip() for case in failing]
    if not failing or result.not_run:
        parts.append(result.output)
    return "\n".join(part for part in parts if part)


def _approvals(bench: Bench) -> Approvals:
    order, world = bench.order, bench.world
    return Approvals(
        recorder=bench.recorder,
        run_id=order.run_id,
        head=order.pull_request.head,
        now=world.clock.now,
        lifetime=order.gate.questions,
        answers=world.answers,
    )


def _judge(bench: Bench, approvals: Approvals) -> FreshTreeJudge:
    order = bench.order

    @contextmanager
    def fresh(commit: str, name: str, files: Mapping[str, bytes | None]) -> Iterator[Sandbox]:
        with bench.workspace.opened(commit, name, files) as opened:
            yield opened.sandbox

    return FreshTreeJudge(
        tree=bench.workplace.tree,
        head=order.pull_request.head,
        scope=order.scope,
        limits=order.patch_limits,
        checks=order.checks,
        baseline=bench.baseline,
        tests_edit=order.gate.tests_edit,
        git=bench.world.git,
        fresh=fresh,
        recorder=bench.recorder,
        memory=bench.world.memory,
        approvals=approvals,
    )


def _progress(bench: Bench, dispatcher: Dispatcher) -> Progress:
    baseline = bench.baseline
    ignored = baseline.flaky | baseline.preexisting
    return Progress(baseline.goal, ignored, patience=bench.order.patience, start=dispatcher.tree_digest())


def _conversation(bench: Bench, workshop: Workshop) -> Conversation:
    order, fence = bench.order, bench.fence
    shown = _shown_files(order, workshop, bench.baseline)
    facts = TaskFacts(
        baseline=bench.baseline,
        scope=order.scope,
        diff=_diff(order, bench.world, shown),
        files=shown,
        taught=order.taught,
        evidence=bench.evidence,
    )
    blocks = task_blocks(facts, lambda label, text: fence.around(text, label))
    return Conversation(
        model=order.model,
        system=SYSTEM,
        tools=[tool.spec() for tool in TOOLS.values()],
        task=bench.world.redactor.text(task_text(blocks, _preamble(order, fence))),
        max_tokens=order.max_output_tokens,
    )


def _preamble(order: Order, fence: Fence) -> str:
    return f"{fence.explanation}\n\n{PLAN_MODE}" if order.gate.mode is Mode.PLAN else fence.explanation


def _diff(order: Order, world: World, shown: Collection[str]) -> str:
    """What the pull request changes in scope; a new file that is shown whole needs no diff."""
    pull_request = order.pull_request
    added = {change.path for change in pull_request.changes if change.kind is ChangeKind.ADDED}
    paths = sorted(order.scope.paths - (added & set(shown)))
    if not paths:
        return ""
    return world.git.diff(pull_request.merge_base, pull_request.head, paths, DIFF_LIMIT).decode("utf-8", "replace")


def _shown_files(order: Order, workshop: Workshop, baseline: Baseline) -> dict[str, str]:
    """In-scope files that fit the first message, the most telling first; they count as read."""
    shown: dict[str, str] = {}
    left = FILES_BYTES
    for path in telling_order(sorted(order.scope.paths), failing_cases(baseline))[:SHOWN_FILES_LIMIT]:
        try:
            state = workshop.tree.read(path, left)
            shown[path] = state.content.decode("utf-8")
        except (TreeError, UnicodeDecodeError):
            continue  # too large, or not text: the model can Read it by part
        left -= len(state.content)
        workshop.seen[path] = state.token
    return shown
