"""The outer loop: starts what the plan says is ready, settles what can no longer start, until every task has ended.

A task that comes to a question for a person lets the others go on first, and asks when nothing else is left to do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autofix.plan.graph import Plan, Task, TaskEnd, TaskKind, hopeless, ready
from autofix.state.events import Kind
from autofix.state.recorder import Recorder

Meanwhile = Callable[[], bool]
"""Runs what else is ready; False where one of those waits for a person now, so that nothing else may be asked."""
Handler = Callable[[Task, Meanwhile], TaskEnd]


def drive(plan: Plan, handlers: Mapping[TaskKind, Handler], recorder: Recorder) -> dict[str, TaskEnd]:
    """Run a valid plan to its end, or to where a person has to speak first; how each settled task ended."""
    recorder.plan = plan.version
    recorder.record(
        Kind.PLAN,
        version=plan.version,
        reason=plan.reason,
        tasks=[[task.id, task.kind.value, list(task.needs), task.wait_for] for task in plan.tasks],
    )
    driving = _Driving(plan, handlers, recorder)
    driving.go_on()
    return driving.settled


@dataclass(slots=True)
class _Driving:
    plan: Plan
    handlers: Mapping[TaskKind, Handler]
    recorder: Recorder
    settled: dict[str, TaskEnd] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    waits: bool = False
    """A task has asked a person: nothing is started any more."""

    def go_on(self) -> bool:
        """Run what is ready, and what becomes ready by it, one after the other: each asks the model."""
        while not self.waits:
            self._give_up_hopeless()
            task = next((task for task in ready(self.plan, self.settled) if task.id not in self.begun), None)
            if task is None:
                break
            self._run(task)
        return not self.waits

    def _run(self, task: Task) -> None:
        self.begun.add(task.id)
        self.recorder.record(Kind.TASK_STARTED, task=task.id, kind=task.kind.value)
        end = self.handlers[task.kind](task, self.go_on)
        if end is TaskEnd.WAITING:
            self.waits = True
        else:
            self._settle(task, end)

    def _give_up_hopeless(self) -> None:
        while lost := hopeless(self.plan, self.settled):
            for task in lost:
                self._settle(task, TaskEnd.SKIPPED)

    def _settle(self, task: Task, end: TaskEnd) -> None:
        self.settled[task.id] = end
        self.recorder.record(Kind.TASK_ENDED, task=task.id, end=end.value)
