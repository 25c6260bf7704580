"""The words that published schemas (JSON Schema 2020-12) are written in."""

from collections.abc import Mapping

from autofix.ports.model import JsonValue

Schema = dict[str, JsonValue]
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def of(kind: str, told: str = "", **more: JsonValue) -> Schema:
    return {"type": kind, **({"description": told} if told else {}), **more}


def or_null(schema: Schema) -> Schema:
    """The same, or null where there is none."""
    kind = schema["type"]
    return {**schema, "type": [kind, "null"]}


def an_object(properties: Mapping[str, Schema], told: str = "") -> Schema:
    """Every property is always there; others may be."""
    return of("object", told, required=list(properties), properties=dict(properties))


def a_list(items: Schema, told: str = "") -> Schema:
    return of("array", told, items=items)
