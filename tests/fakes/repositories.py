"""Small real git repositories in a temporary directory, made by plain git in an environment of our own.

repository = Repository.create(tmp_path / "work")
base = repository.commit({"src/a.py": "x = 1\\n"}, "First")
repository.branch("feature")
head = repository.commit({"src/a.py": "x = 2\\n", "old.py": None}, "Second")
remote = bare_remote(repository, tmp_path / "remote.git")
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+00:00",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+00:00",
}


def git(directory: Path, *arguments: str | bytes, stdin: bytes = b"", **environment: str) -> bytes:
    """Plain git in `directory`; its output, or an error that shows what it said."""
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "-c", "gc.auto=0", *arguments],
        cwd=directory,
        env={**ENVIRONMENT, **environment},
        input=stdin,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"git {arguments!r} failed: {done.stderr.decode(errors='replace')}")
    return done.stdout


@dataclass(frozen=True)
class Repository:
    """A checkout with a branch `main`."""

    path: Path

    @classmethod
    def create(cls, path: Path, *options: str) -> "Repository":
        path.mkdir(parents=True, exist_ok=True)
        git(path, "init", "-q", "-b", "main", *options)
        return cls(path)

    def git(self, *arguments: str | bytes, stdin: bytes = b"", **environment: str) -> str:
        return git(self.path, *arguments, stdin=stdin, **environment).decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Files of the checkout, uncommitted; None deletes."""
        for name, content in files.items():
            target = self.path / name
            if content is None:
                target.unlink()
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "Change") -> str:
        """Write `files`, then commit everything in the checkout; the commit's id."""
        self.write(files)
        return self.commit_all(message)

    def commit_all(self, message: str = "Change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and check it out."""
        self.git("checkout", "-q", "-b", name, start)

    def checkout(self, name: str) -> None:
        self.git("checkout", "-q", name)

    def head(self, ref: str = "HEAD") -> str:
        return self.git("rev-parse", "--verify", ref)


def bare_remote(repository: Repository, path: Path, *branches: str, name: str = "origin") -> Path:
    """A bare repository that `repository` knows as `name`, holding `branches` (all local ones where none is named)."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "--bare", "-b", "main")
    repository.git("remote", "add", name, str(path))
    repository.git("push", "-q", name, *(branches or ("--all",)))
    return path


def remote_head(remote: Path, branch: str) -> str:
    return git(remote, "rev-parse", "--verify", f"refs/heads/{branch}").decode().strip()
