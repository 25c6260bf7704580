"""The picture at the head: what is to be fixed, what is flaky, old, or the machine's."""

import pytest

from autofix.checks.baseline import BaselineEvent, BaselineVerdict, Stage, take_baseline
from autofix.checks.case_memory import CaseMemory
from autofix.checks.company import PROBES
from autofix.checks.renames import former_names
from autofix.checks.result import CHECK_DID_NOT_RUN, CaseKey, Check
from autofix.errors import SandboxBroken, UsageError
from autofix.ports.sandbox import CommandResult, ShellCommand
from tests.fakes.pytest_runs import reporting
from tests.fakes.sandbox import FakeSandbox, answered
from tests.fakes.shelf import FakeShelf

UNIT = Check("unit", "pytest -q", "pytest")
LINT = Check("lint", "ruff check")
TAP = Check("tap", "./tests.sh", "tap")


def report(exit_code: int | None = None, **outcomes: bool | str):
    """A run: test name -> passed; a string is the message of a collection error."""
    inner = "".join(_testcase(name, outcome) for name, outcome in outcomes.items())
    return reporting(
        inner, int(not all(outcome is True for outcome in outcomes.values())) if exit_code is None else exit_code
    )


def _testcase(name: str, outcome: bool | str) -> str:
    if isinstance(outcome, str):
        return f'<testcase classname="" name="{name}" file="{name}.py"><error message="collection failure">E   {outcome}</error></testcase>'
    failure = "" if outcome else '<failure message="no">x</failure>'
    return f'<testcase classname="t" name="{name}" file="t.py">{failure}</testcase>'


class Taken:
    """A baseline over scripted sandboxes, with the runs it took."""

    def __init__(self, head: FakeSandbox, base: FakeSandbox | None = None, checks=(UNIT,), **options):
        self.events: list[BaselineEvent] = []
        self.base = base
        self.opened = 0
        self.baseline = take_baseline(checks, head, self._open, record=self.events.append, **options)

    def _open(self) -> FakeSandbox:
        self.opened += 1
        assert self.base is not None, "nobody foresaw a look at the merge base"
        return self.base

    @property
    def stages(self) -> list[Stage]:
        return [event.stage for event in self.events if event.result is not None]


def key(name: str, check: str = "unit") -> CaseKey:
    return CaseKey(check, f"t.py::{name}")


def test_nothing_fails_costs_one_run_and_no_base():
    taken = Taken(FakeSandbox().on("", report(a=True)))

    assert taken.baseline.verdict is BaselineVerdict.NOTHING_FAILS
    assert taken.stages == [Stage.HEAD]
    assert taken.opened == 0


def test_a_test_that_fails_every_time_and_passes_at_the_base_is_the_goal():
    base = FakeSandbox().on("", report(a=True))
    head = FakeSandbox().on("::a", report(a=False)).on("", report(a=False, b=True))

    taken = Taken(head, base)

    assert taken.baseline.verdict is BaselineVerdict.FAILING
    assert taken.baseline.goal == {key("a")}
    assert taken.stages == [Stage.HEAD, Stage.RERUN, Stage.RERUN, Stage.RERUN, Stage.BASE, Stage.ALONE]
    assert base.closed == 1
    assert base.scripts == ["pytest -q t.py::a"]
    assert head.closed == 0


def test_a_test_that_passes_once_on_the_same_tree_is_flaky_and_no_goal():
    head = FakeSandbox().on("", report(a=False), report(a=False), report(a=True))

    taken = Taken(head)

    assert taken.baseline.verdict is BaselineVerdict.ALL_FLAKY
    assert taken.baseline.flaky == {key("a")}
    assert taken.baseline.goal == frozenset()
    assert taken.stages == [Stage.HEAD, Stage.RERUN, Stage.RERUN]


def test_reruns_go_on_until_every_failing_test_is_decided():
    head = FakeSandbox().on("::", report(b=False)).on("", report(a=False, b=False), report(a=True, b=False))

    taken = Taken(head, FakeSandbox().on("", report(b=True)))

    assert taken.stages.count(Stage.RERUN) == 3
    assert taken.baseline.flaky == {key("a")}
    assert taken.baseline.goal == {key("b")}


def test_a_test_that_is_missing_from_a_rerun_is_not_taken_for_flaky():
    head = FakeSandbox().on("::", report(a=False)).on("", report(a=False, b=True), report(b=True))

    assert Taken(head, FakeSandbox().on("", report(a=True))).baseline.goal == {key("a")}


