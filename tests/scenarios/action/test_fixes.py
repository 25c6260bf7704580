"""The main job in Actions: a failing check becomes a commit, a comment and outputs."""

from tests.fakes.anthropic_server import Turn
from tests.scenarios.action.stage import KEY, RUNNER_TOKEN, TOKEN
from tests.scenarios.scene import DONE, RIGHT, WRONG, edit, fix, sums, sums_tests


def test_a_failed_workflow_run_becomes_a_commit_a_comment_and_outputs(stage):
    stage.pull()
    ended = stage.act([Turn([fix("add")]), Turn([DONE])])
    assert (ended.outcome, ended.exit_code) == ("fixed", 0), ended.log
    commit = stage.at()
    assert ended.outputs["commit"] == commit != stage.head
    assert (ended.outputs["pushed"], ended.outputs["delivery"]) == ("true", "push")
    assert (ended.outputs["failing-before"], ended.outputs["failing-after"]) == ("1", "0")
    assert RIGHT["add"] in stage.show(f"{commit}:shop/sums.py")
    assert "Autofix-Spent: runs=1 usd=" in stage.message(commit)
    assert "autofix fixed the failing checks" in stage.own_comment
    assert "will not start CI" in stage.own_comment
    assert ended.outputs["comment-url"].endswith(str(next(iter(stage.github.state.comments))))
    assert "autofix fixed the failing checks" in ended.summary
    for secret in (KEY, TOKEN, RUNNER_TOKEN):
        assert f"::add-mask::{secret}" in ended.log
        assert secret not in ended.log.replace(f"::add-mask::{secret}", "")


def test_in_a_monorepo_the_check_is_found_run_and_mended_in_its_directory(stage):
    api = {"api/shop/__init__.py": "", "api/shop/sums.py": sums("add"), "api/tests/test_sums.py": sums_tests()}
    stage.pull(wrong=(), head={**api, "tests/test_of_another_team.py": "def test_it():\n    assert False\n"})
    change = edit("api/shop/sums.py", WRONG["add"], RIGHT["add"])
    ended = stage.act([Turn([change]), Turn([DONE])], working_directory="api")
    assert (ended.outcome, ended.outputs["failing-before"]) == ("fixed", "1"), ended.log
    assert stage.changed(stage.at()) == ["api/shop/sums.py"]
    assert "tests/test_sums.py::test_add" in stage.own_comment
