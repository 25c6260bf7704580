"""A job on GitHub's test merge: the fix is for the head, and the comment says what CI tested."""

from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, fix


def test_a_job_on_the_test_merge_fixes_the_head_and_says_what_ci_tested(stage):
    stage.pull()
    stage.github.state.commit(stage.repo, "main", {"NEWS.md": "Newer.\n"}, "Meanwhile on main")
    payload = events.pull_request(action="synchronize")
    payload["pull_request"]["head"]["sha"] = stage.head
    payload["pull_request"]["base"]["repo"]["id"] = payload["pull_request"]["head"]["repo"]["id"] = stage.repo.id
    stage.environment["GITHUB_REF"] = "refs/pull/7/merge"
    ended = stage.act([Turn([fix("add")]), Turn([DONE])], event="pull_request", payload=payload)
    assert ended.outcome == "fixed", ended.log
    assert stage.at() == ended.outputs["commit"]
    assert "NEWS.md" not in stage.show("feature^{tree}")
    assert "CI tested the merge of this branch with main" in stage.own_comment
