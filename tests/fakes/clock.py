"""A clock that stands still until someone sleeps or a test moves it."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    def __init__(self, at: datetime = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) -> None:
        self._start = at
        self.seconds = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
