"""What people with write access taught by `/autofix remember`: notes in the repository, under `refs/autofix/memory`."""

import json
from dataclasses import asdict, dataclass

from autofix.errors import CannotPush, GitError
from autofix.world.private_refs import PrivateRefs

PLACE = "refs/autofix/memory"
_FILE = "taught.json"
_LIMIT = 64 * 1024
"""Bytes of the file."""
MOST_NOTES = 50
_TRIES = 3
"""Two jobs may teach at once."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing taught. `by` is a login, `at` an ISO time, `pull` the pull request it was said on."""

    text: str
    by: str
    at: str
    pull: int


@dataclass(frozen=True, slots=True)
class TaughtNotes:
    """The notes of one repository."""

    refs: PrivateRefs

    def all(self) -> tuple[Note, ...]:
        """The oldest first; none where the ref is not there or is none of ours. Raises ForgeUnavailable."""
        return self._read(self.refs.remote.refs(PLACE).get(PLACE, ""))

    def add(self, notes: tuple[Note, ...]) -> None:
        """Keep these, too.

        Raises:
            CannotPush: there are too many, or the remote refuses.
            ForgeUnavailable: the remote cannot be reached.
        """
        for _ in range(_TRIES - 1):
            try:
                self._add(notes)
            except CannotPush as error:
                if not error.moved:
                    raise
            else:
                return
        self._add(notes)

    def _add(self, notes: tuple[Note, ...]) -> None:
        at = self.refs.remote.refs(PLACE).get(PLACE, "")
        known = self._read(at)
        whole = (*known, *(note for note in notes if note.text not in {one.text for one in known}))
        content = json.dumps([asdict(note) for note in whole], indent=1).encode()
        if len(whole) > MOST_NOTES or len(content) > _LIMIT:
            raise CannotPush(f"{len(known)} notes are kept already; delete {PLACE} to start over")
        self.refs.remote.swap(PLACE, self.refs.commit({_FILE: content}, "autofix: taught"), at)

    def _read(self, at: str) -> tuple[Note, ...]:
        if not at:
            return ()
        try:
            told = json.loads(self.refs.file(self.refs.fetch(PLACE), _FILE, _LIMIT))
            return tuple(Note(str(one["text"]), str(one["by"]), str(one["at"]), int(one["pull"])) for one in told)
        except (GitError, ValueError, TypeError, KeyError):
            return ()
