"""docs/pains.md names tests that there are, one at least for each complaint."""

import re

import pytest

from tests.fakes.named_tests import ROOT, is_there, named_tests

TEXT = (ROOT / "docs" / "pains.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!#|---|what goes wrong)(.+?) \|.*\| (.*) \|$", TEXT, re.MULTILINE)
NUMBERED = [name for name, _ in ROWS if name.isdecimal()]


def test_all_twenty_five_and_the_ten_smaller_ones_are_answered():
    assert [str(number) for number in range(1, 26)] == NUMBERED
    assert len(ROWS) - len(NUMBERED) == 10


@pytest.mark.parametrize(("name", "shown"), ROWS, ids=[name for name, _ in ROWS])
def test_the_tests_that_answer_a_complaint_are_there(name, shown):
    named = named_tests(shown)
    assert named, name
    assert len(named) == shown.count("::")
    for file, test in named:
        assert is_there(file, test), f"{file} has no {test}"
