"""When a refused or failed request to GitHub is tried again, and after how long. Decisions only, no waiting.

GitHub's rules: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api and
https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_SECONDARY_WAIT = 60.0
"""Seconds: what GitHub asks for where a secondary limit comes without `retry-after`; doubled each time."""

_FAULT_WAIT = 1.0
"""Seconds after the first 5xx or broken connection; doubled each time."""

_FAULT_TRIES = 4

_LIMITED = frozenset({403, 429})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `status` 0 is no answer at all: nobody knows whether the request took effect."""

    status: int
    headers: Mapping[str, str]
    message: str = ""

    @property
    def rate_limited(self) -> bool:
        """Refused before anything was done, so that even a POST can be sent again."""
        if self.status not in _LIMITED:
            return False
        words = self.message.casefold()
        return (
            self.status == 429  # noqa: PLR2004 - "too many requests"
            or "retry-after" in self.headers
            or self.headers.get("x-ratelimit-remaining") == "0"
            or "rate limit" in words
            or "abuse detection" in words
        )

    @property
    def fault(self) -> bool:
        """The network or GitHub itself failed."""
        return self.status == 0 or self.status >= 500  # noqa: PLR2004 - the server's own errors


def wait_before_retry(answer: Answer, tries: int, now: float, *, repeatable: bool) -> float | None:
    """Seconds to wait before the next try; None to give up.

    Args:
        answer: of the last try.
        tries: how often the request was sent.
        now: seconds since the epoch, as the server's reset times are.
        repeatable: sending it twice does no more than sending it once (a POST is not).
    """
    if answer.rate_limited:
        return _limit_wait(answer, tries, now)
    if answer.fault and repeatable and tries < _FAULT_TRIES:
        return _number(answer.headers.get("retry-after")) or _FAULT_WAIT * 2 ** (tries - 1)
    return None


def _limit_wait(answer: Answer, tries: int, now: float) -> float:
    asked = _number(answer.headers.get("retry-after"))
    if asked is not None:
        return asked
    reset = _number(answer.headers.get("x-ratelimit-reset"))
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(1.0, reset - now + 1.0)
    return float(_SECONDARY_WAIT * 2 ** (tries - 1))


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None
