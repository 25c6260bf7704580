"""What the model may say to a tool: fields with types and bounds, read strictly, and told to the model as JSON Schema.

A tool's input is a frozen dataclass over `ToolInput`; `said` gives a field what its type does not tell. Nothing is
converted: what is not of a field's type is a fault that names the field, so that the model can mend it.

It knows the few types that tools take and no more: the gate checks every call with it, and a library that knows them
all takes longer to load than everything else the gate does.
"""

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

_SURROGATES = re.compile("[\ud800-\udfff]")
_SAID = "said"
NAME_SHOWN = 40
"""Characters of an unknown field's name; longer than any that a tool has."""


class Misfit(ValueError):  # noqa: N818 - what was met, not what went wrong
    """An input does not fit: `faults` says of each wrong field why, without repeating what was sent."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class _Said:
    """What a field's type does not tell."""

    name: str
    description: str
    least: int | None
    most: int | None


def said(
    default: object = MISSING,
    *,
    name: str = "",
    description: str = "",
    least: int | None = None,
    most: int | None = None,
) -> Any:
    """A field of an input: what it is called where that is no Python name, what it means, its bounds (included)."""
    metadata = {_SAID: _Said(name, description, least, most)}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


class ToolInput:
    """Base of all inputs."""

    __slots__ = ()

    @classmethod
    def read(cls, given: object) -> Self:
        """The input as a value.

        Raises:
            Misfit: a field is missing, unknown, or not of its type.
        """
        known = _known(cls)
        if not isinstance(given, Mapping):
            raise Misfit(("input: must be an object",))
        there_are = f"there is no such field; there are {', '.join(known)}"
        faults = [f"{str(name)[:NAME_SHOWN]}: {there_are}" for name in given if name not in known]
        values: dict[str, object] = {}
        for name, one in known.items():
            if name not in given:
                faults += [f"{name}: is required"] if one.required else []
                continue
            if fault := one.fault(given[name]):
                faults.append(f"{name}: {fault}")
            values[one.attribute] = given[name]
        if faults:
            raise Misfit(tuple(fault.encode("utf-8", "replace").decode() for fault in faults))
        return cls(**values)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """JSON Schema without what a model has no use for (titles, null as a default or an alternative)."""
        known = _known(cls)
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {name: one.schema() for name, one in known.items()},
        }
        if required := [name for name, one in known.items() if one.required]:
            schema["required"] = required
        return schema


@dataclass(frozen=True, slots=True)
class _Known:
    """One field: where its value goes, and what it may be."""

    attribute: str
    hint: Any
    default: object
    said: _Said

    @property
    def required(self) -> bool:
        return self.default is MISSING

    def fault(self, value: object) -> str | None:
        """Why a value does not fit; None where it does."""
        kind, optional = _without_none(self.hint)
        if value is None:
            return None if optional else "must not be null"
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if choices:
            return None if value in choices and isinstance(value, str) else f"must be one of {', '.join(choices)}"
        fits, must_be = _TYPES[kind]
        if not fits(value):
            return must_be
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _SURROGATES.search(text):  # JSON can spell it, no path or script can hold it
                return "holds half of a surrogate pair, which is no character"
        return self._out_of_bounds(value)

    def _out_of_bounds(self, value: object) -> str | None:
        least, most = self.said.least, self.said.most
        if not isinstance(value, int):
            return None
        if least is not None and value < least:
            return f"must be at least {least}"
        return f"must be at most {most}" if most is not None and value > most else None

    def schema(self) -> dict[str, Any]:
        kind, _ = _without_none(self.hint)
        described = {"description": self.said.description} if self.said.description else {}
        default = {} if self.required or self.default is None else {"default": self.default}
        bounds = {"maximum": self.said.most, "minimum": self.said.least}
        choices = {"enum": list(get_args(kind))} if get_origin(kind) is Literal else {}
        shape = {"type": "string"} if choices else _SHAPES[kind]
        return {
            **described,
            **default,
            **choices,
            **{name: bound for name, bound in bounds.items() if bound is not None},
            **shape,
        }


_read_once: dict[type[Any], dict[str, _Known]] = {}


def _known(model: type[Any]) -> dict[str, _Known]:
    """The fields of an input by the names the model uses."""
    if model not in _read_once:
        hints = get_type_hints(model)
        told = [(one, _said_of(one)) for one in fields(model)]
        _read_once[model] = {
            said.name or one.name: _Known(one.name, hints[one.name], one.default, said) for one, said in told
        }
    return _read_once[model]


def _said_of(one: Field[Any]) -> _Said:
    told = one.metadata.get(_SAID)
    return told if isinstance(told, _Said) else _Said("", "", None, None)


def _without_none(hint: Any) -> tuple[Any, bool]:
    """A type without its `| None`, and whether it had it."""
    if not isinstance(hint, types.UnionType):
        return hint, False
    (kind,) = [one for one in get_args(hint) if one is not types.NoneType]
    return kind, True


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_TYPES: Mapping[Any, tuple[Callable[[object], bool], str]] = {
    str: (lambda value: isinstance(value, str), "must be a text"),
    bool: (lambda value: isinstance(value, bool), "must be true or false"),
    int: (lambda value: isinstance(value, int) and not isinstance(value, bool), "must be a whole number"),
    list[str]: (_is_list_of_texts, "must be a list of texts"),
}
"""Types of fields: what fits, and what to say of what does not."""
_SHAPES: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    list[str]: {"items": {"type": "string"}, "type": "array"},
}
