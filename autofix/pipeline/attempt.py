"""One fix task put together: context, gate, tools, judge and budget around the turn loop."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from autofix.checks.baseline import Baseline
from autofix.checks.measure import is_test_file
from autofix.checks.record import record_check
from autofix.checks.result import CheckResult
from autofix.checks.run import ReportInjection, run_check
from autofix.delivery.judge import FreshTreeJudge
from autofix.errors import TreeError
from autofix.harness.call import Ruling, ToolCall
from autofix.harness.context import FILES_BYTES, SYSTEM, TaskFacts, failing_cases, task_blocks, task_text, telling_order
from autofix.harness.dispatch import AfterHook, Dispatcher, Gate
from autofix.harness.fence import Fence
from autofix.harness.gate import Mode, Policy, ToolContract, decide, fold
from autofix.harness.protected import protected
from autofix.harness.tools import TOOLS, Workshop
from autofix.harness.tree_memory import TreeMemory
from autofix.loop.budget import Budget, kept_back
from autofix.loop.conversation import Conversation
from autofix.loop.progress import Progress
from autofix.loop.retry import RetryPolicy
from autofix.loop.turn import StopHooks, TurnLoop
from autofix.pipeline.order import Order, World
from autofix.pipeline.workspace import TimedSandbox, Workplace, Workspace
from autofix.ports.git import ChangeKind
from autofix.ports.model import JsonObject
from autofix.ports.sandbox import Sandbox
from autofix.ports.tree import WorkTree
from autofix.state.recorder import Recorder

PLAN_MODE = "This run is read-only: find the cause and end your turn with a diagnosis and the change you would make."
DIFF_LIMIT = 256 * 1024
"""Bytes of the diff that are read for the prompt, which shows far less."""
SHOWN_FILES_LIMIT = 12
"""Files looked at for the first message; the most telling come first."""


@dataclass(frozen=True, slots=True)
class TreeSight:
    """`harness.gate.Sight` over a work tree and the commit it was made from."""

    tree: WorkTree
    tracked: frozenset[str]
    directories: frozenset[str]

    @classmethod
    def of(cls, tree: WorkTree, paths: frozenset[str]) -> "TreeSight":
        parents = {parent for path in paths for parent in _parents(path)}
        return cls(tree, paths, frozenset(parents))

    def real_path(self, path: str) -> str:
        return self.tree.real_path(path)

    def is_tracked(self, path: str) -> bool:
        return path in self.tracked or path in self.directories

    def is_directory(self, path: str) -> bool:
        return path in self.directories


@dataclass(slots=True)
class ChecksInReach:
    """RunChecks, and the reports that the model's own commands leave: one inbox for the progress detector."""

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
class Bench:
    """What a fix task is put together from: the run, and the workplace that is this attempt's own."""

    order: Order
    world: World
    workspace: Workspace
    workplace: Workplace
    baseline: Baseline
    recorder: Recorder
    started: float
    """When the run started, by the clock."""
    fence: Fence


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Everything one fix task needs, ready to run."""

    loop: TurnLoop
    judge: FreshTreeJudge
    budget: Budget


def attempt(bench: Bench) -> Attempt:
    """Put a fix task together over a workplace that holds the untouched head."""
    order, world = bench.order, bench.world
    check_seconds = sum(result.seconds for result in bench.baseline.results)
    keep = kept_back(order.limits.seconds, check_seconds)
    budget = Budget(order.limits, order.price, world.clock, started=bench.started, keep=keep)
    sandbox = TimedSandbox(bench.workplace.sandbox, budget.loop_seconds_left)
    injection = ReportInjection(order.checks, sandbox)
    checks = ChecksInReach(order, sandbox, bench.recorder, injection)
    workshop = Workshop(
        tree=bench.workplace.tree,
        sandbox=sandbox,
        scope=order.scope,
        artifacts=world.artifacts,
        run_checks=checks.run,
        redactor=world.redactor,
        bash_environment=lambda: injection.environment,
    )
    dispatcher = Dispatcher(
        gate=_gate(bench),
        after_hook=_after_hook(bench),
        workshop=workshop,
        reports=checks.collect,
        redactor=world.redactor,
        recorder=bench.recorder,
        memory=TreeMemory(bench.workplace.tree, world.memory),
    )
    judge = _judge(bench)
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
        stop_hooks=_stop_hooks(bench) if world.hooks.guard_the_end else None,
        read_only=order.gate.mode is Mode.PLAN,
    )
    return Attempt(loop=loop, judge=judge, budget=budget)


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


def _gate(bench: Bench) -> Gate:
    """The layers and the hooks as one judge."""
    order, world, workplace = bench.order, bench.world, bench.workplace
    policy = policy_of(order, workplace, sandboxed=world.room.name != "host")
    paths = frozenset(entry.path for entry in world.git.entries(order.pull_request.head))
    sight = TreeSight.of(workplace.tree, paths)

    parser = world.parser()

    def judge(call: ToolCall) -> Ruling:
        layers = decide(call, policy, sight, parser).opinions
        hooks = world.hooks.before(call, cwd=workplace.sandbox.root, session=order.run_id)
        opinions = (*layers, *hooks)
        return Ruling(fold(opinions), opinions)

    return judge


def policy_of(order: Order, workplace: Workplace, *, sandboxed: bool) -> Policy:
    """What the layers of the gate judge by."""
    return Policy(
        mode=order.gate.mode,
        scope=order.scope,
        tools={name: ToolContract(tool.input, tool.tier) for name, tool in TOOLS.items()},
        sandboxed=sandboxed,
        denylist=order.gate.denylist,
        rules=order.gate.rules,
        protected=protected,
        tests_edit=order.gate.tests_edit,
        is_test=is_test_file,
        workspace=workplace.sandbox.root,
        workspace_aliases=(str(workplace.tree.path),),
    )


def _after_hook(bench: Bench) -> AfterHook:
    def tell(call: ToolCall, result: str) -> str:
        cwd = bench.workplace.sandbox.root
        said = bench.world.hooks.after(call, result, cwd=cwd, session=bench.order.run_id)
        return "\n".join(said.feedback)

    return tell


def _stop_hooks(bench: Bench) -> StopHooks:
    redact = bench.world.redactor.text

    def ask(*, active: bool) -> JsonObject:
        cwd = bench.workplace.sandbox.root
        said = bench.world.hooks.stop(cwd=cwd, session=bench.order.run_id, active=active)
        return {"blocked": redact(said.blocked or ""), "feedback": redact("\n".join(said.feedback))}

    return ask


def _judge(bench: Bench) -> FreshTreeJudge:
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
    )


def _progress(bench: Bench, dispatcher: Dispatcher) -> Progress:
    baseline = bench.baseline
    ignored = baseline.flaky | baseline.preexisting
    return Progress(baseline.goal, ignored, patience=bench.order.patience, start=dispatcher.tree_digest())


def _conversation(bench: Bench, workshop: Workshop) -> Conversation:
    order, fence = bench.order, bench.fence
    shown = _shown_files(order, workshop, bench.baseline)
    facts = TaskFacts(bench.baseline, order.scope, _diff(order, bench.world, shown), shown)
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


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
