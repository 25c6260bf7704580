"""Before anything is spent: who may start a run (G1), on what head (G2), and how a skip looks."""

import pytest

from autofix.intake.ledger import Ledger, encode
from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME, MARKER
from autofix.report.escape import for_markdown_line
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, fix


def assert_skipped(stage, ended, reason: str, outcome: str = "skipped") -> None:
    """Neutral for the job, said in one line, and nothing was spent, pushed or written."""
    assert (ended.outcome, ended.exit_code) == (outcome, 0), ended.log
    assert reason in ended.reason
    assert for_markdown_line(reason) in ended.summary
    assert (ended.outputs["pushed"], ended.outputs["commit"]) == ("false", "")
    assert stage.requests == 0
    assert stage.pushes() == 0
    assert not list((stage.temp / "autofix" / "runs").glob("*"))


def by_reader(stage):
    stage.pulled.author = stage.github.state.user("eve")
    return stage.failure()


def started_by_reader(stage):
    return stage.failure(actor="eve")


def rerun_by_reader(stage):
    return stage.failure(triggering_actor="eve")


def by_dependabot(stage):
    stage.pulled.author = stage.github.state.user("dependabot[bot]")
    return stage.failure(actor="dependabot[bot]")


def draft(stage):
    stage.pulled.draft = True
    return stage.failure()


def closed(stage):
    stage.pulled.open = False
    return stage.failure()


def succeeded(stage):
    return stage.failure(conclusion="success")


def own_workflow(stage):
    return stage.failure(path=".github/workflows/autofix.yml")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (by_reader, "eve has no write access"),
        (started_by_reader, "eve has no write access"),
        (rerun_by_reader, "eve has no write access"),
        (by_dependabot, "dependabot[bot] is a bot that the configuration does not list"),
        (draft, "the pull request is a draft"),
        (closed, "#7 is closed"),
        (succeeded, "the workflow run did not fail: success"),
        (own_workflow, "the failed run is autofix's own workflow"),
    ],
)
def test_whoever_may_not_start_a_run_gets_a_neutral_skip(stage, change, reason):
    stage.pull()
    assert_skipped(stage, stage.act(payload=change(stage)), reason)


def test_a_bot_that_the_base_lists_is_served(stage):
    stage.pull(base={".github/autofix.toml": 'flaky.reruns = 0\n[admission]\nbots = ["dependabot[bot]"]\n'})
    payload = by_dependabot(stage)
    assert stage.act([Turn([fix("add")]), Turn([DONE])], payload=payload).outcome == "fixed"


def test_dependabots_empty_secret_is_a_neutral_skip_that_says_where_to_set_it(stage):
    stage.pull()
    ended = stage.act(payload=by_dependabot(stage), anthropic_api_key="")
    assert_skipped(stage, ended, "Dependabot secrets")


def test_a_fork_is_left_alone_until_a_writer_asks(stage):
    stage.fork()
    payload = stage.failure(fork_of="eve", branch="main", actor="eve")
    assert_skipped(stage, stage.act(payload=payload), "someone with write access can say `/autofix run`")


def test_a_reader_cannot_ask_for_a_fork_either(stage):
    stage.fork()
    ended = stage.act(event="issue_comment", payload=events.issue_comment("/autofix run", login="eve"))
    assert_skipped(stage, ended, "eve has no write access")


def test_a_writers_word_gives_a_fork_suggestions_and_no_push(stage):
    stage.fork()
    ended = stage.act(
        [Turn([fix("add")]), Turn([DONE])], event="issue_comment", payload=events.issue_comment("/autofix run")
    )
    assert (ended.outcome, ended.outputs["pushed"], ended.outputs["delivery"]) == ("fixed", "false", "suggest")
    assert stage.pushes() == 0
    assert stage.home.head("main") == stage.head
    (review,) = stage.github.state.reviews[7]
    assert "```suggestion" in review["comments"][0]["body"]
    assert "comes from a fork" in stage.own_comment


def test_a_head_that_moved_before_the_start_is_superseded(stage):
    stage.pull()
    payload = stage.failure()
    stage.github.state.commit(stage.repo, "feature", {"more.py": "x = 1\n"})
    assert_skipped(stage, stage.act(payload=payload), "has moved from", "superseded")


def test_its_own_commit_starts_no_run(stage):
    stage.pull()
    message = "Fix 1 failing test\n\nAutofix-Run: r0\n"
    files = {"shop/sums.py": "x = 1\n"}
    stage.head = stage.github.state.commit(stage.repo, "feature", files, message, author=(AUTHOR_NAME, AUTHOR_EMAIL))
    assert_skipped(stage, stage.act(), "the failing commit is autofix's own")


def test_one_fix_per_head(stage):
    stage.pull()
    first = stage.act([Turn([fix("add")]), Turn([DONE])], delivery="patch")
    assert first.outcome == "fixed"
    stage.servers.clear()
    second = stage.act()
    assert (second.outcome, stage.requests) == ("skipped", 0)
    assert "has already worked on" in second.reason


def test_the_limit_of_a_pull_requests_life_is_read_before_anything_is_spent(stage):
    stage.pull()
    ledger = Ledger(runs=10)
    stage.github.state.add_comment(stage.repo, 7, "github-actions[bot]", f"{MARKER}\n{encode(ledger)}\nEarlier.")
    assert_skipped(stage, stage.act(), "has had its 10 runs")


def test_its_own_comment_is_no_command(stage):
    stage.pull()
    payload = events.issue_comment(f"{MARKER}\n/autofix run")
    assert_skipped(stage, stage.act(event="issue_comment", payload=payload), "autofix's own marker")


def test_fail_on_escalation_makes_a_skip_a_failed_step(stage):
    stage.pull()
    ended = stage.act(payload=draft(stage), fail_on_escalation="true")
    assert (ended.outcome, ended.exit_code) == ("skipped", 13)
