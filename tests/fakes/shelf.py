"""A shelf in memory that remembers what was asked of it."""

from dataclasses import dataclass, field


@dataclass
class FakeShelf:
    """`ports.shelf.Shelf`; `held` may be spoilt by a test."""

    held: dict[str, bytes] = field(default_factory=dict)

    def read(self, key: str) -> bytes | None:
        return self.held.get(key)

    def keep(self, key: str, content: bytes) -> None:
        self.held[key] = content
