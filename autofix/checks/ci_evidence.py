"""What CI itself showed of a failure: jobs and steps, the telling part of their logs, cases that its reports name.

It is a hint, never a measure: what counts is what fails in the sandbox. But where nothing fails there, it says what
does elsewhere; and it costs a person no search. All of it could have been written by the pull request.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self

from autofix.state.recorder import scrubbed_value


@dataclass(frozen=True, slots=True)
class CiJob:
    """One failing job. `log` is the part of its log that says why; "" where it could not be read, as `note` says."""

    name: str
    steps: tuple[str, ...]
    url: str
    command: str = ""
    log: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CiCase:
    """A case that failed in CI, as its report names it."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class CiEvidence:
    """Everything. `left_out` counts failing jobs that were not looked at, `more_cases` failing cases not listed."""

    jobs: tuple[CiJob, ...] = ()
    cases: tuple[CiCase, ...] = ()
    left_out: int = 0
    more_cases: int = 0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.jobs or self.cases or self.notes)

    @property
    def line(self) -> str:
        """The failing jobs and steps in a line; "" where none is known."""
        told = [f"{job.name} ({', '.join(job.steps)})" if job.steps else job.name for job in self.jobs[:3]]
        more = len(self.jobs) - len(told) + self.left_out
        return ", ".join(told) + (f" and {more} more" if more else "")

    def redacted(self, redact: Callable[[str], str]) -> Self:
        """Without secrets: CI's logs are the place where they are printed by mistake."""
        return self._of(scrubbed_value(json.loads(self.to_json()), redact))

    def to_json(self) -> bytes:
        return json.dumps(asdict(self)).encode("utf-8", "surrogatepass")

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        """What `to_json` wrote; nothing where that is lost."""
        try:
            return cls._of(json.loads(content))
        except (ValueError, TypeError, KeyError):
            return cls()

    @classmethod
    def _of(cls, told: Any) -> Self:
        jobs = tuple(CiJob(**{**job, "steps": tuple(job["steps"])}) for job in told["jobs"])
        cases = tuple(CiCase(**case) for case in told["cases"])
        return cls(jobs, cases, told["left_out"], told["more_cases"], tuple(told["notes"]))
