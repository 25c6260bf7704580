import pytest

from autofix.errors import ModelRejected, ModelUnavailable
from autofix.world.anthropic_errors import retry_after, status_error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "5"}, 5.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT", "date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 30.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT", "date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30 -0000", "date": "Mon, 30 Nov 2026 12:00:00 GMT"}, 30.0),
        ({"retry-after": "Fri, 01 Jan 1999 00:00:00 GMT"}, 0.0),
    ],
)
def test_the_wait_is_read_in_every_form_it_has(headers: dict, seconds) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    ("status", "says", "kind"),
    [
        (429, "", ModelUnavailable),
        (529, "", ModelUnavailable),
        (408, "", ModelUnavailable),
        (409, "", ModelUnavailable),
        (599, "", ModelUnavailable),
        (400, "", ModelRejected),
        (418, "", ModelRejected),
        (301, "", ModelRejected),
        (529, "false", ModelRejected),
        (400, "true", ModelUnavailable),
        (500, "perhaps", ModelUnavailable),
    ],
)
def test_what_may_be_tried_again_is_the_statuss_to_say_unless_the_server_does(status: int, says: str, kind) -> None:
    error = status_error(status, {"x-should-retry": says}, None, key="k")

    assert type(error) is kind
    assert error.status == status


@pytest.mark.parametrize("body", [None, "", [], {}, {"error": "text"}, {"error": {"message": 3}}, 7])
def test_a_body_without_explanation_is_no_trouble(body) -> None:
    assert str(status_error(400, {}, body, key="k")).endswith("(HTTP 400)")


def test_the_explanation_is_one_line_and_short() -> None:
    error = status_error(400, {}, {"error": {"message": "one\r\n::error::two\n" + "x" * 10_000}}, key="k")

    assert "\n" not in str(error)
    assert len(str(error)) < 700


def test_the_key_is_cut_out_before_the_text_is_shortened() -> None:
    key = "sk-ant-0123456789"
    error = status_error(400, {}, {"error": {"message": "x" * 490 + key}}, key=key)

    assert "sk-ant" not in str(error)
