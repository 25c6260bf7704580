"""Reads GitHub's JSON a field at a time, and names the one that is missing or of another type.

Bare dicts end here: whoever parses a payload or an answer wraps it in `Fields` and takes typed values out.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from autofix.errors import ForgeError


class BadFieldError(ForgeError):
    """A field GitHub documents is missing or of another type; the message is its path and what was found."""


class Fields:
    """One JSON object with the path that led to it.

    Raises:
        BadFieldError: from the constructor, where `value` is no object, and from every accessor.
    """

    __slots__ = ("_object", "_path")

    def __init__(self, value: object, path: str = "") -> None:
        if not isinstance(value, dict):
            raise BadFieldError(f"{path or 'the document'} is {_kind(value)}, not an object")
        self._object: dict[str, object] = value
        self._path = path

    def _at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _wrong(self, name: str, wanted: str) -> BadFieldError:
        return BadFieldError(f"{self._at(name)} is {_kind(self._object.get(name))}, not {wanted}")

    def raw(self, name: str) -> object:
        """The value as it came; None where it is missing."""
        return self._object.get(name)

    def text(self, name: str) -> str:
        value = self._object.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "text")
        return value

    def maybe_text(self, name: str) -> str | None:
        return None if self._object.get(name) is None else self.text(name)

    def number(self, name: str) -> int:
        value = self._object.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number")
        return value

    def maybe_number(self, name: str) -> int | None:
        return None if self._object.get(name) is None else self.number(name)

    def flag(self, name: str) -> bool:
        """A boolean; a missing one is False."""
        value = self._object.get(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def time(self, name: str) -> datetime:
        text = self.text(name)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise self._wrong(name, "a time") from None
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)

    def maybe_time(self, name: str) -> datetime | None:
        return None if self._object.get(name) is None else self.time(name)

    def object(self, name: str) -> "Fields":
        return Fields(self._object.get(name), self._at(name))

    def maybe_object(self, name: str) -> "Fields | None":
        return None if self._object.get(name) is None else self.object(name)

    def each(self, name: str) -> "Iterator[Fields]":
        """The objects of a list; a missing or null list is empty."""
        value = self._object.get(name)
        if value is None:
            return
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        for index, item in enumerate(value):
            yield Fields(item, f"{self._at(name)}[{index}]")


def _kind(value: object) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
