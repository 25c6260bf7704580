"""A plan as data: tasks, what each needs, and which are ready. Pure; it neither runs nor changes a task.

A plan is checked before it runs and never edited while it runs: another version replaces it. All problems of a plan
are reported at once, a cycle by the path that closes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal


class TaskKind(Enum):
    FIX = "fix"
    VERIFY = "verify"
    DELIVER = "deliver"
    REPORT = "report"


class TaskEnd(Enum):
    """How a settled task ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    WAITING = "waiting"
    """not settled: a person has to speak first"""


@dataclass(frozen=True, slots=True)
class Task:
    """One node.

    Attributes:
        needs: ids of tasks that come before.
        wait_for: "all": starts when every need has succeeded; "any": when the first has; "settled": when every need
            has ended, however it ended.
        config: what the task's kind wants to know.
    """

    id: str
    kind: TaskKind
    needs: tuple[str, ...] = ()
    wait_for: Literal["all", "any", "settled"] = "all"
    config: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """One version of a run's plan, and why it replaced the one before."""

    version: int
    tasks: tuple[Task, ...]
    reason: str = ""


def default_plan() -> Plan:
    """One cluster, one alternative: just the loop, verification, delivery. Every end is reported, planned or not."""
    return Plan(
        1,
        (
            Task("fix", TaskKind.FIX),
            Task("verify", TaskKind.VERIFY, ("fix",)),
            Task("deliver", TaskKind.DELIVER, ("verify",)),
        ),
        "one group of failing cases",
    )


def problems(plan: Plan) -> tuple[str, ...]:
    """Everything that is wrong with a plan, in words; empty when it can run."""
    ids = [task.id for task in plan.tasks]
    known = set(ids)
    twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    unknown = [(task.id, need) for task in plan.tasks for need in task.needs if need not in known]
    found = [f"two tasks are called {id_!r}" for id_ in twice]
    found += [f"task {id_!r} needs {need!r}, which is not in the plan" for id_, need in unknown]
    cycle = _cycle(plan.tasks)
    if cycle:
        found.append(f"tasks wait for each other: {' -> '.join(cycle)}")
    return tuple(found)


def ready(plan: Plan, settled: Mapping[str, TaskEnd]) -> tuple[Task, ...]:
    """The unsettled tasks that can start now, in the plan's order."""
    return tuple(task for task in plan.tasks if task.id not in settled and _can_start(task, settled))


def hopeless(plan: Plan, settled: Mapping[str, TaskEnd]) -> tuple[Task, ...]:
    """The unsettled tasks that can no longer start, because what they need did not succeed."""
    return tuple(task for task in plan.tasks if task.id not in settled and _cannot_start(task, settled))


def _can_start(task: Task, settled: Mapping[str, TaskEnd]) -> bool:
    ends = [settled.get(need) for need in task.needs]
    match task.wait_for:
        case "settled":
            return None not in ends
        case "any":
            return not ends or TaskEnd.SUCCEEDED in ends
        case "all":
            return all(end is TaskEnd.SUCCEEDED for end in ends)


def _cannot_start(task: Task, settled: Mapping[str, TaskEnd]) -> bool:
    ends = [settled.get(need) for need in task.needs]
    lost = [end for end in ends if end in {TaskEnd.FAILED, TaskEnd.SKIPPED}]
    match task.wait_for:
        case "settled":
            return False
        case "any":
            return bool(ends) and len(lost) == len(ends)
        case "all":
            return bool(lost)


def _cycle(tasks: Sequence[Task]) -> list[str]:
    """One cycle, first task repeated at the end; [] when there is none. Depth first, without recursion."""
    needs = {task.id: task.needs for task in tasks}
    done: set[str] = set()
    for start, first in needs.items():
        path, walk = [start], [iter(first)]
        while walk and start not in done:
            step = next(walk[-1], None)
            if step is None:
                done.add(path.pop())
                walk.pop()
            elif step in path:
                return [*path[path.index(step) :], step]
            elif step in needs and step not in done:
                path.append(step)
                walk.append(iter(needs[step]))
    return []
