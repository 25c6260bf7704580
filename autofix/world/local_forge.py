"""`ports.forge.Forge` over a plain git remote and a directory of comments: where `autofix run` delivers.

A push moves one branch, the pull request's own, from the commit the run worked on to a descendant of it. The default
branch and the base branch are never targets.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autofix.delivery.refusals import read_refusal
from autofix.errors import CannotComment, CannotPush, ForgeError, GitError, UsageError
from autofix.intake.own_marks import MARKER
from autofix.intake.pull_request import PullRequest
from autofix.ports.forge import PostedComment, PushTarget
from autofix.ports.program import ProgramResult
from autofix.world.git_cli import GitCli
from autofix.world.git_process import REMOTE_TIMEOUT, said
from autofix.world.git_source import checked_name
from autofix.world.remote_url import RemoteUrl, parse_remote_url

_USUAL_DEFAULTS = frozenset({"main", "master", "trunk"})  # guarded where a remote does not say which one is its default
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_SLUG_LIMIT = 120  # characters of a comment's file name; file systems take 255 bytes
_FORCE_WORDS = ("stale info", "non-fast-forward", "fetch first", "incorrect old value")


@dataclass(frozen=True, slots=True)
class _Place:
    """A remote's branch that may be pushed to, and how it is reached."""

    target: PushTarget
    remote: RemoteUrl


class LocalForge:
    """The forge of a local run.

    Args:
        git: the harness's repository; new commits are pushed from it.
        pull_request: its branch is the only one ever pushed.
        remote: a remote's name, or None for the one git itself would push the branch to.
        comments: directory of the comments, made when the first one is written.
        ssh_agent: the caller's SSH_AUTH_SOCK, for remotes over ssh.
    """

    def __init__(
        self,
        git: GitCli,
        pull_request: PullRequest,
        *,
        comments: Path,
        remote: str | None = None,
        ssh_agent: str | None = None,
    ) -> None:
        self._git = git
        self._pull_request = pull_request
        self._comments = comments
        self._wanted = remote
        self._ssh_agent = ssh_agent
        self._found: _Place | str | None = None

    def target(self) -> PushTarget | None:
        place = self._place()
        return place.target if isinstance(place, _Place) else None

    def why_not(self) -> str:
        place = self._place()
        return place if isinstance(place, str) else ""

    def head(self) -> str | None:
        place = self._place()
        if isinstance(place, str):
            return None
        return self._refs(place).get(f"refs/heads/{place.target.branch}")

    def push(self, commit: str, expected: str) -> None:
        place = self._place()
        if isinstance(place, str):
            raise CannotPush(place)
        branch, name = place.target.branch, f"refs/heads/{place.target.branch}"
        try:
            refs = self._refs(place)
        except ForgeError as error:
            raise CannotPush(str(error)) from error
        guarded = _guarded(branch, refs)
        if guarded:
            raise CannotPush(guarded)
        if refs.get(name) != expected:
            raise CannotPush(_moved(branch, expected, refs.get(name)), moved=True)
        # The lease makes the remote compare and swap, which a plain push does not: it would also take a branch that
        # moved to another ancestor in between. But a lease that holds lets git replace history, so that the other
        # half of "never forced" is this check of ours.
        if not self._git.is_ancestor(expected, commit):
            raise CannotPush(f"{commit} does not descend from {expected}: pushing it would drop commits")
        try:
            result = self._push(place, commit, expected)
        except GitError as error:
            raise CannotPush(str(error)) from error
        if result.exit_code:
            raise _refused(result, branch)

    def _push(self, place: _Place, commit: str, expected: str) -> ProgramResult:
        name = f"refs/heads/{place.target.branch}"
        return self._remote(
            place.remote,
            "push",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            f"--force-with-lease={name}:{expected}",
            "--end-of-options",
            place.remote.url,
            f"{commit}:{name}",
        )

    def comment(self, body: str) -> PostedComment:
        path = self._comments / f"{self._slug()}.md"
        try:
            self._comments.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._comments, prefix=".comment-", delete=False) as stream:
                stream.write(f"{MARKER}\n{body}".encode("utf-8", "replace"))
                stream.flush()
                os.fsync(stream.fileno())
            Path(stream.name).replace(path)
        except OSError as error:
            raise CannotComment(f"{path}: {error.strerror}") from error
        return PostedComment(str(path))

    def _place(self) -> _Place | str:
        """Where a fix may go, or why nowhere. Kept once found; a remote that did not answer is asked again."""
        if self._found is not None:
            return self._found
        place = self._configured()
        if isinstance(place, _Place):
            try:
                refs = self._refs(place)
            except ForgeError as error:
                return str(error)
            place = _guarded(place.target.branch, refs) or place
        self._found = place
        return place

    def _configured(self) -> _Place | str:
        """Where the source's configuration says a fix goes; nobody is asked yet."""
        branch = self._pull_request.branch
        if branch is None:
            return "the head is no branch: there is nothing to push to"
        try:
            checked_name(branch)
            name = self._remote_name(branch)
        except UsageError as error:
            return str(error)
        if name is None:
            return "the repository has no remote to push to"
        base = self._pull_request.base_branch
        if base.removeprefix("refs/heads/") == branch or base.removeprefix("refs/remotes/") == f"{name}/{branch}":
            return f"{branch} is the base branch, which is never pushed to"
        raw = self._setting(f"remote.{name}.pushurl") or self._setting(f"remote.{name}.url")
        remote = parse_remote_url(raw, self._git.source.checkout) if raw else "the repository does not know it"
        return f"remote {name}: {remote}" if isinstance(remote, str) else _Place(PushTarget(name, branch), remote)

    def _remote_name(self, branch: str) -> str | None:
        """The remote git would push to: named, the branch's own, the repository's, `origin`, the only one."""
        known = self._git.source.remotes()
        configured = (
            self._wanted,
            self._setting(f"branch.{branch}.pushRemote"),
            self._setting("remote.pushDefault"),
            self._setting(f"branch.{branch}.remote"),
        )
        # A branch may track one of the same repository, whose "remote" is `.`: that is nowhere to push.
        named = next((name for name in configured if name and name != "."), None)
        if named is not None:
            return checked_name(named, "remote")
        if "origin" in known or not known:
            return "origin" if known else None
        return known[0] if len(known) == 1 else None

    def _setting(self, key: str) -> str | None:
        return self._git.source.setting(key)

    def _refs(self, place: _Place) -> dict[str, str]:
        """The branch's commit and, under HEAD, the default branch's full name, as the remote says now.

        Raises:
            ForgeError: it does not answer.
        """
        wanted = ("HEAD", f"refs/heads/{place.target.branch}")
        try:
            result = self._remote(place.remote, "ls-remote", "--symref", "--end-of-options", place.remote.url, *wanted)
        except GitError as error:
            raise ForgeError(f"remote {place.target.remote} cannot be reached: {error}") from error
        if result.exit_code:
            why = said(result.stderr) or f"git ls-remote ended with {result.exit_code}"
            raise ForgeError(f"remote {place.target.remote} cannot be reached: {why}")
        return _parse_refs(result.stdout)

    def _remote(self, remote: RemoteUrl, *arguments: str) -> ProgramResult:
        environment: Mapping[str, str] = remote.environment
        if self._ssh_agent is not None:
            environment = {**environment, "SSH_AUTH_SOCK": self._ssh_agent}
        return self._git.process.run(*arguments, environment=environment, timeout=REMOTE_TIMEOUT)

    def _slug(self) -> str:
        """One file per repository and branch: readable, and different for what only reads the same."""
        repository = self._git.source.checkout.resolve()
        branch = self._pull_request.branch or self._pull_request.head
        readable = _UNSAFE.sub("-", f"{repository.name}-{branch}").strip(".-")[:_SLUG_LIMIT]
        whole = f"{repository}\0{branch}".encode("utf-8", "surrogateescape")
        return f"{readable}-{hashlib.sha256(whole).hexdigest()[:8]}"


