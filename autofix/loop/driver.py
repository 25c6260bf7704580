"""The outer loop: starts what the plan says is ready, settles what can no longer start, until every task has ended."""

from collections.abc import Callable, Mapping

from autofix.plan.graph import Plan, Task, TaskEnd, TaskKind, hopeless, ready
from autofix.state.events import Kind
from autofix.state.recorder import Recorder

Handler = Callable[[Task], TaskEnd]


def drive(plan: Plan, handlers: Mapping[TaskKind, Handler], recorder: Recorder) -> dict[str, TaskEnd]:
    """Run a valid plan to its end, or to where a person has to speak first; how each task ended."""
    recorder.plan = plan.version
    recorder.record(
        Kind.PLAN,
        version=plan.version,
        reason=plan.reason,
        tasks=[[task.id, task.kind.value, list(task.needs), task.wait_for] for task in plan.tasks],
    )
    settled: dict[str, TaskEnd] = {}
    while len(settled) < len(plan.tasks):
        for task in hopeless(plan, settled):
            settled[task.id] = TaskEnd.SKIPPED
            recorder.record(Kind.TASK_ENDED, task=task.id, end=TaskEnd.SKIPPED.value)
        for task in ready(plan, settled)[:1]:  # one at a time: each asks the model
            recorder.record(Kind.TASK_STARTED, task=task.id, kind=task.kind.value)
            end = handlers[task.kind](task)
            if end is TaskEnd.WAITING:
                return settled
            settled[task.id] = end
            recorder.record(Kind.TASK_ENDED, task=task.id, end=settled[task.id].value)
    return settled