def test_what_fails_at_the_merge_base_too_is_older_than_the_pull_request():
    head = FakeSandbox().on("::", report(b=False)).on("", report(a=False, b=False))
    base = FakeSandbox().on("", report(a=False, b=True))

    taken = Taken(head, base)

    assert taken.baseline.preexisting == {key("a")}
    assert taken.baseline.goal == {key("b")}


def test_only_old_failures_are_not_the_pull_requests():
    taken = Taken(FakeSandbox().on("", report(a=False)), FakeSandbox().on("", report(a=False)))

    assert taken.baseline.verdict is BaselineVerdict.ALL_PREEXISTING


def test_old_failures_are_fixed_too_when_asked_for_and_the_base_is_not_even_opened():
    taken = Taken(FakeSandbox().on("", report(a=False)), fix_preexisting=True)

    assert taken.baseline.goal == {key("a")}
    assert taken.opened == 0


def test_a_test_that_the_base_does_not_have_is_the_pull_requests():
    base = FakeSandbox().on("", answered("ERROR: not found: /x/t.py::a", 4))

    assert Taken(FakeSandbox().on("", report(a=False)), base).baseline.goal == {key("a")}


def test_a_test_that_passes_without_the_others_company_is_named_order_dependent_and_stays_in_the_goal():
    head = FakeSandbox().on("::a", report(a=True)).on("", report(b=True, a=False))

    taken = Taken(head, FakeSandbox().on("", report(a=True)))

    assert taken.baseline.goal == {key("a")}
    assert taken.baseline.order_dependent == {key("a")}


def test_each_of_several_failing_tests_is_probed_alone_when_together_they_still_fail():
    head = (
        FakeSandbox()
        .on("::a t.py::b", report(a=False, b=False))
        .on("::a$", report(a=True))
        .on("::b$", report(b=False))
        .on("t.py$", report(c=True, a=True, b=False))
        .on("", report(c=True, a=False, b=False))
    )

    taken = Taken(head, FakeSandbox().on("", report(a=True, b=True)))

    assert taken.baseline.goal == {key("a"), key("b")}
    assert taken.baseline.order_dependent == {key("a")}
    assert taken.stages[-4:] == [Stage.ALONE, Stage.ALONE, Stage.ALONE, Stage.FILE_ORDER]


@pytest.mark.parametrize(
    ("in_its_file", "who"),
    [(True, "in the order of its own file: tests of other files"), (False, "not behind the other tests of its file")],
)
def test_who_disturbs_an_order_dependent_test_is_told_by_running_its_file(in_its_file: bool, who: str):
    head = (
        FakeSandbox()
        .on("::a$", report(a=True))
        .on("t.py$", report(b=True, a=in_its_file))
        .on("", report(b=True, a=False))
    )

    taken = Taken(head, FakeSandbox().on("", report(a=True)))

    assert who in " ".join(taken.baseline.notes)
    in_order = next(command for command in head.ran if command.script.endswith("t.py"))
    assert "-p no:randomly" in in_order.environment["PYTEST_ADDOPTS"]


def test_the_number_of_probes_is_bounded_and_said():
    names = [f"n{number}" for number in range(PROBES + 5)]
    everything = report(**dict.fromkeys(names, False), fine=True)

    taken = Taken(FakeSandbox().on("", everything), FakeSandbox().on("", report(**dict.fromkeys(names, True))))

    assert taken.stages.count(Stage.ALONE) == 1 + PROBES
    assert taken.baseline.notes == ("check unit: 5 failing tests were not run each alone",)


def test_a_runner_that_takes_no_single_tests_says_that_the_order_was_not_looked_at():
    def tap(text: str, exit_code: int):
        def run_it(sandbox: FakeSandbox, command: ShellCommand) -> CommandResult:
            place = command.script.partition(f"> {sandbox.scratch}/")[2].split()[0]
            sandbox.files[place] = text.encode()
            return answered(text, exit_code)

        return run_it

    head = FakeSandbox().on("", tap("1..2\nnot ok 1 a\nok 2 b\n", 1))

    taken = Taken(head, FakeSandbox().on("", tap("1..2\nok 1 a\nok 2 b\n", 0)), checks=(TAP,))

    assert len(taken.baseline.goal) == 1
    assert taken.baseline.notes == ("check tap: its runner takes no single tests, so their order was not looked at",)


