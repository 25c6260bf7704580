"""Refs of our own in the repository, `refs/autofix/…`: what outlives a job. No clone fetches them.

Each is at a commit whose tree holds a few files, and moves by compare-and-swap only.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from autofix.errors import GitError
from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME
from autofix.world.git_cli import GitCli
from autofix.world.git_process import GitProcess
from autofix.world.git_source import Source
from autofix.world.github_git import GitRemote

_HERE = "refs/autofix/here"


@dataclass(frozen=True, slots=True)
class PrivateRefs:
    """The refs, reached from a local repository made for them, which `close` removes."""

    git: GitProcess
    remote: GitRemote
    now: Callable[[], datetime]

    @classmethod
    def at(cls, place: Path, url: str, token: str, now: Callable[[], datetime]) -> Self:
        """`place` is where the local repository is made."""
        git = GitCli(Source.empty(place / "empty").common, place).process
        return cls(git, GitRemote(git, url, token), now)

    def close(self) -> None:
        shutil.rmtree(self.git.git_dir, ignore_errors=True)

    def fetch(self, ref: str) -> str:
        """The commit the ref is at, brought here. Raises GitError where there is none, ForgeUnavailable."""
        return self.remote.fetch_ref(ref, _HERE)

    def subject(self, commit: str) -> str:
        """The first line of its message."""
        return self.git.output("log", "-1", "--format=%s", commit).decode("utf-8", "replace").strip()

    def file(self, commit: str, name: str, limit: int) -> bytes:
        """A file of its tree. Raises GitError where there is none, or one of more than `limit` bytes."""
        size = int(self.git.output("cat-file", "-s", f"{commit}:{name}"))
        if size > limit:
            raise GitError(f"{name} has {size} bytes")
        return self.git.output("cat-file", "blob", f"{commit}:{name}")

    def commit(self, files: Mapping[str, bytes], message: str) -> str:
        """A commit of these files, without parents."""
        lines = [f"100644 blob {self._written(content)}\t{name}\n" for name, content in sorted(files.items())]
        return self._commit(self.git.output("mktree", stdin="".join(lines).encode()).decode().strip(), message)

    def again(self, commit: str, message: str) -> str:
        """A commit of the same files on top of it."""
        tree = self.git.output("rev-parse", f"{commit}^{{tree}}").decode().strip()
        return self._commit(tree, message, "-p", commit)

    def moment(self) -> str:
        return self.now().astimezone(UTC).isoformat()

    def _commit(self, tree: str, message: str, *parents: str) -> str:
        who = {"NAME": AUTHOR_NAME, "EMAIL": AUTHOR_EMAIL, "DATE": self.moment()}
        names = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in who.items()}
        made = self.git.output(
            "commit-tree", "--no-gpg-sign", *parents, tree, stdin=message.encode(), environment=names
        )
        return made.decode().strip()

    def _written(self, content: bytes) -> str:
        return self.git.output("hash-object", "-w", "--no-filters", "--stdin", stdin=content).decode().strip()
