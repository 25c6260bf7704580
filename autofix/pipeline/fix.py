"""What follows a baseline with something to fix: the plan's tasks, from the loop to the delivery."""

from collections.abc import Callable
from dataclasses import dataclass

from autofix.delivery.carry import carried
from autofix.delivery.commit_text import commit_text
from autofix.delivery.deliver import Delivered, Delivery, Moved, delivered_of
from autofix.delivery.rungs import Places
from autofix.errors import ForgeError, GitError
from autofix.loop.driver import Handler, Meanwhile, drive
from autofix.loop.outcome import Ended, Finished, Stopped
from autofix.pipeline.attempt import Attempt, attempt
from autofix.pipeline.bench import Bench
from autofix.pipeline.found import Found
from autofix.plan.graph import Task, TaskEnd, TaskKind, default_plan
from autofix.state.events import Kind
from autofix.state.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Fix:
    """The rest of a run; what it finds is written to `found`."""

    bench: Bench
    found: Found

    def play(self) -> None:
        self._stage("loop")
        self.found.attempt = ready = attempt(self.bench)
        handlers: dict[TaskKind, Handler] = {
            TaskKind.FIX: self._task(lambda meanwhile: self._fix(ready, meanwhile)),
            TaskKind.VERIFY: self._task(lambda _: self._verified(ready)),
            TaskKind.DELIVER: self._task(lambda _: self._deliver(ready)),
        }
        drive(default_plan(), handlers, self.bench.recorder)

    def _stage(self, name: str) -> None:
        self.bench.recorder.record(Kind.STAGE, name=name)

    def _task(self, deed: Callable[[Meanwhile], bool]) -> Handler:
        def handler(_task: Task, meanwhile: Meanwhile) -> TaskEnd:
            done = deed(meanwhile)
            if self.found.waiting:
                return TaskEnd.WAITING
            return TaskEnd.SUCCEEDED if done else TaskEnd.FAILED

        return handler

    def _fix(self, ready: Attempt, meanwhile: Meanwhile) -> bool:
        ready.approvals.meanwhile = meanwhile
        ended: Ended = ready.loop.run()
        if isinstance(ended, Stopped):
            ready.judge.snapshot()
            self.found.end(ended)
            self.found.waiting = self.found.waiting or ready.approvals.waiting
        return isinstance(ended, Finished)

    def _verified(self, ready: Attempt) -> bool:
        """With one group of cases the loop's own judgement was on the whole patch: there is nothing to merge."""
        return ready.judge.patch is not None and ready.judge.verification is not None

    def _deliver(self, ready: Attempt) -> bool:
        self._stage("delivery")
        done = self._remembered() or self._delivered_or_moved(ready)
        if isinstance(done, Moved) and self._moved_along(ready, done):
            done = self._delivered_or_moved(ready)
        if isinstance(done, Delivered):
            self.found.delivered = done
            self.bench.recorder.record(
                Kind.DELIVERED,
                rung=done.rung,
                commit=done.commit,
                branch=done.branch,
                patch_file=done.patch_file,
                apply=done.apply,
                fell=list(done.fell),
                url=done.url,
                rest=done.rest,
            )
            self.found.end(Stopped(Outcome.FIXED, "every failing test passes in a fresh checkout"))
            return True
        self.found.end(Stopped(Outcome.SUPERSEDED, done.reason))
        return False

    def _remembered(self) -> Delivered | None:
        """The delivery of a run that had delivered before it was stopped."""
        before = self.bench.recorder.recall_end(Kind.DELIVERED)
        return delivered_of(before) if before else None

    def _delivered_or_moved(self, ready: Attempt) -> Delivered | Moved:
        order, world = self.bench.order, self.bench.world
        patch = ready.judge.patch
        assert patch is not None, "a verified fix has a patch"
        text = commit_text(
            order.run_id,
            before=len(self.bench.baseline.goal),
            after=0,
            files=len(patch.files),
            spent=world.account(ready.budget.spent.usd),
        )
        delivery = Delivery(
            run_id=order.run_id,
            highest=order.delivery,
            apply=order.apply,
            places=Places(world.forge, world.pull),
            git=world.git,
            recorder=self.bench.recorder,
            keep=world.keep,
        )
        return delivery.deliver(patch, text)

    def _moved_along(self, ready: Attempt, moved: Moved) -> bool:
        """Take the fix to the branch's new head, once, where it fits there and holds there (I6)."""
        refetch, patch = self.bench.world.refetch, ready.judge.patch
        if refetch is None or moved.head is None or patch is None:
            return False
        try:
            new = carried(self.bench.world.git, patch, self.bench.order.pull_request, refetch())
        except (GitError, ForgeError) as error:
            self.bench.recorder.note(f"the branch's new head could not be read: {error}")
            return False
        if isinstance(new, str):
            self.bench.recorder.note(f"{moved.reason}; {new}")
            return False
        self.bench.recorder.note(f"{moved.reason}; the fix is verified once more on {new.base[:12]}")
        return ready.judge.holds_on(new)
