"""A waiting run of the action put away in the repository, and found there again by the job that answers it."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

from autofix.cli.composing import TRANSCRIPT_FILE
from autofix.cli.inputs import INPUTS
from autofix.errors import CannotPush, ForgeError, ParkedRunDamaged
from autofix.harness.redact import Redactor
from autofix.report.facts import RunReport
from autofix.world.parked_runs import Parked, ParkedRuns
from autofix.world.run_directory import RunDirectory

WORDS_FILE = "words.json"
_SECRET_INPUTS = frozenset({"anthropic-api-key", "anthropic-base-url", "token"})
"""What the job that goes on brings itself."""
_MEMORY = "memory/"
_LONGEST_RUN = timedelta(days=1)
"""Between the beginning of a run and its last question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionWords:
    """What a run of the action was started with, for the job that goes on with it. No secret is among it.

    Attributes:
        base: the commit whose policy is in force.
        title: of the pull request, as it was spoken when the run began.
        findings: what the comment says of the token, and of what CI tested.
        taught: what the run was told that people taught.
        inputs: texts of the action's inputs, as the workflow gave them.
    """

    repository: str
    pull: int
    head: str
    base: str
    base_branch: str
    title: str
    findings: tuple[str, ...]
    taught: tuple[str, ...]
    inputs: Mapping[str, str]

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), indent=1).encode()

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        """Raises ParkedRunDamaged where this is not what `to_json` wrote."""
        try:
            told = json.loads(content)
            return cls(**{**told, "findings": tuple(told["findings"]), "taught": tuple(told["taught"])})
        except (ValueError, TypeError, KeyError) as error:
            raise ParkedRunDamaged(f"the kept run's options cannot be read: {error}") from error


def said_inputs(environ: Mapping[str, str]) -> dict[str, str]:
    """The inputs' texts that are no secret, by name."""
    return {name: text for name in INPUTS if name not in _SECRET_INPUTS and (text := environ.get(_variable(name), ""))}


def with_inputs(environ: Mapping[str, str], inputs: Mapping[str, str]) -> dict[str, str]:
    """The environment with a run's own inputs in the place of this job's; keys and tokens are this job's."""
    own = {_variable(name) for name in INPUTS if name not in _SECRET_INPUTS}
    kept = {name: text for name, text in environ.items() if name not in own}
    return kept | {_variable(name): text for name, text in inputs.items() if name in INPUTS.keys() - _SECRET_INPUTS}


def _variable(name: str) -> str:
    return f"INPUT_{name.upper()}"


@dataclass(slots=True, kw_only=True)
class Parking:
    """The place of one run in the repository.

    Attributes:
        secret: seals it; the model's key, which jobs of this repository share and its contributors do not have.
        at: what its ref is at, as far as this process put it there; "" for nothing.
        found: where this process goes on with a run that another one put there.
        asks: the run may ask people, so this job may write here.
    """

    runs: ParkedRuns
    directory: RunDirectory
    secret: str
    redactor: Redactor
    at: str = ""
    found: Parked | None = None
    asks: bool = False

    def park(self) -> None:
        """Put the run away as it is on the disk.

        Raises:
            CannotPush: it is too large, holds a secret, or may not be pushed.
            ForgeUnavailable: GitHub cannot be reached.
        """
        self.at = self.runs.put(self.directory.path.name, self._files(), self.secret, self.at)

    def leave(self, report: RunReport, ttl_days: int) -> None:
        """After the run: drop it if it ended, and what nobody came back to. What fails is left to the next run."""
        with contextlib.suppress(ForgeError):
            if self.at and not report.waiting:
                self.runs.drop(self.directory.path.name, self.at)
                self.at = ""
            if self.asks:
                self._sweep(self.runs.refs.now() - timedelta(days=ttl_days) - _LONGEST_RUN)

    def _sweep(self, before: datetime) -> None:
        for run_id, commit in self.runs.names().items():
            if datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC) < before:
                self.runs.drop(run_id, commit)

    def give_back(self) -> None:
        """Leave the run as it was found: another job may go on with it."""
        if self.found and self.at:
            with contextlib.suppress(ForgeError):
                self.runs.give_back(self.found, self.at)

    def _files(self) -> dict[str, bytes]:
        path = self.directory.path
        names = [self.directory.journal.name, TRANSCRIPT_FILE, WORDS_FILE]
        names += sorted(f"{_MEMORY}{file.name}" for file in (path / _MEMORY).iterdir())
        files = {name: (path / name).read_bytes() for name in names if (path / name).is_file()}
        for name, content in files.items():
            if self.redactor.knows(content):
                raise CannotPush(f"its record holds a secret, in {name}")
        return files


def restored(directory: RunDirectory, files: Mapping[str, bytes]) -> None:
    """Lay a kept run out again, in a directory made for it."""
    for name, content in files.items():
        (directory.path / name).write_bytes(content)
