"""One measured figure beside its bar."""

from typing import NamedTuple, Self


class Row(NamedTuple):
    """`measured` and `bar` in `unit`; the bar holds where `measured` <= `bar`, or >= where `at_least` says so.

    A bar of infinity is none: the figure explains another. `why_not` says why nothing was measured.
    """

    name: str
    measured: float
    bar: float
    unit: str
    at_least: bool = False
    why_not: str = ""

    @classmethod
    def left_out(cls, name: str, why: str) -> Self:
        return cls(name, float("nan"), float("inf"), "", why_not=why)

    @property
    def holds(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar
