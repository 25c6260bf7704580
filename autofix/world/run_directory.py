"""Where a run lives on disk: its journal, transcript, artifacts and result; nobody else may read it.

<state directory>/comments/
<state directory>/runs/<run id>/  journal.jsonl  transcript.jsonl  result.json  comment.md  fix.patch
                                  artifacts/  memory/  trees/  repo.git/
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Self

from autofix.errors import UsageError
from autofix.world.owner import alive, identity

OWNER_FILE = "owner"
"""Which process runs it; gone when the run has ended."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """One run's directory."""

    state: Path
    path: Path

    @classmethod
    def create(cls, state: Path, run_id: str) -> Self:
        path = state / "runs" / run_id
        try:
            for directory in (path / "artifacts", path / "memory", path / "trees", state / "comments"):
                directory.mkdir(parents=True, mode=0o700, exist_ok=True)
            path.chmod(0o700)
            (path / OWNER_FILE).write_text(identity(), encoding="ascii")
        except OSError as error:
            raise UsageError(f"--state-dir: cannot make {path}: {error.strerror}") from error
        return cls(state, path)

    @classmethod
    def find(cls, state: Path, name: str) -> Self:
        """The run of this name, or whose name begins so; `last` is the newest.

        Raises:
            UsageError: there is none, or there are several.
        """
        runs = [run.path.name for run in cls.all(state)]
        if name == "last" and runs:
            return cls(state, state / "runs" / runs[-1])
        found = [run for run in runs if run == name] or [run for run in runs if name and run.startswith(name)]
        if len(found) == 1:
            return cls(state, state / "runs" / found[0])
        if found:
            raise UsageError(f"{name!a} may be {' or '.join(found[:3])}: say more of its name")
        raise UsageError(f"no run is called {name!a} in {state}: {_nearest(name, runs)}")

    @classmethod
    def all(cls, state: Path) -> list[Self]:
        """Every run that left something, the oldest first."""
        return [cls(state, path) for path in sorted((state / "runs").glob("*")) if path.is_dir()]

    def reopen(self) -> None:
        """Make ready for a run that goes on: what only its last process needed is gone, and this process owns it."""
        self.remove_work()
        (self.path / "trees").mkdir(mode=0o700, exist_ok=True)
        (self.path / OWNER_FILE).write_text(identity(), encoding="ascii")

    @property
    def started(self) -> datetime:
        """When the run was started: its name begins with it. Its commit bears this date, however often it is made."""
        return datetime.strptime(self.path.name[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)

    @staticmethod
    def sweep(state: Path) -> None:
        """Drop the repositories and trees of runs whose process was killed; what they recorded stays."""
        for mark in (state / "runs").glob(f"*/{OWNER_FILE}"):
            with suppress(OSError):
                if not alive(mark.read_text(encoding="ascii")):
                    RunDirectory(state, mark.parent).remove_work()

    @property
    def owner(self) -> str:
        """The process that runs it, as `owner.identity` writes it; "" where there is none."""
        try:
            return (self.path / OWNER_FILE).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return ""

    @property
    def comments(self) -> Path:
        return self.state / "comments"

    @property
    def journal(self) -> Path:
        return self.path / "journal.jsonl"

    def keep(self, name: str, content: bytes) -> str:
        """Write a file whole or not at all; its place."""
        target = self.path / name
        draft = target.with_name(f".{name}.new")
        draft.write_bytes(content)
        draft.chmod(0o600)
        os.replace(draft, target)  # noqa: PTH105 - the two names, side by side
        return str(target)

    def append(self, name: str, redact: Callable[[str], str]) -> Callable[[str], None]:
        """A sink that appends redacted lines, each with its end, to a file."""

        def write(line: str) -> None:
            with (self.path / name).open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write(redact(line))

        return write

    def read_lines(self, name: str) -> list[str]:
        """The whole lines of a file that `append` wrote."""
        try:
            whole = (self.path / name).read_bytes().rpartition(b"\n")[0]
        except FileNotFoundError:
            return []
        return whole.decode("utf-8", "surrogatepass").split("\n") if whole else []

    def mend(self, name: str) -> list[str]:
        """Cut a torn last line from a file that `append` wrote, so that it can be gone on with; its whole lines."""
        lines, path = self.read_lines(name), self.path / name
        if path.exists():
            os.truncate(path, sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines))
        return lines

    def artifacts(self) -> "KeptArtifacts":
        return KeptArtifacts(self.path / "artifacts")

    def memory(self) -> "KeptArtifacts":
        """What a resumed run needs of what was done before."""
        return KeptArtifacts(self.path / "memory")

    def remove_work(self) -> None:
        """Drop what only the running needs: the repository and the trees."""
        for name in ("repo.git", "trees"):
            shutil.rmtree(self.path / name, ignore_errors=True)
        (self.path / OWNER_FILE).unlink(missing_ok=True)

    def remove(self) -> None:
        """Drop all of it: the run never started."""
        shutil.rmtree(self.path, ignore_errors=True)


def _nearest(name: str, runs: list[str]) -> str:
    if not runs:
        return "there is none at all"
    alike = get_close_matches(name, runs)
    return f"the nearest are {', '.join(alike)}" if alike else f"the newest are {', '.join(runs[-3:])}"


@dataclass(frozen=True, slots=True)
class KeptArtifacts:
    """`harness.tools.Artifacts` in a directory; names are ours, and equal content has an equal name.

    What is not any more what was kept under its name is not there.
    """

    directory: Path

    def keep(self, kind: str, content: bytes) -> str:
        name = f"{kind}-{_digest(content)}"
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a name for an artifact: {name!a}")
        (self.directory / name).write_bytes(content)
        return name

    def read(self, name: str) -> bytes | None:
        if not _NAME.fullmatch(name):
            return None
        try:
            content = (self.directory / name).read_bytes()
        except OSError:
            return None
        return content if name.endswith(f"-{_digest(content)}") else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
