"""How else it can end: taken over by a person, overtaken by a push, refused by a rule, without GitHub, by a mistake."""

from decimal import Decimal

import pytest

from autofix.intake.ledger import Ledger, encode
from autofix.intake.own_marks import MARKER
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn, call
from tests.scenarios.action.stage import Stage
from tests.scenarios.scene import DONE, edit, fix

GH006 = "error: GH006: Protected branch update failed for refs/heads/feature."


def pushing(stage: Stage, files: dict, then):
    """A script during which a colleague pushes."""
    steps = iter(then)

    def play(_body: dict) -> Turn:
        step = next(steps)
        if files:
            stage.github.state.commit(stage.repo, "feature", dict(files), "Somebody else's work")
            files.clear()
        return step

    return play


def test_an_escalation_is_one_comment_an_annotation_and_a_step_that_succeeds(stage):
    stage.pull()
    ended = stage.act([Turn([DONE])] * 9)
    assert (ended.outcome, ended.exit_code) == ("no_progress", 0), ended.log
    assert (ended.outputs["pushed"], ended.outputs["failing-after"]) == ("false", "1")
    assert "did not get fewer" in stage.own_comment
    assert "::error file=tests/test_sums.py,line=" in ended.log
    assert stage.pushes() == 0


def test_a_branch_that_moved_gets_the_fix_on_its_new_head_verified_again(stage):
    stage.pull()
    script = pushing(stage, {"CHANGES.md": "More.\n"}, [Turn([fix("add")]), Turn([DONE])])
    ended = stage.act(script)
    assert (ended.outcome, ended.outputs["pushed"]) == ("fixed", "true"), ended.log
    assert stage.show("feature:CHANGES.md") == "More.\n"
    assert "return a + b" in stage.show("feature:shop/sums.py")
    assert "Somebody else's work" in stage.message("feature~1")


def test_a_branch_that_moved_under_the_same_file_is_superseded_and_the_patch_kept(stage):
    stage.pull()
    script = pushing(stage, {"shop/sums.py": "theirs = 1\n"}, [Turn([fix("add")]), Turn([DONE])])
    ended = stage.act(script)
    assert (ended.outcome, ended.outputs["pushed"], ended.exit_code) == ("superseded", "false", 0), ended.log
    assert stage.show("feature:shop/sums.py") == "theirs = 1\n"
    assert ended.outputs["patch-file"]


def test_a_protected_branch_gets_suggestions_and_the_comment_says_why(stage):
    stage.pull()
    stage.repo.refuse_pushes(GH006, "error: Changes must be made through a pull request.")
    ended = stage.act([Turn([fix("add")]), Turn([DONE])])
    assert (ended.outcome, ended.outputs["delivery"], ended.outputs["pushed"]) == ("fixed", "suggest", "false")
    assert "through a pull request only" in stage.own_comment
    assert stage.at() == stage.head


def test_a_token_that_may_only_read_leaves_the_patch_and_every_reason_in_the_summary(stage):
    stage.pull()
    stage.token.permissions.update(contents="read", pull_requests="read", issues="read")
    ended = stage.act([Turn([fix("add")]), Turn([DONE])])
    assert (ended.outcome, ended.outputs["delivery"], ended.outputs["comment-url"]) == ("fixed", "patch", "")
    assert "contents: write" in ended.summary
    assert "gh run download 4242" in ended.summary
    assert stage.comments == []


