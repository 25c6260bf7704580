"""What the Messages API's failures mean for a run: try again, or do something else. Every message says what.

No message holds the key: a gateway may echo what it was sent, so whatever the other side says is searched for it.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from autofix.errors import ModelError, ModelRejected, ModelUnavailable
from autofix.ports.model import JsonValue

_TRY_AGAIN = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS))

_WHAT_TO_DO: Mapping[int, str] = {
    400: "the API refused the request",
    401: "the API refused the key: check ANTHROPIC_API_KEY and whom it belongs to",
    402: "the account behind the key cannot pay: check its billing",
    403: "the key may not use this model or this endpoint: check its workspace's permissions",
    404: "the endpoint knows no such model: check the model's name and the base URL",
    413: "the request is larger than the API takes: start again with less context",
}

_TOO_LONG = "the conversation no longer fits the model's context window: start again with less context"

_SHOWN = 500  # characters of the other side's words


def status_error(status: int, headers: Mapping[str, str], body: object, *, key: str) -> ModelError:
    """The error for an answer that is no success. `body` is the parsed JSON, or the text where it is none."""
    said = without_key(_explanation(body), key)[:_SHOWN]
    detail = f" (HTTP {status}{': ' + said if said else ''})"
    if _worth_retrying(status, headers.get("x-should-retry", "")):
        reason = "the API is overloaded" if status in {429, 529} else "the API failed"
        return ModelUnavailable(reason + detail, status=status, retry_after=retry_after(headers))
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return ModelRejected(
            f"the endpoint redirects elsewhere: set the base URL to where the API is{detail}", status=status
        )
    if status == HTTPStatus.BAD_REQUEST and "too long" in said:
        return ModelRejected(_TOO_LONG + detail, status=status)
    return ModelRejected(_WHAT_TO_DO.get(status, "the API refused the request") + detail, status=status)


def _worth_retrying(status: int, server_says: str) -> bool:
    if server_says in {"true", "false"}:
        return server_says == "true"
    return status in _TRY_AGAIN or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _explanation(body: object) -> str:
    match body:
        case {"error": {"message": str(message)}} | {"message": str(message)} | str(message):
            return " ".join(message.split())
        case _:
            return ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, from `retry-after-ms` or `retry-after` (seconds or a date); None without."""
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _seconds(value)
    if seconds is not None:
        return seconds
    until = _date(value)
    if until is None:
        return None
    # The server's own clock, where it tells it: ours may be wrong by more than the wait.
    now = _date(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def not_a_stream(content_type: str, body: bytes, parsed: JsonValue) -> ModelError:
    """The error for a success that is no event stream. `parsed` is None where the body is not JSON."""
    if "json" in content_type and parsed is None:
        return ModelUnavailable(f"the API's answer is broken: {len(body)} bytes that should be JSON and are not")
    return ModelRejected(
        f"the endpoint answered with {content_type[:60] or 'no content type'} instead of an event stream: "
        "check that the base URL is an Anthropic Messages API that can stream"
    )


def without_key(text: str, key: str) -> str:
    return text.replace(key, "[key]") if key else text
