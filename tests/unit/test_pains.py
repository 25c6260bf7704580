"""docs/pains.md names tests that there are, one at least for each complaint."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", (ROOT / "docs" / "pains.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_all_twenty_five_are_answered():
    assert [int(number) for number, _ in ROWS] == list(range(1, 26))


@pytest.mark.parametrize(("number", "shown"), ROWS, ids=[number for number, _ in ROWS])
def test_the_tests_that_answer_a_complaint_are_there(number, shown):
    named = re.findall(r"`(tests/[\w/.]+)::(test_\w+)`", shown)
    assert named, number
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"
