"""What is remembered of cases: only for the very same check and place, and only what can be read."""

from dataclasses import replace

import pytest

from autofix.checks.case_memory import MOST_CASES, CaseMemory
from autofix.checks.result import Check
from tests.fakes.shelf import FakeShelf

UNIT = Check("unit", "pytest -q", "pytest")
KNOWN = {"t.py::a": "older", "t.py::b": "new"}


@pytest.fixture
def shelf() -> FakeShelf:
    return FakeShelf()


@pytest.fixture
def memory(shelf: FakeShelf) -> CaseMemory:
    return CaseMemory(shelf, "a tree in a room")


def test_what_was_kept_is_known_again_and_added_to(memory: CaseMemory):
    memory.keep_at_base(UNIT, "pytest 8", KNOWN)
    memory.keep_at_base(UNIT, "pytest 8", {"t.py::c": "flaky"})

    assert memory.at_base(UNIT, "pytest 8") == {**KNOWN, "t.py::c": "flaky"}
    assert memory.has_seen(UNIT)


@pytest.mark.parametrize(
    "other",
    [
        replace(UNIT, command="pytest -q -x"),
        replace(UNIT, runner="exit-code"),
        replace(UNIT, directory="sub"),
        replace(UNIT, timeout=1.0),
        replace(UNIT, environment={"A": "1"}),
    ],
)
def test_another_check_is_not_known(memory: CaseMemory, other: Check):
    memory.keep_at_base(UNIT, "pytest 8", KNOWN)

    assert memory.at_base(other, "pytest 8") == {}
    assert not memory.has_seen(other)


def test_a_checks_name_makes_no_difference(memory: CaseMemory):
    memory.keep_at_base(UNIT, "pytest 8", KNOWN)

    assert memory.at_base(replace(UNIT, name="other"), "pytest 8") == KNOWN


def test_another_version_of_the_runner_and_another_place_know_nothing(memory: CaseMemory, shelf: FakeShelf):
    memory.keep_at_base(UNIT, "pytest 8", KNOWN)

    assert memory.at_base(UNIT, "pytest 9") == {}
    assert CaseMemory(shelf, "another tree").at_base(UNIT, "pytest 8") == {}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\x00",
        b"{",
        b"[" * 100_000,
        b"[]",
        b"null",
        b'{"format": 1}',
        b'{"format": 1, "known": 3}',
        b'{"format": 1, "known": {"t.py::a": 3}}',
        b'{"format": 99, "known": {"t.py::a": "older"}}',
    ],
)
def test_what_cannot_be_read_is_as_if_it_were_not_there_and_is_written_anew(
    memory: CaseMemory, shelf: FakeShelf, damage: bytes
):
    memory.keep_at_base(UNIT, "v", KNOWN)
    memory.keep_flaky(UNIT, ["t.py::a"])
    shelf.held = dict.fromkeys(shelf.held, damage)

    assert memory.at_base(UNIT, "v") == {}
    assert memory.once_flaky(UNIT) == frozenset()
    assert not memory.has_seen(UNIT)

    memory.keep_at_base(UNIT, "v", KNOWN)
    assert memory.at_base(UNIT, "v") == KNOWN


def test_more_cases_than_are_worth_it_are_not_remembered(memory: CaseMemory):
    memory.keep_at_base(UNIT, "v", {f"t.py::{number}": "new" for number in range(MOST_CASES + 1)})
    memory.keep_flaky(UNIT, map(str, range(MOST_CASES + 1)))

    assert memory.at_base(UNIT, "v") == {}
    assert memory.once_flaky(UNIT) == frozenset()


def test_what_was_flaky_once_stays_so_on_every_tree(memory: CaseMemory, shelf: FakeShelf):
    memory.keep_flaky(UNIT, ["t.py::a"])
    CaseMemory(shelf, "another tree").keep_flaky(UNIT, ["t.py::b\udc80"])

    assert memory.once_flaky(UNIT) == {"t.py::a", "t.py::b\udc80"}
