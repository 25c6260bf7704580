"""A pull request's commits over git's smart HTTP: fetched into the harness's own repository, pushed from there.

The token travels in a header that git reads from its environment (GIT_CONFIG_COUNT), bound to the server's address: it
is in no argument, no file and no URL. Nothing depends on how the workspace was checked out. A pull request's head is
`refs/pull/N/head` of the base repository, for forks too, and lands in a private ref, never under a name the
contributor chose.
"""

import base64
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from autofix.delivery.refusals import read_refusal
from autofix.errors import CannotPush, ForgeUnavailable, GitError
from autofix.ports.program import ProgramResult
from autofix.world.git_process import REMOTE_TIMEOUT, GitProcess
from autofix.world.git_source import checked_name, is_object_id
from autofix.world.plain_http import plain_opener

_HEAD = "refs/autofix/head"
_BASE = "refs/autofix/base"

_FIRST_DEPTH = 50
"""Commits fetched of a repository of which nothing is there yet; most pull requests are shorter."""

_DEEPENINGS = (200, 1000, 5000)
"""How much further to go each time no merge base is found; after these, everything."""

_PROBE_TIMEOUT = 20.0

_OFFLINE = (
    "could not resolve host",
    "failed to connect",
    "couldn't connect",
    "connection timed out",
    "connection refused",
    "operation timed out",
    "the remote end hung up",
    "rpc failed",
    "early eof",
    "returned error: 5",
)