def test_a_test_that_fails_at_the_base_only_now_and_then_stays_in_the_goal_and_is_known_as_unsteady():
    base = FakeSandbox().on("", report(a=False), report(a=True))

    taken = Taken(FakeSandbox().on("", report(a=False)), base)

    assert taken.baseline.goal == taken.baseline.unsteady == {key("a")}
    assert taken.baseline.preexisting == frozenset()
    assert taken.baseline.doubtful("unit") == {"t.py::a"}
    assert taken.stages.count(Stage.BASE) == 2


def test_what_the_merge_base_showed_once_is_not_run_there_again():
    memory = CaseMemory(FakeShelf(), "place")
    versions = answered("pytest 8\n")
    head = FakeSandbox().on("--version", versions).on("::", report(b=False)).on("", report(a=False, b=False))

    first = Taken(head, FakeSandbox().on("", report(a=False, b=True)), memory=memory)
    second = Taken(head, None, memory=memory)

    assert (first.opened, second.opened) == (1, 0)
    assert second.baseline.preexisting == first.baseline.preexisting == {key("a")}
    assert second.baseline.goal == first.baseline.goal == {key("b")}


def test_only_what_is_not_remembered_is_run_at_the_merge_base():
    memory = CaseMemory(FakeShelf(), "place")
    versions = answered("pytest 8\n")
    Taken(
        FakeSandbox().on("--version", versions).on("", report(a=False)),
        FakeSandbox().on("", report(a=False)),
        memory=memory,
    )
    base = FakeSandbox().on("", report(b=True))

    taken = Taken(FakeSandbox().on("--version", versions).on("", report(a=False, b=False)), base, memory=memory)

    assert base.scripts == ["pytest -q t.py::b"]
    assert taken.baseline.preexisting == {key("a")}


def test_a_base_that_does_not_run_is_not_remembered():
    shelf = FakeShelf()
    head = FakeSandbox().on("--version", answered("pytest 8")).on("", report(a=False))

    Taken(head, FakeSandbox().on("", answered("", 0, timed_out=True)), memory=CaseMemory(shelf, "place"))
    again = Taken(head, FakeSandbox().on("", report(a=False)), memory=CaseMemory(shelf, "place"))

    assert again.baseline.preexisting == {key("a")}


def test_a_test_that_was_flaky_in_an_earlier_run_is_unsteady_in_this_one():
    memory = CaseMemory(FakeShelf(), "place")
    version = answered("pytest 8")
    flaky = FakeSandbox().on("--version", version).on("", report(a=False), report(a=True))
    failing = FakeSandbox().on("--version", version).on("", report(a=False))

    first = Taken(flaky, memory=memory)
    second = Taken(failing, FakeSandbox().on("", report(a=True)), memory=memory)

    assert first.baseline.flaky == {key("a")}
    assert second.baseline.goal == second.baseline.unsteady == {key("a")}


def test_no_rerun_is_taken_when_none_is_wanted():
    head = FakeSandbox().on("", report(a=False))

    assert Stage.RERUN not in Taken(head, FakeSandbox().on("", report(a=True)), reruns=0).stages


def test_a_check_that_cannot_run_anywhere_is_the_machines_fault():
    missing = answered("bash: pytest: command not found", 127)

    taken = Taken(FakeSandbox().on("", missing), FakeSandbox().on("", missing))

    assert taken.baseline.verdict is BaselineVerdict.INFRASTRUCTURE
    assert "command not found" in taken.baseline.reason


def test_a_check_that_runs_at_the_base_only_is_one_failing_case():
    head = FakeSandbox().on("", answered("", 0, timed_out=True))

    taken = Taken(head, FakeSandbox().on("", report(a=True)))

    assert taken.baseline.verdict is BaselineVerdict.FAILING
    assert taken.baseline.goal == {CaseKey("unit", CHECK_DID_NOT_RUN)}


def test_a_test_whose_file_moved_is_looked_for_at_the_base_under_its_former_name():
    head = FakeSandbox().on("", report(a=False, b=True))
    base = FakeSandbox().on(
        "old/t.py::a", reporting('<testcase classname="old.t" name="a" file="old/t.py"><failure/></testcase>', 1)
    )

    taken = Taken(head, base, renamed={"t.py": "old/t.py", "x.py": "y.py"}, reruns=1)

    assert taken.baseline.preexisting == {key("a")}
    assert set(base.scripts) == {"pytest -q old/t.py::a"}


