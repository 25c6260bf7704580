"""Holds a result.json, and what `verify --json` prints, to the published schemas, more strictly than a reader has to."""

from typing import Any

from jsonschema import Draft202012Validator

from autofix.report import patch_schema, result_schema


def assert_a_result(told: Any) -> None:
    """Every field is there, of its kind, and none that the schema does not tell of."""
    _hold(told, _RESULT)


def assert_a_verdict(told: Any) -> None:
    """The same for `verify --json`."""
    _hold(told, _VERDICT)


def _hold(told: Any, validator: Draft202012Validator) -> None:
    wrong = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(told)]
    assert not wrong, "\n".join(wrong)


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return {**closed, "additionalProperties": False} if "required" in schema and "properties" in schema else closed


_RESULT = Draft202012Validator(_closed(result_schema.SCHEMA))
_VERDICT = Draft202012Validator(_closed(patch_schema.SCHEMA))
