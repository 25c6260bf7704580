"""Kept results in memory."""


class FakeArtifacts:
    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def keep(self, kind: str, content: bytes) -> str:
        name = next((name for name, kept in self.kept.items() if kept == content), f"{kind}-{len(self.kept) + 1}")
        self.kept[name] = content
        return name

    def read(self, name: str) -> bytes | None:
        return self.kept.get(name)