def _parse_refs(output: bytes) -> dict[str, str]:
    refs: dict[str, str] = {}
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: "):
            refs[name] = value.removeprefix("ref: ")
        elif name != "HEAD":
            refs[name] = value
    return refs


def _guarded(branch: str, refs: Mapping[str, str]) -> str:
    """Why this branch of the remote is never pushed to; "" where it may be."""
    default = refs.get("HEAD")
    if default == f"refs/heads/{branch}":
        return f"{branch} is the remote's default branch, which is never pushed to"
    if default is None and branch in _USUAL_DEFAULTS:
        return f"the remote does not say which branch is its default; {branch} is not pushed to"
    return ""


def _moved(branch: str, expected: str, found: str | None) -> str:
    where = f"at {found[:12]}" if found else "gone"
    return f"{branch} is no longer at {expected[:12]} but {where} on the remote"


def _refused(result: ProgramResult, branch: str) -> CannotPush:
    """The remote's refusal in one line of ours."""
    words = (result.stdout + b"\n" + result.stderr).decode("utf-8", "replace")
    if any(sign in words for sign in _FORCE_WORDS):
        return CannotPush(f"{branch} moved on the remote while the fix was being pushed", moved=True)
    if "branch is currently checked out" in words:
        return CannotPush(f"{branch} is checked out in the remote repository, which then takes no push to it")
    refusal = read_refusal(words)
    return CannotPush(f"the remote refused the push to {branch}: {refusal.reason}", moved=refusal.moved)
