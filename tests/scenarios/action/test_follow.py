"""After a push the run waits for the new commit's checks and tells how they ended; a revert takes the commit back."""

import pytest

from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.action.stage import TOKEN
from tests.scenarios.scene import DONE, WRONG, HurriedClock, fix

FIX = [Turn([fix("add")]), Turn([DONE])]


class Ci(HurriedClock):
    """A clock on which CI works while the run waits: at the n-th wait the n-th check of the branch's head ends."""

    def __init__(self, stage, *conclusions):
        super().__init__()
        self.stage = stage
        self.left = list(enumerate(conclusions))

    def sleep(self, seconds):
        super().sleep(seconds)
        if self.left:
            number, conclusion = self.left.pop(0)
            self.stage.github.state.add_check(self.stage.at(), f"job {number}", conclusion)


@pytest.fixture
def app(stage):
    """A stage whose token is an App's: what it pushes starts CI."""
    stage.token = stage.github.state.add_token(TOKEN, "fixer[bot]")
    stage.pull()
    return stage


@pytest.mark.parametrize(
    ("conclusions", "told"),
    [
        (("success", "success"), "passed (2 of 2 ended)."),
        (("success", "failure"), "failed (2 of 2 ended): `job 1`. `/autofix revert` takes the commit back."),
        ((), "none was started."),
    ],
    ids=["passed", "failed", "never started"],
)
def test_the_comment_tells_how_the_new_commits_checks_ended(app, conclusions, told):
    ended = app.act(FIX, clock=Ci(app, *conclusions), follow_minutes="10")
    assert ended.outcome == "fixed", ended.log
    assert f"**Checks of {app.at()[:12]}:** {told}" in app.own_comment


def test_a_push_that_starts_no_ci_is_not_waited_for(stage):
    stage.pull()
    clock = Ci(stage, "success")
    assert stage.act(FIX, clock=clock, follow_minutes="10").outcome == "fixed"
    assert len(clock.left) == 1
    assert "**Checks of" not in stage.own_comment


def test_a_commit_that_made_it_worse_is_taken_back_by_a_word(app):
    app.act(FIX, clock=Ci(app, "failure"), follow_minutes="10")
    worse = app.at()
    reverted = app.act(event="issue_comment", payload=events.issue_comment("/autofix revert"))
    assert app.parent(app.at()) == worse, reverted.log
    assert WRONG["add"] in app.show(f"{app.at()}:shop/sums.py")
    assert "Autofix-Reverts" in app.message(app.at())
