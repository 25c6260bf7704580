"""The shelf's door: small values that outlive a run, found again by their key. A cache: what is gone is made again."""

from typing import Protocol


class Shelf(Protocol):
    """Keys are hexadecimal digests. Nothing here raises: a shelf that does not work is an empty one."""

    def read(self, key: str) -> bytes | None:
        """What was kept under the key, whole and as it was; None where it is gone, too old or damaged."""
        ...

    def keep(self, key: str, content: bytes) -> None:
        """Keep it in the place of what was kept before, where there is room for it; older things may go."""
        ...
