import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.plan.graph import Plan, Task, TaskEnd, TaskKind, default_plan, hopeless, problems, ready


def plan(*tasks):
    return Plan(1, tuple(Task(id_, TaskKind.FIX, tuple(needs), wait_for=wait) for id_, needs, wait in tasks))


def test_the_default_plan_is_sound_and_starts_with_the_fix():
    assert problems(default_plan()) == ()
    assert [task.id for task in ready(default_plan(), {})] == ["fix"]


def test_all_problems_are_reported_at_once_and_a_cycle_by_its_path():
    found = problems(
        plan(("a", ["b"], "all"), ("b", ["c"], "all"), ("c", ["a"], "all"), ("c", [], "all"), ("d", ["x"], "all"))
    )
    assert any("two tasks are called 'c'" in text for text in found)
    assert any("'d' needs 'x'" in text for text in found)
    assert any("a -> b" in text for text in problems(plan(("a", ["b"], "all"), ("b", ["a"], "all"))))


@pytest.mark.parametrize(
    ("wait", "settled", "starts", "is_hopeless"),
    [
        ("all", {"x": TaskEnd.SUCCEEDED}, False, False),
        ("all", {"x": TaskEnd.SUCCEEDED, "y": TaskEnd.SUCCEEDED}, True, False),
        ("all", {"x": TaskEnd.FAILED}, False, True),
        ("any", {"x": TaskEnd.FAILED}, False, False),
        ("any", {"x": TaskEnd.FAILED, "y": TaskEnd.SUCCEEDED}, True, False),
        ("any", {"x": TaskEnd.FAILED, "y": TaskEnd.SKIPPED}, False, True),
        ("settled", {"x": TaskEnd.FAILED}, False, False),
        ("settled", {"x": TaskEnd.FAILED, "y": TaskEnd.SKIPPED}, True, False),
    ],
)
def test_when_a_task_starts_and_when_it_never_can(wait, settled, starts, is_hopeless):
    graph = plan(("x", [], "all"), ("y", [], "all"), ("t", ["x", "y"], wait))
    assert ("t" in {task.id for task in ready(graph, settled)}) is starts
    assert ("t" in {task.id for task in hopeless(graph, settled)}) is is_hopeless


@given(st.data())
def test_every_valid_graph_ends_with_every_task_settled(data):
    size = data.draw(st.integers(1, 8))
    tasks = [
        (str(n), [str(m) for m in data.draw(st.sets(st.integers(0, n - 1)) if n else st.just(set()))],
         data.draw(st.sampled_from(["all", "any", "settled"])))
        for n in range(size)
    ]  # fmt: skip
    graph = plan(*tasks)
    assert problems(graph) == ()
    settled = {}
    while len(settled) < size:
        lost, next_ = hopeless(graph, settled), ready(graph, settled)
        assert lost or next_
        settled.update(dict.fromkeys((task.id for task in lost), TaskEnd.SKIPPED))
        for task in next_:
            assert all(need in settled for need in task.needs) or task.wait_for == "any"
            settled[task.id] = data.draw(st.sampled_from([TaskEnd.SUCCEEDED, TaskEnd.FAILED]))
