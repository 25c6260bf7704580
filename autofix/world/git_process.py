"""The one place that runs git: argument lists, an explicit environment, and nothing a repository configures.

Two kinds of repositories are run on. The harness's own has a configuration we wrote. The user's is only asked for its
refs and its configuration's values; git reads its configuration while answering, so the keys that name programs are
overridden, no transport is allowed, and no object is looked up there (a missing one could start a fetch).
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from autofix.errors import GitError
from autofix.ports.program import MINIMAL_ENVIRONMENT, ProgramResult
from autofix.world.process import ProcessPrograms, close_pipes, kill_group, start

LOCAL_TIMEOUT = 120.0  # seconds; the largest local step (packing a history of some GB) stays below
REMOTE_TIMEOUT = 180.0  # seconds for one exchange with a remote
OUTPUT_LIMIT = 512 * 1024 * 1024  # bytes; a list of 5 million paths is about as long
_MESSAGE_LIMIT = 300  # characters of git's own words in an error: one line of a terminal or two

_ENVIRONMENT: Mapping[str, str] = {
    **MINIMAL_ENVIRONMENT,
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "/bin/false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # an allow-list without a real transport: local calls reach nothing
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",  # wins over any core.sshCommand
}

# Keys of a repository's configuration that name a program git might run, or that would change what is printed.
_NEUTRAL = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=",
    "core.quotePath=false",
    "core.abbrev=no",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "submodule.recurse=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
)


class GitProcess:
    """Git on one git directory, which is named, never discovered."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        neutral = [part for setting in _NEUTRAL for part in ("-c", setting)]
        self._prefix = ("git", "--no-pager", f"--git-dir={git_dir}", *neutral)
        self._programs = ProcessPrograms()

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        timeout: float = LOCAL_TIMEOUT,
    ) -> ProgramResult:
        """What git answered, whatever it answered."""
        result = self._programs.run(
            (*self._prefix, *arguments),
            stdin,
            timeout=timeout,
            environment={**_ENVIRONMENT, **(environment or {})},
            output_limit=OUTPUT_LIMIT,
        )
        if result.timed_out:
            raise GitError(f"git {arguments[0]} did not end within {timeout:.0f} s")
        if result.overflowed:
            raise GitError(f"git {arguments[0]} printed more than {OUTPUT_LIMIT} bytes")
        return result

    def output(self, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """What git printed.

        Raises:
            GitError: it failed; the message is its own first line.
        """
        result = self.run(*arguments, stdin=stdin, environment=environment)
        if result.exit_code:
            raise GitError(f"git {arguments[0]}: {said(result.stderr) or f'exit {result.exit_code}'}")
        return result.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A git that keeps talking; the caller ends it with `end`."""
        try:
            return start((*self._prefix, *arguments), environment=_ENVIRONMENT)
        except OSError as error:
            raise GitError(f"git cannot be started: {error.strerror}") from error

    def first_bytes(self, *arguments: str, limit: int) -> bytes:
        """The first `limit` bytes git prints; the rest is never made."""
        process = self.start(*arguments)
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            found = process.stdout.read(limit)
            if len(found) < limit and process.wait():
                raise GitError(f"git {arguments[0]}: {said(process.stderr.read(_MESSAGE_LIMIT))}")
            return found
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what `start` started; safe on one that has ended."""
    if process.poll() is None:
        kill_group(process.pid)
    process.wait()
    close_pipes(process)


def said(stderr: bytes) -> str:
    """Git's complaint as one printable line."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines()]
    telling = [line for line in lines if line and not line.startswith(("hint:", "warning:"))]
    line = next(iter(telling), "")
    return "".join(c if c.isprintable() else "?" for c in line)[:_MESSAGE_LIMIT]
