"""`commits: api`: GitHub makes the commit and signs it, on exactly the head, of exactly the verified files."""

from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, RIGHT, fix

FIX = [Turn([fix("add")]), Turn([DONE])]


def test_github_makes_the_commit_of_the_verified_files_on_the_verified_head(stage):
    stage.pull()
    ended = stage.act(FIX, commits="api")
    assert (ended.outcome, ended.outputs["delivery"], ended.outputs["pushed"]) == ("fixed", "push", "true"), ended.log
    commit = stage.at()
    assert ended.outputs["commit"] == commit
    assert stage.parent(commit) == stage.head
    assert stage.changed(commit) == ["shop/sums.py"]
    assert RIGHT["add"] in stage.show(f"{commit}:shop/sums.py")
    assert "Autofix-Run: " in stage.message(commit)
    assert "Autofix-Spent: runs=1 usd=" in stage.message(commit)
    assert stage.pushes() == 0


def test_the_next_run_knows_a_commit_that_github_made_for_its_own(stage):
    stage.pull()
    stage.act(FIX, commits="api")
    before, stage.head = stage.requests, stage.at()
    again = stage.act(payload=stage.failure(), commits="api")
    assert (again.outcome, stage.requests) == ("skipped", before)


def test_an_executable_keeps_its_bit_because_git_makes_the_commit_then(stage):
    stage.pull()
    stage.executable("shop/sums.py")
    ended = stage.act(FIX, commits="api")
    assert (ended.outcome, stage.pushes()) == ("fixed", 1), ended.log
    assert "100755" in stage.tree(ended.outputs["commit"])
    assert "(not signed by GitHub: shop/sums.py is executable" in stage.own_comment


def test_a_branch_that_moved_gets_the_fix_on_its_new_head_verified_again(stage):
    stage.pull()
    moved = []

    def move_then_claim(_body):
        if not moved:
            moved.append(stage.github.state.commit(stage.repo, "feature", {"CHANGES.md": "More.\n"}, "Meanwhile"))
        return Turn([DONE])

    turns = iter([lambda _body: Turn([fix("add")]), move_then_claim])

    def play(body):
        return next(turns)(body)

    ended = stage.act(play, commits="api")
    assert (ended.outcome, stage.parent(stage.at())) == ("fixed", moved[0]), ended.log
    assert stage.pushes() == 0


def test_a_commit_that_is_not_what_was_verified_is_an_error_that_a_word_takes_back(stage):
    stage.pull()
    stage.repo.alter = lambda content: content + b"# added\n"
    ended = stage.act(FIX, commits="api")
    assert (ended.outcome, ended.exit_code, ended.outputs["pushed"]) == ("error", 1, "false"), ended.log
    assert "is not what was verified" in stage.own_comment
    wrong = stage.at()
    assert wrong != stage.head
    stage.act(event="issue_comment", payload=events.issue_comment("/autofix revert"))
    assert stage.parent(stage.at()) == wrong
    assert stage.tree(stage.at()) == stage.tree(stage.head)


def test_a_refusal_of_the_branch_falls_to_the_next_rung_with_the_reason(stage):
    stage.pull()
    stage.repo.protected["feature"] = "GH006: Protected branch update failed for refs/heads/feature."
    ended = stage.act(FIX, commits="api")
    assert (ended.outcome, stage.at()) == ("fixed", stage.head), ended.log
    assert ended.outputs["delivery"] == "suggest"
    assert "a protection rule of the branch refused the push" in stage.own_comment
