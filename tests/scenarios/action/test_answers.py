"""A command that starts no run: who is answered, where, and who is not."""

import pytest

from autofix.intake.ledger import Ledger, decode, encode
from autofix.intake.own_marks import MARKER
from tests.fakes import webhook_events as events


def say(played, text: str, login: str = "ada", **inputs: str):
    ended = played.act(event="issue_comment", payload=events.issue_comment(text, login=login), **inputs)
    assert (ended.outcome, ended.exit_code, played.requests, played.pushes()) == ("skipped", 0, 0, 0), ended.log
    return ended


def test_an_unknown_command_of_a_writer_is_answered_with_the_help(stage):
    stage.pull()
    say(stage, "/autofix dance")
    assert "not understood" in stage.own_comment
    assert "`/autofix run` fix the failing checks now" in stage.own_comment


def test_an_answer_stands_below_the_report_replaces_an_earlier_one_and_keeps_the_count(stage):
    stage.pull()
    ledger = Ledger(runs=10)
    stage.github.state.add_comment(stage.repo, 7, "github-actions[bot]", f"{MARKER}\n{encode(ledger)}\nEarlier.")
    say(stage, "/autofix dance")
    say(stage, "/autofix run")
    assert "Earlier." in stage.own_comment
    assert "has had its 10 runs" in stage.own_comment
    assert stage.own_comment.count("Your command started no run") == 1
    assert decode(stage.own_comment) == ledger


@pytest.mark.parametrize("text", ["/autofix run", "/autofix dance"])
def test_someone_without_rights_gets_no_answer(stage, text):
    stage.pull()
    say(stage, text, login="eve")
    assert stage.comments == []


@pytest.mark.parametrize("inputs", [{"delivery": "dry-run"}, {"stage": "fix"}])
def test_what_writes_nothing_answers_nothing(stage, inputs):
    stage.pull()
    say(stage, "/autofix dance", **inputs)
    assert stage.comments == []


def test_an_automatic_event_that_is_skipped_stays_silent(stage):
    stage.pull(draft=True)
    assert stage.act().outcome == "skipped"
    assert stage.comments == []
