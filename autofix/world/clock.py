"""The machine's clock."""

import time
from datetime import UTC, datetime


class SystemClock:
    """`ports.clock.Clock` on the real clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
