"""What the model says to a tool is read strictly, and what a field takes is told to it as JSON Schema."""

import json
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autofix.harness.tool_input import NAME_SHOWN, Misfit, ToolInput, said


@dataclass(frozen=True, slots=True)
class Search(ToolInput):
    pattern: str = said(description="RE2")
    kind: Literal["lines", "count"] = "lines"
    folded: bool = said(default=False, name="-i")
    limit: int | None = said(None, least=1, most=10)
    names: list[str] | None = None


def faults_of(sent):
    with pytest.raises(Misfit) as caught:
        Search.read(sent)
    return caught.value.faults


def test_an_input_that_fits_becomes_a_value():
    sent = {"pattern": "a", "kind": "count", "-i": True, "limit": 10, "names": ["b"]}
    assert Search.read(sent) == Search("a", "count", folded=True, limit=10, names=["b"])
    assert Search.read({"pattern": "a"}) == Search("a")
    assert Search.read({"pattern": "a", "limit": None, "names": None}) == Search("a")


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ({}, "pattern: is required"),
        ({"pattern": None}, "pattern: must not be null"),
        ({"pattern": 1}, "pattern: must be a text"),
        ({"pattern": b"a"}, "pattern: must be a text"),
        ({"pattern": "a\ud800"}, "pattern: holds half of a surrogate pair, which is no character"),
        ({"pattern": "a", "kind": "files"}, "kind: must be one of lines, count"),
        ({"pattern": "a", "kind": ["lines"]}, "kind: must be one of lines, count"),
        ({"pattern": "a", "-i": 1}, "-i: must be true or false"),
        ({"pattern": "a", "limit": True}, "limit: must be a whole number"),
        ({"pattern": "a", "limit": 1.0}, "limit: must be a whole number"),
        ({"pattern": "a", "limit": "1"}, "limit: must be a whole number"),
        ({"pattern": "a", "limit": 0}, "limit: must be at least 1"),
        ({"pattern": "a", "limit": 11}, "limit: must be at most 10"),
        ({"pattern": "a", "names": "b"}, "names: must be a list of texts"),
        ({"pattern": "a", "names": ["b", 1]}, "names: must be a list of texts"),
        ({"pattern": "a", "names": ["\udcff"]}, "names: holds half of a surrogate pair, which is no character"),
        ({"pattern": "a", "folded": True}, "folded: there is no such field; there are pattern, kind, -i, limit, names"),
    ],
)
def test_what_does_not_fit_is_a_fault_that_names_the_field(sent, fault):
    assert faults_of(sent) == (fault,)


def test_every_fault_is_named_and_none_repeats_what_was_sent():
    told = faults_of({"limit": "x" * 5000, "y" * 5000: 1})
    assert [fault.partition(":")[0] for fault in told] == ["y" * NAME_SHOWN, "pattern", "limit"]
    assert "x" * 10 not in "".join(told)


@pytest.mark.parametrize("sent", [None, [], "pattern", 3])
def test_what_is_no_object_does_not_fit(sent):
    assert faults_of(sent) == ("input: must be an object",)


def test_the_schema_says_what_is_taken():
    assert Search.schema() == {
        "type": "object",
        "properties": {
            "pattern": {"description": "RE2", "type": "string"},
            "kind": {"default": "lines", "enum": ["lines", "count"], "type": "string"},
            "-i": {"default": False, "type": "boolean"},
            "limit": {"maximum": 10, "minimum": 1, "type": "integer"},
            "names": {"items": {"type": "string"}, "type": "array"},
        },
        "required": ["pattern"],
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["pattern", "kind", "-i", "limit", "names", "\ud800"]), json_values))
def test_any_json_is_read_or_refused_in_words_that_can_be_written(sent):
    try:
        value = Search.read(sent)
    except Misfit as misfit:
        told = list(misfit.faults)
    else:
        told = [value.pattern, *(value.names or [])]
    assert json.dumps(told, ensure_ascii=False).encode()
