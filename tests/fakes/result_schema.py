"""Holds a result.json to its published schema, more strictly than a reader has to."""

from typing import Any

from jsonschema import Draft202012Validator

from autofix.report.result_schema import SCHEMA


def assert_a_result(told: Any) -> None:
    """Every field is there, of its kind, and none that the schema does not tell of."""
    wrong = [f"{error.json_path}: {error.message}" for error in _STRICT.iter_errors(told)]
    assert not wrong, "\n".join(wrong)


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return {**closed, "additionalProperties": False} if "required" in schema and "properties" in schema else closed


_STRICT = Draft202012Validator(_closed(SCHEMA))
