"""GitHub's JSON is read by field, and a wrong field is named."""

from datetime import UTC, datetime

import pytest

from autofix.intake.fields import BadFieldError, Fields

FOUND = Fields(
    {"text": "x", "number": 3, "flag": True, "when": "2026-01-02T03:04:05Z", "list": [{"a": 1}], "null": None}, "run"
)


def test_fields_of_the_right_type_are_read():
    assert (FOUND.text("text"), FOUND.number("number"), FOUND.flag("flag")) == ("x", 3, True)
    assert FOUND.time("when") == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert [one.number("a") for one in FOUND.each("list")] == [1]


def test_what_may_be_missing_may_also_be_null():
    for name in ("null", "nowhere"):
        assert FOUND.maybe_text(name) is None
        assert FOUND.maybe_number(name) is None
        assert FOUND.maybe_time(name) is None
        assert FOUND.maybe_object(name) is None
        assert list(FOUND.each(name)) == []
    assert FOUND.flag("nowhere") is False


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: FOUND.text("number"), "run.number is a number, not text"),
        (lambda: FOUND.text("nowhere"), "run.nowhere is missing, not text"),
        (lambda: FOUND.number("text"), "run.text is text, not a whole number"),
        (lambda: FOUND.number("flag"), "run.flag is a boolean, not a whole number"),
        (lambda: FOUND.flag("text"), "run.text is text, not true or false"),
        (lambda: FOUND.time("text"), "run.text is text, not a time"),
        (lambda: FOUND.object("list"), "run.list is a list, not an object"),
        (lambda: list(FOUND.each("text")), "run.text is text, not a list"),
        (lambda: next(FOUND.each("list")).text("b"), r"run.list\[0\].b is missing, not text"),
        (lambda: Fields([]), "the document is a list, not an object"),
    ],
)
def test_a_wrong_field_is_named_with_its_path_and_what_it_is(read, said):
    with pytest.raises(BadFieldError, match=said):
        read()


@pytest.mark.parametrize("text", ["2026-01-02T03:04:05", "2026-01-02T05:04:05+02:00"])
def test_times_are_utc_whatever_zone_they_come_in(text):
    assert Fields({"when": text}).time("when") == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
