"""Every event of a workflow becomes a trigger, or is skipped with a reason."""

from datetime import UTC, datetime
from typing import Any

import pytest

from autofix.errors import UsageError
from autofix.intake.commands import Verb
from autofix.intake.event import read_event
from autofix.intake.own_marks import MARKER
from autofix.intake.trigger import Commanded, Dispatched, Failure, JobEnvironment, Skipped, Trigger
from autofix.ports.github_names import Account, RepositoryName
from tests.fakes import webhook_events as events

ACME = RepositoryName(events.ACME, "acme/widgets")
THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def read(event: str, payload: Any, **job: Any) -> Trigger | Skipped:
    return read_event(JobEnvironment(event=event, repository=ACME, **job), payload)


def triggered(event: str, payload: Any, **job: Any) -> Trigger:
    found = read(event, payload, **job)
    assert isinstance(found, Trigger), found
    return found


def skipped(event: str, payload: Any, **job: Any) -> str:
    found = read(event, payload, **job)
    assert isinstance(found, Skipped), found
    return found.reason


def test_a_failed_workflow_run_names_its_commit_its_pull_request_and_everyone_who_started_it():
    trigger = triggered("workflow_run", events.workflow_run(actor="ada", triggering_actor="bob"))
    assert trigger == Trigger(
        "workflow_run",
        ACME,
        7,
        (Account("ada"), Account("bob")),
        THEN,
        Failure(events.HEAD, "feature", "acme", 9001, 2, 8001, tested_merge=True),
    )


def test_a_forks_workflow_run_lists_no_pull_request_and_is_to_be_found_by_its_owner_and_branch():
    trigger = triggered("workflow_run", events.workflow_run(fork_of="eve", branch="main"))
    assert trigger.pull_number is None
    assert isinstance(trigger.cause, Failure)
    assert (trigger.cause.owner, trigger.cause.branch, trigger.cause.head) == ("eve", "main", events.HEAD)


def test_a_workflow_run_that_lists_two_pull_requests_settles_on_none():
    assert triggered("workflow_run", events.workflow_run(pulls=(7, 8))).pull_number is None


def test_a_pull_request_listed_for_another_repository_is_not_ours():
    assert triggered("workflow_run", events.workflow_run(pull_base=events.FORK)).pull_number is None


def test_a_push_run_tested_the_head_itself():
    cause = triggered("workflow_run", events.workflow_run(event="push")).cause
    assert isinstance(cause, Failure)
    assert not cause.tested_merge


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (events.workflow_run(conclusion="success"), "did not fail: success"),
        (events.workflow_run(conclusion="cancelled"), "did not fail: cancelled"),
        (events.workflow_run(conclusion="action_required"), "did not fail: action required"),
        (events.workflow_run(action="requested"), "not finished"),
    ],
)
def test_a_workflow_run_that_did_not_fail_is_skipped(payload, reason):
    assert reason in skipped("workflow_run", payload)


def test_a_workflow_that_could_not_start_is_skipped_because_its_file_is_wrong():
    payload = events.workflow_run()
    payload["workflow_run"]["conclusion"] = "startup_failure"
    assert "workflow file is wrong" in skipped("workflow_run", payload)


def test_the_failure_of_our_own_workflow_is_skipped():
    payload = events.workflow_run(path=".github/workflows/autofix.yml")
    assert "own workflow" in skipped("workflow_run", payload, workflow_path=".github/workflows/autofix.yml")
    assert isinstance(read("workflow_run", payload, workflow_path=".github/workflows/other.yml"), Trigger)


def test_a_failed_check_suite_names_its_commit():
    trigger = triggered("check_suite", events.check_suite())
    assert trigger.cause == Failure(events.HEAD, branch="feature", suite_id=8001)
    assert trigger.pull_number == 7
    assert trigger.actors == (Account("ada"),)


def test_a_forks_check_suite_has_no_branch():
    trigger = triggered("check_suite", events.check_suite(branch=None))
    assert trigger.pull_number is None
    assert isinstance(trigger.cause, Failure)
    assert trigger.cause.branch is None


def test_a_failed_check_run_of_actions_is_a_job_and_that_of_another_app_is_not():
    ours = triggered("check_run", events.check_run()).cause
    theirs = triggered("check_run", events.check_run(app="some-ci")).cause
    assert isinstance(ours, Failure)
    assert isinstance(theirs, Failure)
    assert (ours.job_id, ours.suite_id) == (7001, 8001)
    assert theirs.job_id is None


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("check_suite", events.check_suite(action="requested")),
        ("check_suite", events.check_suite(conclusion="neutral")),
        ("check_run", events.check_run(action="created")),
        ("check_run", events.check_run(conclusion="skipped")),
    ],
)
def test_checks_that_did_not_fail_are_skipped(event, payload):
    assert skipped(event, payload)


