"""Each event that can start a run, from its payload to the pushed commit; and what a run remembers of earlier ones."""

import pytest

from autofix.intake.own_marks import MARKER
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, fix


def listed_here(stage, listed) -> None:
    for one in listed:
        one["base"]["repo"]["id"] = stage.repo.id


def workflow_run_that_lists_none(stage):
    return stage.failure(pulls=())


def check_suite(stage):
    payload = events.check_suite()
    payload["check_suite"]["head_sha"] = stage.head
    listed_here(stage, payload["check_suite"]["pull_requests"])
    return payload


def check_run(stage):
    payload = events.check_run()
    payload["check_run"]["head_sha"] = payload["check_run"]["check_suite"]["head_sha"] = stage.head
    listed_here(stage, payload["check_run"]["pull_requests"])
    return payload


def pull_request(stage):
    payload = events.pull_request(action="synchronize")
    payload["pull_request"]["head"]["sha"] = stage.head
    payload["pull_request"]["base"]["repo"]["id"] = payload["pull_request"]["head"]["repo"]["id"] = stage.repo.id
    return payload


def step_of_a_push_job(stage):
    return events.push(after=stage.head)


def command(stage):
    return events.issue_comment("/autofix run")


def dispatch(stage):
    return events.workflow_dispatch({"pull-request": "7"})


@pytest.mark.parametrize(
    ("event", "payload", "inputs"),
    [
        ("workflow_run", workflow_run_that_lists_none, {}),
        ("check_suite", check_suite, {}),
        ("check_run", check_run, {}),
        ("pull_request", pull_request, {}),
        ("push", step_of_a_push_job, {}),
        ("issue_comment", command, {}),
        ("workflow_dispatch", dispatch, {"pull_request": "7"}),
    ],
)
def test_every_event_of_a_failing_pull_request_becomes_a_commit(stage, event, payload, inputs):
    stage.pull()
    ended = stage.act([Turn([fix("add")]), Turn([DONE])], event=event, payload=payload(stage), **inputs)
    assert (ended.outcome, ended.exit_code) == ("fixed", 0), ended.log
    assert ended.outputs["pushed"] == "true"
    assert stage.at() == ended.outputs["commit"] != stage.head
    assert "autofix fixed the failing checks" in stage.own_comment


def test_two_open_pull_requests_with_one_head_are_left_alone_and_both_named(stage):
    stage.pull()
    stage.github.state.add_pull(stage.repo, "feature", number=8)
    ended = stage.act(payload=stage.failure(pulls=()))
    assert (ended.outcome, ended.exit_code, stage.requests, stage.pushes()) == ("skipped", 0, 0, 0), ended.log
    assert "#7" in ended.reason
    assert "#8" in ended.reason


def test_a_deleted_comment_does_not_reset_what_the_commits_say_was_spent(stage):
    stage.pull(base={".github/autofix.toml": "flaky.reruns = 0\n[admission]\nruns-per-pull = 1\n"})
    assert stage.act([Turn([fix("add")]), Turn([DONE])]).outcome == "fixed"
    comments = stage.github.state.comments
    for number in [number for number, one in comments.items() if str(one["body"]).startswith(MARKER)]:
        del comments[number]
    stage.servers.clear()
    before = stage.pushes()
    ended = stage.act(event="issue_comment", payload=events.issue_comment("/autofix run"))
    assert (ended.outcome, stage.requests, stage.pushes()) == ("skipped", 0, before), ended.log
    assert "has had its 1 run" in ended.reason
