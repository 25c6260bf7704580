"""What a runner module offers: how its command is recognised, asked for a report, narrowed to tests, and read.

A runner is a module that satisfies `Runner`; `RUNNERS` in the package lists them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autofix.checks.result import Case, Check, NotRun


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """What detection may look at: names, and contents on demand (None where unreadable)."""

    paths: Collection[str]
    read: Callable[[str], bytes | None]

    def text(self, path: str) -> str:
        """A file's text, "" where there is none; undecodable bytes are replaced."""
        content = self.read(path) if path in self.paths else None
        return "" if content is None else content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Invocation:
    """One way to run a check: shell text, and environment besides the check's own."""

    script: str
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left behind. `report` is None where there is none; all of it is untrusted.

    `root` is the directory the check ran in, as its commands saw it: what reports name by its whole path lies below.
    """

    report: bytes | None
    exit_code: int
    output: str
    report_cut: bool = False
    root: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a runner's remains show.

    Attributes:
        report: True when a structured report could be read (perhaps in part; `notes` says so).
        not_run: why there is no picture, None when there is one.
        complaints: the cases are complaints (a linter's), so that one that is gone is mended, not lost.
    """

    cases: tuple[Case, ...]
    report: bool
    not_run: NotRun | None = None
    notes: tuple[str, ...] = ()
    complaints: bool = False


Spoken = Callable[[str, str, Collection[str]], Picture]
"""(a command, its whole output, ids that exist) -> the cases it tells of; where they are complaints, all there are."""


class Runner(Protocol):
    """A module of this package, or a value in one."""

    @property
    def narrows(self) -> bool:
        """Whether it runs only the tests it is asked for, rather than all."""
        ...

    def recognises(self, words: Sequence[str]) -> bool:
        """Whether a simple command (its words, assignments and wrappers stripped) runs this runner."""
        ...

    def detect(self, files: ProjectFiles) -> tuple[str, str] | None:
        """The command that runs this project's tests and why we think so; None where they are not this runner's."""
        ...

    def invocations(self, check: Check, tests: Sequence[str], report: str) -> tuple[Invocation, ...]:
        """Ways to run the check (only `tests`, where any are named) with its report at the path `report`, best first.

        The next way is tried when the runner refuses the arguments of the one before.
        """
        ...

    def injection(self, report: str, present: Mapping[str, str]) -> Mapping[str, str] | None:
        """Environment that makes any command that runs this runner leave its report; None where there is none."""
        ...

    @property
    def spoken(self) -> Spoken | None:
        """How the usual output is read, where no report could be asked for; None where it says too little."""
        ...

    def missing(self, check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:
        """Those of `tests` that the runner says it does not know."""
        ...

    def parse(self, left: Left) -> Picture: ...
