"""What CI showed reaches the model, the comment and the result; what cannot be read there is a note, never an end."""

import io
import json
import zipfile

from autofix.state.events import Kind
from autofix.state.journal import read
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import Turn
from tests.scenarios.action.stage import KEY, Ended, Stage
from tests.scenarios.scene import MEASURE, fix

STAMP = "2026-11-30T10:00:00.0000000Z"
LOG = "\n".join(
    f"{STAMP} {line}"
    for line in (
        "##[group]Run pip install -r requirements.txt",
        "##[endgroup]",
        "installed a hundred things",
        "##[group]Run python -m pytest -q",
        "\x1b[36;1mpython -m pytest -q\x1b[0m",
        "##[endgroup]",
        "E   assert -1 == 5 on the runner's Python 3.12",
        f"a token that was printed: {KEY}",
        "::error::and a forged command",
        "##[error]Process completed with exit code 1.",
        "##[group]Run actions/upload-artifact",
        "done",
    )
).encode()
REPORT = b"""<testsuite><testcase classname="tests.test_sums" name="test_add"><failure message="assert -1 == 5">trace</failure>
</testcase><testcase classname="tests.test_sums" name="test_half"/></testsuite>"""


def zipped(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return target.getvalue()


def failed_in_ci(stage: Stage, *, log: bytes | None = LOG, jobs: int = 1) -> dict:
    """A run of CI that failed, and the event that says so."""
    run = stage.github.state.add_run(stage.repo, stage.head)
    for number in range(jobs):
        stage.github.state.add_job(
            run,
            f"unit (3.{12 + number})",
            steps=(("Install", "success"), ("Run python -m pytest -q", "failure")),
            log=log,
        )
    payload = stage.failure()
    payload["workflow_run"] |= {"id": run["id"], "run_attempt": 1}
    return {"run": run, "payload": payload}


def evidence(stage: Stage) -> dict:
    (result,) = stage.temp.rglob("runs/*/result.json")
    return json.loads(result.read_text())["ci"]


def first_message(stage: Stage) -> str:
    return json.dumps(stage.servers[-1].bodies[0]["messages"][0])


def fixed(stage: Stage, payload: dict, **inputs: str) -> Ended:
    ended = stage.act([Turn([fix("add"), MEASURE])], payload=payload, **inputs)
    assert ended.outcome == "fixed", ended.log
    return ended


def test_the_failing_step_s_log_reaches_the_model_fenced_and_clean_and_the_comment_names_the_step(stage: Stage):
    stage.pull()
    told = failed_in_ci(stage)
    stage.github.state.add_artifact(
        told["run"], "junit-report", zipped(results__junit=b"no", junit_xml=b"no", **{"junit.xml": REPORT})
    )

    fixed(stage, told["payload"])

    message = first_message(stage)
    assert "assert -1 == 5 on the runner's Python 3.12" in message
    assert "Job unit (3.12), failing step: Run python -m pytest -q" in message
    assert "tests.test_sums::test_add: assert -1 == 5" in message
    for noise in ("installed a hundred things", "upload-artifact", "\\u001b", STAMP[:10], "##[", KEY):
        assert noise not in message
    assert evidence(stage)["jobs"][0]["steps"] == ["Run python -m pytest -q"]
    assert evidence(stage)["failing"] == ["tests.test_sums::test_add"]
    comment = stage.own_comment
    assert "job `unit (3.12)`, step `Run python -m pytest -q` ([log](" in comment
    assert "::error::" not in comment


def test_where_nothing_fails_here_the_reason_names_what_failed_there(stage: Stage):
    stage.pull(wrong=())
    ended = stage.act(payload=failed_in_ci(stage)["payload"])
    assert ended.outcome == "nothing_to_fix", ended.log
    assert "in CI failed: unit (3.12) (Run python -m pytest -q)" in ended.reason


def test_a_person_who_starts_a_run_gets_the_same_with_no_right_but_that_to_read_actions(stage: Stage):
    stage.pull()
    failed_in_ci(stage)
    stage.token.permissions["checks"] = "none"
    ended = stage.act(
        [Turn([fix("add"), MEASURE])], event="issue_comment", payload=events.issue_comment("/autofix run")
    )
    assert ended.outcome == "fixed", ended.log
    assert "on the runner's Python 3.12" in first_message(stage)


def test_names_and_reports_that_are_long_hostile_or_hold_a_secret_are_one_short_clean_line(stage: Stage):
    stage.pull(wrong=())
    run = stage.github.state.add_run(stage.repo, stage.head)
    hostile = f"unit\n::error::forged ##[warning]x @everyone <!-- --> {KEY} {'y' * 3000}"
    stage.github.state.add_job(run, hostile, steps=((hostile, "failure"),), log=LOG)
    report = f'<testsuite><testcase name="{KEY}"><failure message="{KEY}&#10;::error::m"/></testcase></testsuite>'
    stage.github.state.add_artifact(run, f"junit {KEY}", zipped(**{"a.xml": report.encode()}))
    payload = stage.failure()
    payload["workflow_run"] |= {"id": run["id"], "run_attempt": 1}

    ended = stage.act(payload=payload)

    assert ended.outcome == "nothing_to_fix", ended.log
    assert len(ended.reason) < 400
    assert "\n" not in ended.reason
    for line in ended.log.splitlines():
        assert not line.lstrip().startswith("::error::forged")
        assert "##[warning]" not in line
    left = [file for file in stage.temp.rglob("*") if file.is_file()]
    assert any(file.name.startswith("ci-") for file in left)
    assert [file.name for file in left if KEY.encode() in file.read_bytes()] == []
    assert KEY not in ended.summary + "".join(ended.outputs.values()) + stage.own_comment


def test_a_log_that_is_gone_and_hostile_artifacts_are_notes(stage: Stage):
    stage.pull()
    told = failed_in_ci(stage, log=None)
    state = stage.github.state
    state.add_artifact(told["run"], "test-results", b"no zip at all")
    state.add_artifact(told["run"], "reports", zipped(**{"../../etc/cron.d/x.xml": REPORT}))
    state.add_artifact(told["run"], "old-report", zipped(**{"a.xml": REPORT}), expired=True)

    fixed(stage, told["payload"])

    found = evidence(stage)
    assert found["failing"] == []
    assert "its log could not be read" in found["jobs"][0]["note"]
    notes = "\n".join(found["notes"])
    assert "test-results was not used: it is no zip" in notes
    assert "its name points out of the zip" in notes
    assert "old-report" not in notes


def test_a_token_that_may_not_read_actions_costs_a_note(stage: Stage):
    stage.pull()
    payload = failed_in_ci(stage)["payload"]
    stage.token.permissions["actions"] = "none"
    fixed(stage, payload)
    assert "could not be read" in "\n".join(evidence(stage)["notes"])


def test_a_matrix_that_breaks_as_a_whole_is_read_in_part_and_counted(stage: Stage):
    stage.pull()
    fixed(stage, failed_in_ci(stage, jobs=8)["payload"])
    assert (len(evidence(stage)["jobs"]), evidence(stage)["jobs_left_out"]) == (5, 3)
    assert "and 3 more failing jobs" in stage.own_comment


def test_a_hundred_megabytes_of_log_cost_a_run_a_few_kilobytes(stage: Stage):
    stage.pull()
    log = LOG.replace(b"installed a hundred things", b"\n".join([f"{STAMP} {'noise ' * 8}".encode()] * 1_400_000))
    fixed(stage, failed_in_ci(stage, log=log)["payload"])
    assert len(first_message(stage)) < 60_000
    (journal,) = stage.temp.rglob("runs/*/journal.jsonl")
    (event,) = [one for one in read(journal).events if one.kind is Kind.CI_EVIDENCE]
    (kept,) = stage.temp.rglob(f"runs/*/memory/{event.data['kept']}")
    assert kept.stat().st_size < 20_000
