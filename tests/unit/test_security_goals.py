"""SECURITY.md names, for each goal, tests that there are and the state they show."""

import re

import pytest

from tests.fakes.named_tests import ROOT, is_there, named_tests

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (G\d+) \| (.+?) \| (.+?) \| (.+) \| ([^|]+) \|$", TEXT, re.MULTILINE)


def test_all_goals_are_in_the_table_in_order():
    assert [row[0] for row in ROWS] == [f"G{number}" for number in range(1, 37)]


@pytest.mark.parametrize(("goal", "tests"), [(row[0], row[3]) for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_tests_that_show_a_goal_are_there(goal, tests):
    named = named_tests(tests)
    assert named, goal
    assert len(named) == tests.count("::")
    for file, test in named:
        assert is_there(file, test), f"{file} has no {test}"


@pytest.mark.parametrize(("goal", "state"), [(row[0], row[4]) for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_goal_has_a_state_in_plain_words(goal, state):
    assert re.match(r"(holds|not yet|answers hold)\b", state), goal


def test_a_name_that_only_stands_in_a_string_or_below_another_function_is_no_test():
    assert is_there("tests/unit/test_security_goals.py", "test_all_goals_are_in_the_table_in_order")
    assert not is_there("tests/unit/test_security_goals.py", "test_all_goals")
    assert not is_there("tests/unit/test_no_such_file.py", "test_x")
    assert not is_there("tests/fakes/named_tests.py", "is_there")
