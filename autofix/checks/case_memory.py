"""What earlier runs found out about cases: their standing at a merge base, and which were flaky once.

What is remembered can spare work and make us more careful, never less: a case that is not remembered is looked at, and
what cannot be read is as if it were not there.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autofix.checks.result import Check
from autofix.ports.shelf import Shelf

MOST_CASES = 2_000
"""Cases of one check that are remembered; with more failing, finding out again is the smaller trouble."""
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class CaseMemory:
    """Remembers on a shelf that no sandbox sees.

    Attributes:
        place: all that decides what a run at the merge base shows, but the check: its tree, and what sandboxes are made
            of. Equal texts mean equal results.
    """

    shelf: Shelf
    place: str

    def at_base(self, check: Check, version: str) -> dict[str, str]:
        """Case -> its standing at the merge base, as far as that is known for this version of the runner."""
        found = self._read(self._base_key(check, version))
        return {id_: said for id_, said in found.items() if isinstance(said, str)} if isinstance(found, dict) else {}

    def keep_at_base(self, check: Check, version: str, standings: Mapping[str, str]) -> None:
        known = {**self.at_base(check, version), **standings}
        if len(known) <= MOST_CASES:
            self._keep(self._base_key(check, version), known)
            self._keep(self._seen_key(check), "seen")

    def has_seen(self, check: Check) -> bool:
        """Whether anything is known of the check at this merge base: then it may not have to be run there."""
        return self._read(self._seen_key(check)) == "seen"

    def once_flaky(self, check: Check) -> frozenset[str]:
        """Cases of such a check that failed and passed on one and the same tree in an earlier run."""
        found = self._read(_flaky_key(check))
        return frozenset(id_ for id_ in found if isinstance(id_, str)) if isinstance(found, list) else frozenset()

    def keep_flaky(self, check: Check, ids: Iterable[str]) -> None:
        known = sorted({*self.once_flaky(check), *ids})
        if len(known) <= MOST_CASES:
            self._keep(_flaky_key(check), known)

    def _base_key(self, check: Check, version: str) -> str:
        return _digest("base", self.place, _told(check), version)

    def _seen_key(self, check: Check) -> str:
        return _digest("seen", self.place, _told(check))

    def _read(self, key: str) -> object:
        content = self.shelf.read(key)
        if content is None:
            return None
        try:
            told = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return told.get("known") if isinstance(told, dict) and told.get("format") == _FORMAT else None

    def _keep(self, key: str, known: object) -> None:
        self.shelf.keep(key, json.dumps({"format": _FORMAT, "known": known}).encode("ascii"))


def _told(check: Check) -> str:
    return json.dumps([check.command, check.runner, check.directory, check.timeout, sorted(check.environment.items())])


def _flaky_key(check: Check) -> str:
    return _digest("flaky", check.command, check.runner, check.directory)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
