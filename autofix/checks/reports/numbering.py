"""Ids that are given twice: the second becomes `id#2`, the third `id#3`, in the report's order."""

from collections.abc import Container


class Numbering:
    """Makes ids unique; 100,000 times the same one costs no more than 100,000 others."""

    def __init__(self, taken: Container[str]) -> None:
        self._taken = taken
        self._last: dict[str, int] = {}

    def __call__(self, id_: str) -> str:
        """The id, or where it is taken the next numbered one that is free."""
        if id_ not in self._taken:
            return id_
        number = self._last.get(id_, 1) + 1
        while (name := f"{id_}#{number}") in self._taken:
            number += 1
        self._last[id_] = number
        return name
