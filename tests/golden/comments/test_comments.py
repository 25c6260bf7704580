"""Each outcome's comment, word for word; `make goldens` writes them anew, and a person looks at what changed."""

import pytest

from autofix.state.outcome import Outcome
from tests.golden.comments.told import HERE, PROGRESS, REPORTS, told


@pytest.mark.parametrize("name", sorted({*REPORTS, *PROGRESS}))
def test_the_comment_is_the_one_that_was_looked_at(name):
    assert told()[name] == (HERE / f"{name}.md").read_text(encoding="utf-8")


def test_every_outcome_that_is_commented_has_one():
    assert {report.outcome for report in REPORTS.values()} == set(Outcome) - {Outcome.SKIPPED}


def test_no_comment_is_kept_that_nothing_makes():
    assert {path.stem for path in HERE.glob("*.md")} == {*REPORTS, *PROGRESS}
