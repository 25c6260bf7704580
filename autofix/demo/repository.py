"""Lays the bundled pull request out as a real git repository with a real remote."""

from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from autofix.errors import GitError
from autofix.ports.program import MINIMAL_ENVIRONMENT, Programs

PROJECT = Path(__file__).parent / "project"
TRANSCRIPT = Path(__file__).parent / "transcript.jsonl"
BRANCH = "vouchers"
CHECK = "python3 -m unittest -v"
_ENVIRONMENT = {
    **MINIMAL_ENVIRONMENT,
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Demo",
    "GIT_AUTHOR_EMAIL": "demo@example.org",
    "GIT_COMMITTER_NAME": "Demo",
    "GIT_COMMITTER_EMAIL": "demo@example.org",
}


@dataclass(frozen=True, slots=True)
class DemoRepository:
    """A checkout on the failing branch, and the remote a fix is pushed to."""

    checkout: Path
    remote: Path


def lay_out(directory: Path, programs: Programs) -> DemoRepository:
    """Make both below `directory`: `main` with the base, the branch with the pull request's commit on top."""
    made = DemoRepository(directory / "shop", directory / "remote.git")
    git = _Git(programs, made.checkout)
    copytree(PROJECT / "base", made.checkout)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "A shop that adds up")
    git("clone", "-q", "--bare", ".", str(made.remote))
    git("checkout", "-q", "-b", BRANCH)
    copytree(PROJECT / "feature", made.checkout, dirs_exist_ok=True)
    git("add", "-A")
    git("commit", "-q", "-m", "Vouchers and shipping")
    git("remote", "add", "origin", str(made.remote))
    git("push", "-q", "--set-upstream", "origin", BRANCH)
    return made


@dataclass(frozen=True, slots=True)
class _Git:
    programs: Programs
    directory: Path

    def __call__(self, *arguments: str) -> None:
        argv = ("git", "-c", f"safe.directory={self.directory}", *arguments)
        done = self.programs.run(argv, b"", timeout=60, environment=_ENVIRONMENT, cwd=str(self.directory))
        if done.exit_code:
            raise GitError(f"git {arguments[0]} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
