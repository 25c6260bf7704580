"""A run, stage by stage. However it ends, what it knows is published and what it opened is closed (I7)."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Thread
from traceback import format_exception
from typing import TYPE_CHECKING

from autofix.checks.baseline import Baseline, BaselineEvent, BaselineVerdict, take_baseline
from autofix.checks.ci_evidence import CiEvidence
from autofix.checks.kept import pack_baseline, unpack_baseline
from autofix.checks.record import record_check
from autofix.errors import AutofixError, Cancelled, CannotPush, ForgeError, SandboxError
from autofix.harness.fence import Fence
from autofix.loop.outcome import Stopped
from autofix.pipeline.found import Found
from autofix.pipeline.order import Order, World
from autofix.pipeline.workspace import Workplace, Workspace
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder, texts

if TYPE_CHECKING:
    from autofix.report.facts import RunReport
    from autofix.report.tally import Tally

_WITHOUT_MODEL = {
    BaselineVerdict.NOTHING_FAILS: Outcome.NOTHING_TO_FIX,
    BaselineVerdict.ALL_FLAKY: Outcome.FLAKY,
    BaselineVerdict.ALL_PREEXISTING: Outcome.PREEXISTING,
    BaselineVerdict.INFRASTRUCTURE: Outcome.INFRASTRUCTURE,
}


def run(
    order: Order,
    world: World,
    recorder: Recorder,
    tally: "Tally",
    ending: Callable[[], None] = lambda: None,
    *,
    spent: float = 0.0,
) -> "RunReport":
    """Play all stages; what people and machines may know of it. Raises only what ends the process itself.

    Args:
        order: what was decided before.
        world: the doors.
        recorder: writes the journal; that of a resumed run knows its past.
        tally: hears the recorder.
        ending: told when the stages are over: what follows must not be interrupted.
        spent: seconds that the run had used when it was stopped, where it is resumed.
    """
    found = Found(started=world.clock.monotonic() - spent)
    started = recorder.record(
        Kind.RUN_STARTED,
        run=order.run_id,
        base=order.pull_request.base,
        head=order.pull_request.head,
        branch=order.pull_request.branch,
        model=order.model,
        sandbox=world.room.name,
        settings=dict(order.settings),
        limits={"turns": order.limits.turns, "usd": str(order.limits.usd), "seconds": order.limits.seconds},
        fence=Fence.random().marker,
    )
    fence = Fence(str(started.data["fence"]))  # a resumed run goes on with the marker its conversation began with
    try:
        with ExitStack() as stack:
            stack.callback(world.trees.drop_all)
            _Run(order, world, recorder, found, fence, stack).play()
            _park(world, found)
    except Cancelled as error:
        found.end(Stopped(Outcome.CANCELLED, str(error) or "the run was cancelled"), "cancelled")
    except SandboxError as error:
        found.end(Stopped(Outcome.INFRASTRUCTURE, str(error)), "failed")
    except AutofixError as error:
        found.end(Stopped(Outcome.ERROR, str(error)), "failed")
    except Exception as error:  # noqa: BLE001 - whatever it was, the run must end with an outcome (I7)
        world.keep("error.txt", "".join(format_exception(error)).encode())
        found.end(Stopped(Outcome.ERROR, f"unexpected {type(error).__name__}: {error}; see error.txt"), "failed")
    ending()
    from autofix.pipeline.publish import publish

    return publish(order, world, recorder, tally, found)


def _park(world: World, found: Found) -> None:
    """Put a run that waits where another process finds it. One that cannot be kept does not wait."""
    if found.waiting is None:
        return
    try:
        world.park()
    except (CannotPush, ForgeError) as error:
        reason = f"the fix needs a person's word ({found.waiting.line}), and the run cannot be kept until then: {error}"
        found.waiting, found.ended = None, Stopped(Outcome.BLOCKED, reason)


@dataclass(slots=True)
class _Run:
    """The stages of one run; each is a line or two of `play` or a task of the plan."""

    order: Order
    world: World
    recorder: Recorder
    found: Found
    fence: Fence
    stack: ExitStack
    base: Callable[[], Workplace] | None = None
    """The merge base's workplace, once it is being opened."""

    def play(self) -> None:
        if not self.order.scope.paths and not self.order.scope.extra:
            self.found.end(Stopped(Outcome.OUT_OF_SCOPE, "the pull request changes no file that may be edited"))
            return
        workspace = Workspace(self.world.trees, self.world.room, self.order.sandbox, self._seconds_left)
        self.stack.callback(workspace.settle)
        workplace = self._baseline(workspace)
        baseline = self.found.baseline
        self.found.evidence = self._evidence()
        if workplace is None or baseline is None or baseline.verdict is not BaselineVerdict.FAILING:
            self._say_what_failed_there()
            return
        self._fix(workspace, workplace, baseline)

    def _seconds_left(self) -> float:
        return self.found.started + self.order.limits.seconds - self.world.clock.monotonic()

    def _stage(self, name: str) -> None:
        self.recorder.record(Kind.STAGE, name=name)

    def _baseline(self, workspace: Workspace) -> Workplace | None:
        """The picture before any edit; the workplace it was taken in becomes the first attempt's."""
        order = self.order
        if order.sandbox.setup_command:
            self._stage("setup")
            workspace.set_up(order.pull_request.head)
        self._stage("baseline")
        workplace = self.stack.enter_context(workspace.opened(order.pull_request.head, "attempt-1"))
        Thread(target=load_the_rest, args=(self.world,), daemon=True).start()
        self.found.baseline = baseline = self._remembered_baseline() or self._measured_baseline(workspace, workplace)
        if self._seconds_left() <= 0:
            minutes = self.order.limits.seconds / 60
            self.found.end(Stopped(Outcome.BUDGET_EXCEEDED, f"the run's {minutes:g} minutes ended during the baseline"))
        if baseline.verdict in _WITHOUT_MODEL:
            self.found.end(Stopped(_WITHOUT_MODEL[baseline.verdict], baseline.reason))
        workplace.tree.restore(workplace.tree.compare().tracked)  # what the checks themselves rewrote
        return workplace

    def _say_what_failed_there(self) -> None:
        """Nothing fails here, and something did in CI: whoever looks next wants to know what."""
        ended, evidence = self.found.ended, self.found.evidence
        if ended and ended.outcome is Outcome.NOTHING_TO_FIX and evidence and evidence.line:
            reason = f"{ended.reason}; in CI failed: {evidence.line}"
            self.found.ended = Stopped(ended.outcome, reason)

    def _evidence(self) -> CiEvidence | None:
        """What CI showed, as it was when it was first asked."""
        before = self.recorder.recall(Kind.CI_EVIDENCE)
        if before:
            self.recorder.record(Kind.CI_EVIDENCE)
            return CiEvidence.from_json(self.world.memory.read(str(before.data["kept"])) or b"")
        found = None if self.recorder.recalling else self.world.evidence()
        if found:
            found = found.redacted(self.world.redactor.text)
            self.recorder.record(
                Kind.CI_EVIDENCE,
                jobs=[[job.name, list(job.steps), job.url] for job in found.jobs],
                cases=[case.name for case in found.cases],
                notes=list(found.notes),
                kept=self.world.memory.keep("ci", found.to_json()),
            )
        return found

    def _remembered_baseline(self) -> Baseline | None:
        """The baseline of a run that had taken it before it was stopped."""
        before = self.recorder.recall_end(Kind.BASELINE)
        if before is None:
            return None
        self.recorder.record(Kind.BASELINE)
        return unpack_baseline(self.world.memory.read(str(before.data["kept"])) or b"")

    def _measured_baseline(self, workspace: Workspace, workplace: Workplace) -> Baseline:
        order = self.order
        baseline = take_baseline(
            order.checks,
            workplace.sandbox,
            lambda: self._base(workspace)().sandbox,
            reruns=order.reruns,
            fix_preexisting=order.fix_preexisting,
            record=lambda event: self._check_ran(event, workspace),
            memory=self.world.cases,
            renamed=order.pull_request.renamed,
        )
        self._record_baseline(baseline)
        return baseline

    def _base(self, workspace: Workspace) -> Callable[[], Workplace]:
        """Begins to open the merge base's workplace; what it gives waits for it."""
        if self.base is None:
            self.base = self.stack.enter_context(workspace.opening(self.order.pull_request.merge_base, "base"))
        return self.base

    def _fix(self, workspace: Workspace, workplace: Workplace, baseline: Baseline) -> None:
        from autofix.pipeline.bench import Bench
        from autofix.pipeline.fix import Fix

        bench = Bench(
            order=self.order,
            world=self.world,
            workspace=workspace,
            workplace=workplace,
            baseline=baseline,
            recorder=self.recorder,
            started=self.found.started,
            fence=self.fence,
            evidence=self.found.evidence,
        )
        Fix(bench, self.found).play()

    def _check_ran(self, event: BaselineEvent, workspace: Workspace) -> None:
        if event.result is None:
            self.recorder.record(Kind.CHECK_STARTED, check=event.check, why=event.stage.value)
            return
        record_check(self.recorder, event.result, event.stage.value)
        if event.result.failing and not self._may_be_known(event.check):
            self._base(workspace)  # it is asked next whether that fails there too; the re-runs leave time to open it

    def _may_be_known(self, name: str) -> bool:
        """Whether an earlier run looked at this check at the merge base: then nothing may have to be run there."""
        cases = self.world.cases
        return cases is not None and any(cases.has_seen(check) for check in self.order.checks if check.name == name)

    def _record_baseline(self, baseline: Baseline) -> None:
        self.recorder.record(
            Kind.BASELINE,
            verdict=baseline.verdict.value,
            reason=baseline.reason,
            goal=texts(sorted(baseline.goal)),
            flaky=texts(sorted(baseline.flaky)),
            preexisting=texts(sorted(baseline.preexisting)),
            order_dependent=texts(sorted(baseline.order_dependent)),
            kept=self.world.memory.keep("baseline", pack_baseline(baseline)),
        )


def load_the_rest(world: World) -> None:
    """Import what comes after the baseline: together over a second, and nothing while the checks run."""
    from autofix.checks import kept
    from autofix.harness.bash import analysis  # noqa: F401 - loaded, for whoever imports it next
    from autofix.pipeline import fix, publish  # noqa: F401 - the same

    world.model.prepare()
    kept.prepare()
    world.parser().parse(":")
    from autofix.report.comment import template

    template()
