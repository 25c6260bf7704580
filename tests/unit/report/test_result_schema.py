import json

import pytest
from jsonschema import Draft202012Validator

from autofix.report.result import result, result_json
from autofix.report.result_schema import SCHEMA
from autofix.state.outcome import Outcome
from tests.fakes.report import report
from tests.fakes.result_schema import assert_a_result


def test_the_schema_is_one_by_its_own_standard():
    Draft202012Validator.check_schema(json.loads(json.dumps(SCHEMA)))


@pytest.mark.parametrize("outcome", Outcome)
def test_the_result_of_every_outcome_is_what_the_schema_says_to_the_last_field(outcome):
    assert_a_result(json.loads(result_json(report(outcome), str)))


def test_a_run_that_ended_before_its_baseline_has_a_result_of_the_same_shape():
    nothing = dict.fromkeys(("pull_request", "baseline", "patch", "verification", "delivered", "failing_after"))
    assert_a_result(json.loads(result_json(report(Outcome.ERROR, **nothing), str)))


@pytest.mark.parametrize(
    "broken",
    [
        lambda told: told.pop("reason"),
        lambda told: told.update(more=1),
        lambda told: told.update(outcome="mended"),
        lambda told: told["usage"].update(usd="1"),
        lambda told: told["verification"].pop("lost"),
        lambda told: told.update(schema_version=2),
    ],
)
def test_the_check_notices_a_field_that_is_missing_or_new_or_of_another_kind(broken):
    told = json.loads(json.dumps(result(report())))
    broken(told)
    with pytest.raises(AssertionError):
        assert_a_result(told)
