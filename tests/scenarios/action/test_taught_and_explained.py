"""`/autofix remember` and `/autofix explain`: no run, no model call, an answer in the comment."""

import json

import pytest

from autofix.world.taught_notes import PLACE
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.fakes.repositories import git
from tests.scenarios.action.stage import KEY, Ended, Stage
from tests.scenarios.scene import MEASURE, edit, fix

NOTE = "the totals are in cents"


def say(on: Stage, text: str, login: str = "ada", script: list[Turn] | tuple = (), **inputs: str) -> Ended:
    return on.act(script, event="issue_comment", payload=events.issue_comment(text, login=login), **inputs)


def kept(stage: Stage) -> str:
    return git(stage.repo.path, "for-each-ref", "--format=%(objectname)", PLACE).decode().strip()


def test_what_a_writer_taught_reaches_the_next_run_of_any_pull_request(stage: Stage):
    stage.pull()
    ended = say(stage, f"/autofix remember {NOTE}\n/autofix remember use tabs")
    assert (ended.outcome, ended.exit_code, stage.requests) == ("skipped", 0, 0), ended.log
    assert f"for the next runs in this repository: {NOTE}" in stage.own_comment

    assert stage.act([Turn([fix("add"), MEASURE])]).outcome == "fixed"

    first = json.dumps(stage.servers[-1].bodies[0]["messages"][0])
    assert first.index(NOTE) < first.index("use tabs") < first.index("Failing now")
    assert NOTE not in json.dumps(stage.servers[-1].bodies[0]["system"])


def test_a_command_beside_it_is_carried_out_as_well(stage: Stage):
    stage.pull()
    ended = say(stage, f"/autofix remember {NOTE}\n/autofix run", script=[Turn([fix("add"), MEASURE])])
    assert ended.outcome == "fixed", ended.log
    assert NOTE in json.dumps(stage.servers[-1].bodies[0]["messages"][0])


def test_the_same_note_is_kept_once_and_secrets_are_not_kept(stage: Stage):
    stage.pull()
    for _ in range(2):
        say(stage, f"/autofix remember {NOTE} {KEY}")
    notes = json.loads(git(stage.repo.path, "show", f"{kept(stage)}:taught.json"))
    assert len(notes) == 1
    assert notes[0]["by"] == "ada"
    assert KEY not in json.dumps(notes)


@pytest.mark.parametrize("text", [f"/autofix remember {NOTE}", "/autofix explain"])
def test_someone_without_rights_teaches_nothing_and_is_told_nothing(stage: Stage, text: str):
    stage.pull()
    ended = say(stage, text, login="eve")
    assert "no write access" in ended.reason
    assert (kept(stage), stage.comments) == ("", [])


@pytest.mark.parametrize("inputs", [{"delivery": "dry-run"}, {"stage": "fix"}])
def test_a_job_that_writes_nothing_teaches_nothing(stage: Stage, inputs: dict[str, str]):
    stage.pull()
    say(stage, f"/autofix remember {NOTE}", **inputs)
    assert (kept(stage), stage.comments) == ("", [])


def test_explain_says_what_would_happen_here_and_what_a_run_waits_for(stage: Stage):
    stage.pull(head={"uv.lock": "version = 1\n"})
    say(stage, f"/autofix remember {NOTE}")
    wanted = edit("tests/test_sums.py", "add(2, 3) == 5", "add(2, 3) == -1")
    assert stage.act([Turn([wanted])]).outcome == "awaiting_approval"

    ended = say(stage, "/autofix explain")

    assert (ended.outcome, stage.requests) == ("skipped", 1), ended.log
    told = stage.own_comment.rpartition("<!-- autofix:answer -->")[2]
    assert "**May a run start now?** yes" in told
    assert "1 of 10 runs" in told
    assert "`python -m pytest -q`" in told
    assert "`shop/sums.py`" in told
    assert "/autofix approve" in told
    assert NOTE in told


def test_explain_says_why_no_run_would_start(stage: Stage):
    stage.pull(base={".github/autofix.toml": "admission.runs-per-pull = 1\n"})
    assert stage.act([Turn([fix("add"), MEASURE])]).outcome == "fixed"
    say(stage, "/autofix explain")
    assert "**May a run start now?** no: this pull request has had its 1 runs" in stage.own_comment