@pytest.mark.parametrize(
    ("inputs", "line"),
    [
        ({"stage": "al"}, "the input 'stage' is 'al'; it must be one of all, fix, deliver; did you mean 'all'?"),
        ({"budget_usd": "two"}, "the input 'budget-usd' is 'two'; it must be an amount in USD"),
        ({"max_turns": "0"}, "the input 'max-turns' is '0'; it must be a whole number"),
        ({"chek": "pytest"}, "there is no input 'chek'; did you mean 'check'?"),
        ({"working_directory": "../up"}, "the input 'working-directory' is '../up'"),
        ({"token": ""}, "the input 'token' is empty"),
        ({"stage": "deliver"}, "needs the input 'bundle-hash'"),
    ],
)
def test_a_wrong_input_is_one_line_and_nothing_is_spent(stage, inputs, line):
    stage.pull()
    ended = stage.act(**inputs)
    assert (ended.outcome, ended.exit_code, stage.requests, stage.comments) == ("error", 2, 0, [])
    assert line in ended.reason
    assert "\n" not in ended.reason


def test_a_wrong_configuration_of_the_base_is_one_line_and_nothing_is_spent(stage):
    stage.pull(base={".github/autofix.toml": "[limits]\nturn = 3\n"})
    ended = stage.act()
    assert (ended.outcome, ended.exit_code, stage.requests, stage.comments) == ("error", 2, 0, [])
    assert "unknown key 'limits.turn'; did you mean 'turns'?" in ended.reason


def test_the_heads_own_configuration_is_only_data(stage):
    stage.pull(head={".github/autofix.toml": "[limits]\nturn = 3\n"})
    assert stage.act([Turn([fix("add")]), Turn([DONE])]).outcome == "fixed"


def test_a_github_that_is_down_is_an_error_that_says_so(stage):
    stage.pull()
    stage.github.git.down = True
    ended = stage.act()
    assert (ended.outcome, ended.exit_code, stage.requests) == ("error", 1, 0)
    assert "cannot be reached" in ended.reason


def test_the_comment_is_updated_in_place_over_runs_and_keeps_the_count(stage):
    stage.pull()
    assert stage.act([Turn([DONE])] * 9).outcome == "no_progress"
    payload = events.issue_comment("/autofix retry")
    ended = stage.act([Turn([fix("add")]), Turn([DONE])], event="issue_comment", payload=payload)
    assert ended.outcome == "fixed", ended.log
    assert "autofix fixed the failing checks" in stage.own_comment
    assert "Autofix-Spent: runs=2 usd=" in stage.message("feature")


def test_revert_takes_the_commit_back_for_a_writer_and_for_nobody_else(stage):
    stage.pull()
    assert stage.act([Turn([fix("add")]), Turn([DONE])]).outcome == "fixed"
    fixed = stage.at()
    refused = stage.act(event="issue_comment", payload=events.issue_comment("/autofix revert", login="eve"))
    assert (refused.outcome, stage.at()) == ("skipped", fixed)
    ended = stage.act(event="issue_comment", payload=events.issue_comment("/autofix revert"))
    assert (ended.outputs["pushed"], ended.outputs["commit"]) == ("true", stage.at())
    assert stage.show("feature:shop/sums.py") == stage.show(f"{stage.head}:shop/sums.py")
    assert f"Autofix-Reverts: {fixed}" in stage.message("feature")


def test_a_workflow_file_in_scope_is_never_edited(stage):
    stage.pull(head={".github/workflows/ci.yml": "name: CI\n"})
    change = edit(".github/workflows/ci.yml", "name: CI", "name: Evil")
    ended = stage.act([Turn([change]), Turn([fix("add")]), Turn([DONE])])
    assert ended.outcome == "fixed", ended.log
    assert stage.show("feature:.github/workflows/ci.yml") == "name: CI\n"


def test_a_run_spends_no_more_than_the_pull_requests_life_has_left(stage):
    stage.pull()
    ledger = Ledger(runs=2, usd=Decimal("9.9999"))
    stage.github.state.add_comment(stage.repo, 7, "github-actions[bot]", f"{MARKER}\n{encode(ledger)}\nEarlier.")
    ended = stage.act([Turn([call("Read", file_path="README.md")])] * 3)
    assert (ended.outcome, stage.requests) == ("budget_exceeded", 1), ended.log
    assert "of the pull request's life is reached" in ended.reason
    assert stage.act([]).reason.startswith("autofix has already worked")
