"""Runs that wait for a person, kept in the repository itself: one commit under `refs/autofix/runs/<run id>` each.

Nothing but the repository outlives a job. The commit's tree holds the packed run and its seal (`state/sealed.py`); it
is on no branch, no clone fetches it, and it goes when the run has ended. Who goes on with a run puts a claim on it
first, a commit with the same tree: the server lets one claim through.
"""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from autofix.errors import CannotPush, GitError, ParkedRunDamaged
from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME
from autofix.state.sealed import PACKED_LIMIT, holds, packed, seal, unpacked
from autofix.world.git_cli import GitCli
from autofix.world.git_process import GitProcess
from autofix.world.git_source import Source
from autofix.world.github_git import GitRemote

PLACE = "refs/autofix/runs/"
_HERE = "refs/autofix/parked"
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_CLAIMED = re.compile(r"claimed (\S+)")


@dataclass(frozen=True, slots=True)
class Parked:
    """A run as it was found. `claimed` is when another process began to go on with it; None where none did."""

    run_id: str
    commit: str
    content: bytes
    seal: str
    claimed: datetime | None

    def files(self, secret: str) -> dict[str, bytes]:
        """What was kept.

        Raises:
            ParkedRunDamaged: nobody with this secret has sealed it under this name.
        """
        if not holds(self.seal, self.content, self.run_id, secret):
            raise ParkedRunDamaged(f"what is kept of {self.run_id} was not sealed with this model key: start a new run")
        return unpacked(self.content)


@dataclass(frozen=True, slots=True)
class ParkedRuns:
    """The waiting runs of one repository, reached from a local repository of their own, which `close` removes."""

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

    def names(self) -> dict[str, str]:
        """Run ids, each with the commit its ref is at. Raises ForgeUnavailable."""
        refs = self.remote.refs(f"{PLACE}*")
        return {ref.removeprefix(PLACE): at for ref, at in refs.items() if _RUN_ID.fullmatch(ref.removeprefix(PLACE))}

    def read(self, run_id: str) -> Parked:
        """Raises GitError where there is none, ParkedRunDamaged where it is no run of ours, ForgeUnavailable."""
        commit = self.remote.fetch_ref(f"{PLACE}{run_id}", _HERE)
        found = _CLAIMED.search(self.git.output("log", "-1", "--format=%s", commit).decode("utf-8", "replace"))
        try:
            claimed = datetime.fromisoformat(found[1]) if found else None
        except ValueError:
            claimed = None
        return Parked(
            run_id, commit, self._blob(commit, "run.zip"), self._blob(commit, "seal").decode("ascii"), claimed
        )

    def put(self, run_id: str, files: dict[str, bytes], secret: str, expected: str) -> str:
        """Keep a run; the commit. `expected` is what its ref is at, "" for nothing.

        Raises:
            CannotPush: it is too large, somebody else has put it there, or the remote refuses.
            ForgeUnavailable: the remote cannot be reached.
        """
        content = packed(files)
        if len(content) > PACKED_LIMIT:
            raise CannotPush(f"its record is {len(content)} bytes; at most {PACKED_LIMIT} are kept in the repository")
        blobs = (("run.zip", content), ("seal", seal(content, run_id, secret).encode()))
        listing = "".join(f"100644 blob {self._written(blob)}\t{name}\n" for name, blob in blobs)
        tree = self.git.output("mktree", stdin=listing.encode()).decode().strip()
        return self._moved(run_id, self._commit(tree, f"autofix: {run_id} waits for a person"), expected)

    def claim(self, parked: Parked) -> str:
        """Say that this process goes on with it; the claim's commit.

        Raises:
            CannotPush: another one was first, or the remote refuses.
            ForgeUnavailable: the remote cannot be reached.
        """
        tree = self.git.output("rev-parse", f"{parked.commit}^{{tree}}").decode().strip()
        claim = self._commit(tree, f"autofix: {parked.run_id} claimed {self._moment()}", parked.commit)
        return self._moved(parked.run_id, claim, parked.commit)

    def give_back(self, parked: Parked, claim: str) -> None:
        """Take a claim back: nothing was done. Raises CannotPush, ForgeUnavailable."""
        self._moved(parked.run_id, parked.commit, claim)

    def drop(self, run_id: str, expected: str) -> None:
        """Raises CannotPush, ForgeUnavailable."""
        self._moved(run_id, "", expected)

    def _moved(self, run_id: str, commit: str, expected: str) -> str:
        self.remote.swap(f"{PLACE}{run_id}", commit, expected)
        return commit

    def _moment(self) -> str:
        return self.now().astimezone(UTC).isoformat()

    def _commit(self, tree: str, message: str, *parents: str) -> str:
        who = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", AUTHOR_NAME), ("EMAIL", AUTHOR_EMAIL), ("DATE", self._moment()))
        }
        above = [word for parent in parents for word in ("-p", parent)]
        made = self.git.output("commit-tree", "--no-gpg-sign", *above, tree, stdin=message.encode(), environment=who)
        return made.decode().strip()

    def _written(self, content: bytes) -> str:
        return self.git.output("hash-object", "-w", "--no-filters", "--stdin", stdin=content).decode().strip()

    def _blob(self, commit: str, name: str) -> bytes:
        try:
            size = int(self.git.output("cat-file", "-s", f"{commit}:{name}"))
            if size > PACKED_LIMIT:
                raise ParkedRunDamaged(f"{name} of the kept run has {size} bytes")
            return self.git.output("cat-file", "blob", f"{commit}:{name}")
        except (GitError, ValueError) as error:
            raise ParkedRunDamaged(f"the kept run has no {name} that can be read") from error
