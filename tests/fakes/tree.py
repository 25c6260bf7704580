"""A work tree in memory: files by path, links, and the rules of the port."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from autofix.errors import TreeError
from autofix.ports.tree import FileState, TreeChanges


class FakeTree:
    """`files` is what is there now; `links` maps a path to where it points (a path of the tree, or outside)."""

    path = Path("/trees/attempt")
    commit = "c" * 40

    def __init__(self, files: Mapping[str, bytes] | None = None, links: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})
        self.links = dict(links or {})
        self.commit_files = dict(self.files)
        self.written: list[str] = []
        self.dropped = False

    def real_path(self, path: str) -> str:
        if path.startswith("/") or "\0" in path:
            raise TreeError(f"{path!r} is outside the work tree")
        parts: list[str] = []
        for part in path.split("/"):
            if part == "..":
                if not parts:
                    raise TreeError(f"{path} is outside the work tree")
                parts.pop()
            elif part not in {"", "."}:
                parts.append(part)
            there = "/".join(parts)
            if there in self.links:
                parts = self.real_path(self.links[there]).split("/")
        return "/".join(parts)

    def read(self, path: str, limit: int) -> FileState:
        if path in self.links:
            raise TreeError(f"{path} is a symbolic link")
        if path not in self.files:
            raise TreeError(f"{path}: no such file")
        content = self.files[path]
        if len(content) > limit:
            raise TreeError(f"{path} has {len(content)} bytes, more than {limit}")
        return FileState(content, sha256(content).hexdigest())

    def write(self, path: str, content: bytes, *, expected: str | None) -> None:
        if path in self.links:
            raise TreeError(f"{path} is a symbolic link")
        present = self.files.get(path)
        if expected is None and present is not None:
            raise TreeError(f"{path} exists")
        if expected is not None and (present is None or sha256(present).hexdigest() != expected):
            raise TreeError(f"{path} changed since it was read")
        self.files[path] = content
        self.written.append(path)

    def walk(self, path: str = "") -> Iterator[tuple[str, int]]:
        if path and not any(name.startswith(path + "/") for name in self.files):
            raise TreeError(f"{path} is no directory")
        for name in sorted(self.files):
            inside = not path or name.startswith(path + "/")
            if inside and ".git" not in name.split("/"):
                yield name, len(self.files[name])

    def compare(self) -> TreeChanges:
        common = self.files.keys() & self.commit_files.keys()
        return TreeChanges(
            modified=tuple(sorted(path for path in common if self.files[path] != self.commit_files[path])),
            deleted=tuple(sorted(self.commit_files.keys() - self.files.keys())),
            added=tuple(sorted(self.files.keys() - self.commit_files.keys())),
        )

    def restore(self, paths: Sequence[str]) -> None:
        for path in paths:
            self.links.pop(path, None)
            self.files[path] = self.commit_files[path]

    def remove(self, paths: Sequence[str]) -> None:
        for path in paths:
            self.files.pop(path, None)

    def digest(self, paths: Sequence[str]) -> str:
        contents = sha256()
        for path in sorted(paths):
            contents.update(repr((path, self.files.get(path))).encode())
        return contents.hexdigest()

    def drop(self) -> None:
        self.dropped = True
