"""The program, in a process that is killed at a chosen event of its journal.

Its processes are forked from one that has everything imported already: the story is told over a hundred times.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from autofix.cli import resume, running
from autofix.cli.main import run
from autofix.start import Taken
from autofix.state.events import Kind
from autofix.state.journal import Event, Journal
from autofix.world.anthropic_model import AnthropicModel

AnthropicModel("none", None, 1.0, None).prepare()
_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        __name__,
        "autofix.cli.run",
        "autofix.cli.replay",
        "autofix.harness.bash.analysis",
        "autofix.pipeline.fix",
        "autofix.pipeline.publish",
    ]
)


@dataclass(frozen=True)
class Lived:
    """How the process ended: -9 where it was killed."""

    exit_code: int | None
    stdout: str
    stderr: str

    @property
    def killed(self) -> bool:
        return self.exit_code == -signal.SIGKILL


def live(when: str, number: int, environ: Mapping[str, str], arguments: Sequence[str], directory: Path) -> Lived:
    """Play the program with these arguments until it ends or is killed.

    Args:
        when: "before" the event is on the disk (a deed is done and not on record), "after" it (what it announces is not
            done), or "never".
        number: of the event, among those that this process writes.
        environ: the caller's environment.
        arguments: the command line.
        directory: where the process stands, and where its output is kept.
    """
    out, err = directory / "stdout.txt", directory / "stderr.txt"
    process = _FORKS.Process(target=_live, args=((when, number), dict(environ), list(arguments), directory))
    process.start()
    process.join()
    return Lived(process.exitcode, out.read_text(), err.read_text())


def _live(end: tuple[str, int], environ: dict[str, str], arguments: list[str], directory: Path) -> None:
    for stream, file in ((sys.stdout, "stdout.txt"), (sys.stderr, "stderr.txt")):
        os.dup2(os.open(directory / file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream.fileno())
    os.setsid()
    os.environ.clear()
    os.environ.update(environ)
    DyingJournal.when, DyingJournal.number = end
    running.Journal = resume.Journal = DyingJournal  # type: ignore[misc] - the doors to the journal, nowhere else
    sys.exit(run(Taken(environ, str(directory)), arguments))


class DyingJournal(Journal):
    """Kills its process when the time has come; counts the events of this process alone."""

    when = ""
    number = 0
    written = 0

    def append(self, kind: Kind, data: Any, *, plan: int) -> Event:
        DyingJournal.written += 1
        self._die("before")
        event = super().append(kind, data, plan=plan)
        self._die("after")
        return event

    def _die(self, moment: str) -> None:
        if (moment, DyingJournal.written) == (self.when, self.number):
            os.kill(os.getpid(), signal.SIGKILL)
