import json
from dataclasses import replace

from autofix.harness.redact import Redactor
from autofix.report.result import result, result_json
from autofix.state.outcome import Outcome
from tests.fakes.report import report


def test_the_result_holds_what_a_later_step_decides_by():
    told = json.loads(result_json(report(), str))
    assert told["schema_version"] == 1
    assert (told["outcome"], told["exit_code"]) == ("fixed", 0)
    assert told["failing_before"] == ["unit: tests/test_a.py::test_x"]
    assert told["failing_after"] == []
    assert told["commit"] == "c" * 40
    assert told["patch"]["files"] == ["src/a.py"]
    assert told["verification"]["verdict"] == "verified"
    assert told["denials_by_layer"] == {"denylist": 1, "hook": 1}
    assert told["usage"]["usd"] == "0.012300"


def test_a_run_that_ended_before_its_baseline_has_a_whole_result():
    told = result(
        report(Outcome.ERROR, baseline=None, patch=None, verification=None, delivered=None, failing_after=None)
    )
    assert told["failing_before"] is None
    assert told["patch"] is None
    assert told["commit"] is None
    json.dumps(told)


def test_a_refusal_is_told_apart_from_a_block():
    assert result(report(Outcome.REFUSED, last_words="I will not"))["refusal"] == "I will not"
    assert result(report(Outcome.BLOCKED))["refusal"] is None


def test_a_name_that_is_not_utf8_is_still_json():
    branch = "t\udcffx"
    told = report()
    odd = replace(told, pull_request=replace(told.pull_request, branch=branch))
    assert json.loads(result_json(odd, str))["branch"] == branch


def test_a_secret_is_redacted_before_json_escapes_it():
    key = 'say "hunter2" \\ to me'
    assert b"hunter2" not in result_json(report(last_words=f"it is {key}"), Redactor({"KEY": key}).text)