@pytest.mark.parametrize(
    ("directory", "now", "before"),
    [
        (".", "sub/new/test_a.py::T::test_x[a.b]", "sub/old/test_a.py::T::test_x[a.b]"),
        ("sub", "new/test_a.py", "old/test_a.py"),
        ("sub/", "new.test_a.T.test_x", "old.test_a.T.test_x"),
        (".", "sub/new/test_a.py: F401: 'os' imported but unused", "sub/old/test_a.py: F401: 'os' imported but unused"),
        (".", "sub/new/test_a.py2::test_x", "sub/new/test_a.py2::test_x"),
        ("other", "new/test_a.py::test_x", "new/test_a.py::test_x"),
        (".", "web/b.test.js > adds", "web/a.test.js > adds"),
        ("web", "b.test.js > adds", "a.test.js > adds"),
        (".", "store.ATest#adds", "shop.ATest#adds"),
        (".", "core: store.ATest#adds", "core: shop.ATest#adds"),
        (".", "new (tests/new.rs)::adds", "old (tests/old.rs)::adds"),
    ],
)
def test_a_case_has_the_name_of_its_file_before_the_pull_request_moved_it(directory: str, now: str, before: str):
    renamed = {
        "sub/new/test_a.py": "sub/old/test_a.py",
        "web/b.test.js": "web/a.test.js",
        "core/src/test/java/store/ATest.java": "core/src/test/java/shop/ATest.java",
        "tests/new.rs": "tests/old.rs",
    }

    assert former_names(Check("x", "x", directory=directory), renamed)(now) == before


REQUESTS = "ModuleNotFoundError: No module named 'requests'"


def importing(error: str | bool, manifests: str = "1 2 ./pyproject.toml") -> FakeSandbox:
    """A tree with this manifest in which the one test file cannot be imported, or can."""
    found = FakeSandbox().on("^find.*cksum", answered(f"{manifests}\n")).on("^find", answered("./shop\n"))
    return found.on("", report(t=error) if isinstance(error, str) else report(a=True))


@pytest.mark.parametrize(
    ("head", "base"),
    [
        (importing(REQUESTS), importing(REQUESTS)),
        (importing(REQUESTS), FakeSandbox().on("", answered("Killed", 137))),
        (importing(REQUESTS, "3 4 ./pyproject.toml"), importing(True)),
        (importing("Cannot find package '@scope/requests' imported from /t/a.js"), importing("Cannot find module 'a'")),
        (importing("LoadError: cannot load such file -- requests"), importing("LoadError: cannot load such file -- x")),
    ],
    ids=["the base lacks it, too", "the base cannot run", "it is declared and not installed", "of Node", "of Ruby"],
)
def test_an_import_that_nothing_provides_is_the_machines_fault(head: FakeSandbox, base: FakeSandbox):
    taken = Taken(head, base)

    assert taken.baseline.verdict is BaselineVerdict.INFRASTRUCTURE
    assert "requests" in taken.baseline.reason


def test_an_import_that_only_the_pull_request_makes_and_nobody_declares_is_its_own_fault():
    taken = Taken(importing("ModuleNotFoundError: No module named 'reqeusts'"), importing(True))

    assert taken.baseline.goal == {CaseKey("unit", "t.py")}


def test_an_import_of_the_repositorys_own_module_is_the_pull_requests_fault():
    head = (
        FakeSandbox()
        .on("^find", answered("./src/shop.py\n"))
        .on("", report(t="ModuleNotFoundError: No module named 'shop.x'"))
    )

    taken = Taken(head, FakeSandbox().on("", report(a=True)))

    assert taken.baseline.goal == {CaseKey("unit", "t.py")}


def test_failures_of_one_check_do_not_hide_anothers():
    head = FakeSandbox().on("ruff", answered("E501", 1)).on("", report(a=False))
    base = FakeSandbox().on("ruff", answered("", 0)).on("", report(a=True))

    taken = Taken(head, base, checks=(UNIT, LINT), reruns=1)

    assert taken.baseline.goal == {key("a"), CaseKey("lint", "lint")}
    assert taken.opened == 1


def test_no_check_at_all_is_refused():
    with pytest.raises(UsageError):
        Taken(FakeSandbox(), checks=())


def test_the_bases_sandbox_is_closed_even_when_it_breaks():
    base = FakeSandbox().on("", SandboxBroken("gone"))
    with pytest.raises(SandboxBroken):
        Taken(FakeSandbox().on("", report(a=False)), base)

    assert base.closed == 1