@pytest.mark.parametrize("action", ["opened", "synchronize", "labeled", "ready_for_review"])
def test_a_pull_requests_own_job_works_on_the_head_not_on_the_merge_it_checked_out(action):
    trigger = triggered(
        "pull_request",
        events.pull_request(action=action),
        ref="refs/pull/7/merge",
        run_id=9002,
        run_attempt=1,
        actor="ada",
        triggering_actor="bob",
    )
    assert trigger.pull_number == 7
    assert trigger.actors == (Account("ada"), Account("bob"))
    assert trigger.cause == Failure(events.HEAD, "feature", "acme", 9002, 1, tested_merge=True, in_progress=True)


def test_a_pull_requests_job_on_a_plain_branch_checkout_tested_no_merge():
    cause = triggered("pull_request", events.pull_request(), ref="refs/heads/feature").cause
    assert isinstance(cause, Failure)
    assert not cause.tested_merge


def test_a_pull_request_whose_fork_is_gone_still_reads():
    cause = triggered("pull_request", events.pull_request(gone=True)).cause
    assert isinstance(cause, Failure)
    assert cause.owner is None


def test_a_closed_pull_request_starts_nothing():
    assert "closed" in skipped("pull_request", events.pull_request(action="closed"))


def test_a_step_in_a_push_job_looks_for_the_pull_request_of_its_branch():
    trigger = triggered("push", events.push(), run_id=5)
    assert trigger.cause == Failure(events.HEAD, "feature", "acme", 5, in_progress=True)


@pytest.mark.parametrize("payload", [events.push(ref="refs/tags/v1"), events.push(deleted=True, after="0" * 40)])
def test_a_push_without_a_branchs_commit_is_skipped(payload):
    assert skipped("push", payload)


def test_a_command_in_a_comment_is_a_trigger_with_its_author_and_its_time():
    trigger = triggered("issue_comment", events.issue_comment("/autofix run", login="bob"))
    assert isinstance(trigger.cause, Commanded)
    assert [command.verb for command in trigger.cause.reading.commands] == [Verb.RUN]
    assert (trigger.pull_number, trigger.actors, trigger.at) == (7, (Account("bob"),), THEN)
    assert trigger.cause.comment_id == 6001


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (events.issue_comment("/autofix run", action="edited"), "only a new comment"),
        (events.issue_comment("/autofix run", action="deleted"), "only a new comment"),
        (events.issue_comment("/autofix run", on_pull=False), "on an issue"),
        (events.issue_comment("thanks!"), "no command"),
        (events.issue_comment(f"{MARKER}\n/autofix run"), "own marker"),
    ],
)
def test_a_comment_that_is_no_command_is_skipped(payload, reason):
    assert reason in skipped("issue_comment", payload)


def test_an_unknown_command_is_a_trigger_so_that_it_can_be_answered_with_help():
    cause = triggered("issue_comment", events.issue_comment("/autofix fly")).cause
    assert isinstance(cause, Commanded)
    assert cause.reading.unknown


def test_a_bots_comment_keeps_that_it_is_a_bots():
    trigger = triggered("issue_comment", events.issue_comment("/autofix run", login="greeter[bot]"))
    assert trigger.actors == (Account("greeter[bot]", is_bot=True),)


def test_a_dispatch_names_the_pull_request():
    trigger = triggered("workflow_dispatch", events.workflow_dispatch({"pull-request": " 12 "}), actor="ada")
    assert (trigger.pull_number, trigger.cause) == (12, Dispatched())
    assert trigger.actors == (Account("ada"),)


@pytest.mark.parametrize("text", ["", "0", "-3", "seven", "7; rm", "٧", "1e3"])
def test_a_dispatch_without_a_number_is_a_usage_error_that_names_the_input(text):
    with pytest.raises(UsageError, match="pull-request"):
        read("workflow_dispatch", events.workflow_dispatch({"pull-request": text}))


def test_the_input_overrides_what_the_event_says():
    trigger = triggered("schedule", {"schedule": "0 0 * * *"}, pull_request=3, actor="ada")
    assert (trigger.pull_number, trigger.cause) == (3, Dispatched())


def test_an_event_autofix_does_not_serve_is_skipped_by_name():
    assert "'merge_group'" in skipped("merge_group", {})


@pytest.mark.parametrize(
    "payload", [None, [], "x", {}, {"action": "completed"}, {"workflow_run": 3, "action": "completed"}]
)
def test_a_payload_that_is_not_githubs_is_a_usage_error_that_says_what_is_missing(payload):
    with pytest.raises(UsageError, match="payload of event 'workflow_run'"):
        read("workflow_run", payload)
