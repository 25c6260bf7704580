import pytest

from autofix.checks.result import CHECK_DID_NOT_RUN, Case, CaseKey, CheckResult, NotRun, Outcome
from autofix.loop.progress import Progress

GOAL = frozenset(CaseKey("unit", name) for name in ("a", "b", "c"))


def report(not_run=None, **outcomes):
    cases = {name: Case(name, outcome) for name, outcome in outcomes.items()}
    return CheckResult("unit", cases, 1, report=True, not_run=not_run)


def failing(*names, of="abc"):
    return report(**{name: Outcome.FAILED if name in names else Outcome.PASSED for name in of})


def progress(patience=3, ignored=()):
    return Progress(GOAL, ignored, patience=patience, start="head")


def measure(detector, counts):
    """Measure one attempt per count, each on a tree of its own."""
    for number, count in enumerate(counts):
        detector.saw_state(f"tree {number}")
        detector.saw_results([failing(*"abc"[:count])], f"tree {number}")
        if detector.stop_reason():
            return number + 1
    return None


@pytest.mark.parametrize(
    ("counts", "stops_after"),
    [
        ([3, 3, 3, 3], 3),
        ([3, 2, 3, 2], None),
        ([3, 2, 3, 2, 3], 5),
        ([2, 3, 2, 3, 2], 4),
        ([2, 1, 1, 1, 1], 5),
        ([2, 1, 0], None),
        ([3, 3, 2, 3, 3, 1, 2, 2, 2], 9),
    ],
)
def test_three_measured_attempts_without_a_new_best_end_the_task(counts, stops_after):
    assert measure(progress(), counts) == stops_after


def test_the_reason_tells_the_counts():
    detector = progress()
    measure(detector, [2, 3, 2, 3])
    assert detector.stop_reason() == "3 measured attempts without a new best (failing 3-2-3, best 2)"


def test_a_second_look_at_the_same_tree_is_no_attempt():
    detector = progress()
    for _ in range(5):
        detector.saw_results([failing("a", "b", "c")], "head")
    assert detector.history == []
    assert detector.stop_reason() is None


def test_a_claim_to_be_done_is_an_attempt_even_where_nothing_changed():
    detector = progress()
    for _ in range(3):
        detector.saw_results([], "head", claim=True)
    assert "3 measured attempts" in detector.stop_reason()


def test_a_partial_report_updates_only_what_it_ran():
    detector = progress()
    detector.saw_results([report(a=Outcome.PASSED)], "edited")
    assert {key.case for key in detector.failing} == {"b", "c"}
    assert detector.best == 2


def test_tests_that_vanish_stay_failing():
    detector = progress()
    detector.saw_results([report()], "deleted the tests")
    assert len(detector.failing) == 3


def test_a_newly_broken_test_counts_and_a_flaky_one_does_not():
    detector = progress(ignored={CaseKey("unit", "flaky")})
    detector.saw_results([failing("a", "b", "c", "d", "flaky", of=["a", "b", "c", "d", "flaky"])], "edited")
    assert len(detector.failing) == 4


def test_a_check_that_does_not_run_counts_until_it_runs_again():
    detector = progress()
    broken = CheckResult(
        "unit", {CHECK_DID_NOT_RUN: Case(CHECK_DID_NOT_RUN, Outcome.ERROR)}, 2, report=False, not_run=NotRun.CRASHED
    )
    detector.saw_results([broken], "broken")
    assert len(detector.failing) == 4
    detector.saw_results([failing("a")], "mended")
    assert {key.case for key in detector.failing} == {"a"}


def test_a_measured_tree_that_comes_back_ends_the_task():
    detector = progress()
    detector.saw_results([failing("a", "b")], "A")
    detector.saw_results([failing("a")], "B")
    assert detector.stop_reason() is None
    detector.saw_results([failing("a", "b")], "A")
    assert "measured before" in detector.stop_reason()


def test_undoing_one_attempt_without_measuring_it_is_allowed():
    detector = progress()
    for state in ("A", "head", "B"):
        detector.saw_state(state)
    assert detector.stop_reason() is None


def test_undoing_and_redoing_the_same_edit_ends_the_task():
    detector = progress()
    for state in ("A", "head", "A", "head", "A"):
        detector.saw_state(state)
    assert "undone and redone" in detector.stop_reason()


def test_the_same_call_with_the_same_result_ends_the_task_unless_the_tree_changed():
    detector = progress()
    detector.saw_call("read a", "text")
    detector.saw_call("read a", "text")
    detector.saw_state("edited")
    detector.saw_call("read a", "text")
    detector.saw_call("read a", "text")
    assert detector.stop_reason() is None
    detector.saw_call("read a", "text")
    assert "same call" in detector.stop_reason()


def test_a_file_that_could_not_be_loaded_is_mended_when_its_tests_pass():
    """It is never heard of again under its own name."""
    whole, none = CaseKey("unit", "t.py"), CaseKey("unit", "unit")
    detector = Progress([whole, none], (), patience=3, start="head")

    detector.saw_results([report(**{"t.py::a": Outcome.PASSED, "t.py::b": Outcome.FAILED})], "one")
    assert detector.failing == {whole, none, CaseKey("unit", "t.py::b")}
    detector.saw_results([report(**{"u.py::a": Outcome.PASSED, "t.py::b": Outcome.PASSED})], "two")
    assert detector.failing == {none}
