"""One measured figure beside its bar."""

from typing import NamedTuple


class Row(NamedTuple):
    """`measured` and `bar` in `unit`; the bar holds where `measured` <= `bar`."""

    name: str
    measured: float
    bar: float
    unit: str

    @property
    def holds(self) -> bool:
        return self.measured <= self.bar