class GitRemote:
    """One repository on the server, reached from the harness's own one.

    Args:
        git: the harness's repository.
        url: `https://server/owner/name.git`.
        token: as for the API.
    """

    def __init__(self, git: GitProcess, url: str, token: str) -> None:
        self._git = git
        self.url = url
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}/"
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
        self._header = f"Authorization: basic {secret}"
        settings = {
            f"http.{self._origin}.extraHeader": self._header,
            "http.followRedirects": "false",
            "protocol.version": "2",
        }
        self._environment: Mapping[str, str] = {
            "GIT_ALLOW_PROTOCOL": parts.scheme,
            "GIT_CONFIG_COUNT": str(len(settings)),
            **{f"GIT_CONFIG_KEY_{at}": key for at, key in enumerate(settings)},
            **{f"GIT_CONFIG_VALUE_{at}": value for at, value in enumerate(settings.values())},
        }

    def same_as(self, ours: str, theirs: str) -> bool:
        """Whether a commit on the server, which is fetched, has the very tree and parents of one that is here.

        Raises:
            GitError: there is no such commit.
            ForgeUnavailable: the remote cannot be reached.
        """
        if not is_object_id(theirs):
            return False
        self._fetch(refs=(theirs,))
        return self._tree_and_parents(theirs) == self._tree_and_parents(ours)

    def fetch_pull(self, number: int, base_branch: str, have: Sequence[str] = ()) -> tuple[str, str]:
        """Bring a pull request's head and its base branch; their commit ids.

        A repository that has history is never made shallow; one that has none is filled from the tip, and one that is
        shallow is deepened until head and base meet.

        Args:
            number: the pull request's.
            base_branch: its base, by name.
            have: commits that may be here already (the workspace's checkout), so that they are not sent again.

        Raises:
            GitError: no such pull request or branch, or the remote refused.
            ForgeUnavailable: the remote cannot be reached.
        """
        base = f"refs/heads/{checked_name(base_branch)}"
        wanted = (f"+refs/pull/{number}/head:{_HEAD}", f"+{base}:{_BASE}")
        tips = [f"--negotiation-tip={commit}" for commit in have if is_object_id(commit) and self._has(commit)]
        first = () if tips or self._has_refs() else (f"--depth={_FIRST_DEPTH}",)
        self._fetch(*tips, *first, refs=wanted)
        for deepen in (*(f"--deepen={more}" for more in _DEEPENINGS), "--unshallow"):
            if self._merge_base() or not self._shallow():
                break
            self._fetch(deepen, refs=wanted)
        return self._commit(_HEAD), self._commit(_BASE)

    def push(self, commit: str, branch: str, expected: str) -> None:
        """Move `branch` from `expected` to its descendant `commit`: one ref, compare-and-swap, never forced.

        The lease is the compare; that the commit descends from what the lease names is checked here, so that the
        lease cannot be what lets a rewrite through.

        Raises:
            CannotPush: the branch moved, or a rule of the remote refused.
            ForgeUnavailable: the remote cannot be reached; whether the branch moved must be read from it.
        """
        ref = f"refs/heads/{checked_name(branch)}"
        if not (is_object_id(commit) and is_object_id(expected)) or not self._descends(commit, expected):
            raise CannotPush("the commit does not build on the branch's head; nothing was pushed")
        self._push(commit, ref, expected)

    def push_new(self, commit: str, branch: str) -> None:
        """Make a branch of our own at `commit`; one that exists is never moved. Made twice is made once.

        Raises:
            CannotPush: it exists at another commit, or a rule of the remote refused.
            ForgeUnavailable: the remote cannot be reached.
        """
        try:
            self._push(commit, f"refs/heads/{checked_name(branch)}", expected="")
        except CannotPush as error:
            if not error.moved:
                raise
            if self.head_of(branch) != commit:
                raise CannotPush(f"the branch {branch} exists already") from error

    def head_of(self, branch: str) -> str | None:
        """The commit a branch is at on the server; None where there is no such branch."""
        ref = f"refs/heads/{checked_name(branch)}"
        return self.refs(ref).get(ref)

    def refs(self, pattern: str) -> dict[str, str]:
        """The server's refs that match, each with the object it is at. Raises ForgeUnavailable."""
        result = self._talk("ls-remote", "--quiet", self.url, pattern)
        if result.exit_code:
            raise ForgeUnavailable(f"the git remote cannot be read: {_first_line(_words(result))}")
        lines = (line.split("\t") for line in result.stdout.decode("utf-8", "surrogateescape").splitlines())
        return {name: object_id for object_id, name in lines}

    def bring(self, commit: str) -> None:
        """Fetch a commit by its name, where it is not here yet. Raises GitError, ForgeUnavailable."""
        if not is_object_id(commit):
            raise GitError(f"{commit[:60]!a} is no commit")
        if not self._has(commit):
            self._fetch(*((f"--depth={_FIRST_DEPTH}",) if self._shallow() else ()), refs=(commit,))

    def fetch_ref(self, ref: str, to: str) -> str:
        """Bring one ref of the server under a private name; its commit. Raises GitError, ForgeUnavailable."""
        self._fetch(refs=(f"+{ref}:{to}",))
        return self._commit(to)

    def swap(self, ref: str, commit: str, expected: str) -> None:
        """Put a ref that is no branch at `commit` ("" removes it), if it is at `expected` ("" for none) until then.

        Raises:
            CannotPush: it is elsewhere (`moved`), or a rule of the remote refused.
            ForgeUnavailable: the remote cannot be reached.
        """
        if ref.startswith(("refs/heads/", "refs/tags/")):
            raise CannotPush(f"{ref} is not moved that way")
        self._push(commit, ref, expected)

    def push_refusal(self) -> str | None:
        """Why this token cannot push at all, asked without pushing; None where nothing is known against it."""
        request = urllib.request.Request(  # noqa: S310 - our own URL, of the scheme we were given
            f"{self.url}/info/refs?service=git-receive-pack",
            headers={"Authorization": self._header.partition(": ")[2]},
        )
        try:
            with plain_opener().open(request, timeout=_PROBE_TIMEOUT):
                return None
        except urllib.error.HTTPError as error:
            error.close()
            return f"the remote answered {error.code}" if error.code in {401, 403, 404} else None
        except OSError:
            return None  # the push itself will tell

    def _tree_and_parents(self, commit: str) -> bytes:
        return self._git.output("rev-parse", f"{commit}^{{tree}}", f"{commit}^@")

    def _push(self, commit: str, ref: str, expected: str) -> None:
        """One ref, from what it must be at now; "" for a ref that must not exist."""
        lease = f"--force-with-lease={ref}:{expected}"
        result = self._talk("push", "--porcelain", "--no-verify", "--no-signed", lease, self.url, f"{commit}:{ref}")
        if result.exit_code:
            refusal = read_refusal(_words(result))
            raise CannotPush(refusal.reason, moved=refusal.moved)

    def _fetch(self, *options: str, refs: Sequence[str]) -> None:
        quiet = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
        result = self._talk("fetch", *quiet, *options, self.url, *refs)
        if result.exit_code:
            raise GitError(f"the pull request cannot be fetched: {_first_line(_words(result))}")

    def _talk(self, *arguments: str) -> ProgramResult:
        """A git that may reach the server, with the token in its environment alone."""
        try:
            result = self._git.run(*arguments, environment=self._environment, timeout=REMOTE_TIMEOUT)
        except GitError as error:
            raise ForgeUnavailable(str(error)) from error
        words = _words(result).casefold()
        if result.exit_code and any(sign in words for sign in _OFFLINE):
            raise ForgeUnavailable(f"the git remote cannot be reached: {_first_line(_words(result))}")
        return result

    def _has(self, commit: str) -> bool:
        return self._git.run("cat-file", "-e", f"{commit}^{{commit}}").exit_code == 0

    def _has_refs(self) -> bool:
        return bool(self._git.output("for-each-ref", "--count=1"))

    def _shallow(self) -> bool:
        return self._git.output("rev-parse", "--is-shallow-repository").strip() == b"true"

    def _merge_base(self) -> bool:
        return self._git.run("merge-base", _HEAD, _BASE).exit_code == 0

    def _descends(self, commit: str, ancestor: str) -> bool:
        return self._git.run("merge-base", "--is-ancestor", "--end-of-options", ancestor, commit).exit_code == 0

    def _commit(self, ref: str) -> str:
        return self._git.output("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").decode("ascii").strip()


def _words(result: ProgramResult) -> str:
    """All git and the remote said: the reasons come on stderr, the rejected ref on stdout."""
    return (result.stderr + b"\n" + result.stdout).decode("utf-8", "replace")


def _first_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and not line.startswith(("hint:", "warning:"))), "no reason given")
    return "".join(character if character.isprintable() else "?" for character in line)[:300]
