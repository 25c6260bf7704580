"""Careful steps into JSON that somebody else wrote: what is not of the kind asked for is as if it were not there."""

import json
from collections.abc import Iterator
from typing import Any

_STRANGE = 1e15
"""What no count and no time reaches; comparing with it also refuses nan."""

Object = dict[str, Any]


def parsed(text: bytes | str) -> Any:
    """The value, None where it is no JSON (or nested so deep that only an attack would be)."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def objects(value: Any) -> Iterator[Object]:
    """The objects of an array."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def texts(value: Any) -> list[str]:
    """The strings of an array."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def text(of: Object, key: str) -> str:
    value = of.get(key)
    return value if isinstance(value, str) else ""


def number(of: Object, key: str) -> float:
    """A number that is none of JSON's strange ones and not below 0, else 0."""
    value = of.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return float(value) if 0 <= value < _STRANGE else 0.0


def inner(of: Object, *keys: str) -> Object:
    """The object at the end of a path of keys; empty where there is none."""
    for key in keys:
        value = of.get(key)
        if not isinstance(value, dict):
            return {}
        of = value
    return of
