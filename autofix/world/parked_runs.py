"""Runs that wait for a person, kept in the repository itself: one commit under `refs/autofix/runs/<run id>` each.

Nothing but the repository outlives a job. The commit's tree holds the packed run and its seal (`state/sealed.py`), and
the ref goes when the run has ended. Who goes on with a run puts a claim on it first, a commit with the same tree: the
server lets one claim through.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from autofix.errors import CannotPush, GitError, ParkedRunDamaged
from autofix.state.sealed import PACKED_LIMIT, holds, packed, seal, unpacked
from autofix.world.private_refs import PrivateRefs

PLACE = "refs/autofix/runs/"
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
    """The waiting runs of one repository."""

    refs: PrivateRefs

    def names(self) -> dict[str, str]:
        """Run ids, each with the commit its ref is at. Raises ForgeUnavailable."""
        refs = self.refs.remote.refs(f"{PLACE}*")
        return {ref.removeprefix(PLACE): at for ref, at in refs.items() if _RUN_ID.fullmatch(ref.removeprefix(PLACE))}

    def read(self, run_id: str) -> Parked:
        """Raises ParkedRunDamaged where there is none (any more) or it is no run of ours, ForgeUnavailable."""
        try:
            commit = self.refs.fetch(f"{PLACE}{run_id}")
            content, sealed = (self.refs.file(commit, name, PACKED_LIMIT) for name in ("run.zip", "seal"))
        except GitError as error:
            raise ParkedRunDamaged(f"what is kept of {run_id} cannot be read: {error}") from error
        return Parked(run_id, commit, content, sealed.decode("ascii", "replace"), _claimed(self.refs.subject(commit)))

    def put(self, run_id: str, files: Mapping[str, bytes], secret: str, expected: str) -> str:
        """Keep a run; the commit. `expected` is what its ref is at, "" for nothing.

        Raises:
            CannotPush: it is too large, somebody else has put it there, or the remote refuses.
            ForgeUnavailable: the remote cannot be reached.
        """
        content = packed(files)
        if len(content) > PACKED_LIMIT:
            raise CannotPush(f"its record is {len(content)} bytes; at most {PACKED_LIMIT} are kept in the repository")
        kept = {"run.zip": content, "seal": seal(content, run_id, secret).encode()}
        return self._moved(run_id, self.refs.commit(kept, f"autofix: {run_id} waits for a person"), expected)

    def claim(self, parked: Parked) -> str:
        """Say that this process goes on with it; the claim's commit.

        Raises:
            CannotPush: another one was first, or the remote refuses.
            ForgeUnavailable: the remote cannot be reached.
        """
        message = f"autofix: {parked.run_id} claimed {self.refs.moment()}"
        return self._moved(parked.run_id, self.refs.again(parked.commit, message), parked.commit)

    def give_back(self, parked: Parked, claim: str) -> None:
        """Take a claim back: nothing was done. Raises CannotPush, ForgeUnavailable."""
        self._moved(parked.run_id, parked.commit, claim)

    def drop(self, run_id: str, expected: str) -> None:
        """Raises CannotPush, ForgeUnavailable."""
        self._moved(run_id, "", expected)

    def _moved(self, run_id: str, commit: str, expected: str) -> str:
        self.refs.remote.swap(f"{PLACE}{run_id}", commit, expected)
        return commit


def _claimed(subject: str) -> datetime | None:
    found = _CLAIMED.search(subject)
    try:
        return datetime.fromisoformat(found[1]) if found else None
    except ValueError:
        return None
