"""What each program does with its words: tables of functions from an invocation to steps.

A table knows which words are files that are read, written or deleted, which make the program run another one, and which
are only text. An option it does not know counts as the worst where the program can do harm, and as nothing where it
can only read. A program without a table is unfamiliar, and unfamiliar is denied.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from autofix.harness.bash.deeds import Refuse, RunFile, Step, Unfamiliar
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.programs import (
    archives,
    building,
    deleting,
    editing,
    finding,
    formatting,
    git,
    languages,
    network,
    packages,
    python,
    reading,
    shells,
    system,
    testing,
    wrappers,
    writing,
)
from autofix.harness.bash.values import readable

Table = Callable[[Invocation], Iterable[Step]]

TABLES: Mapping[str, Table] = {
    **reading.TABLE,
    **writing.TABLE,
    **deleting.TABLE,
    **archives.TABLE,
    **finding.TABLE,
    **editing.TABLE,
    **wrappers.TABLE,
    **shells.TABLE,
    **python.TABLE,
    **languages.TABLE,
    **building.TABLE,
    **testing.TABLE,
    **formatting.TABLE,
    **packages.TABLE,
    **git.TABLE,
    **network.TABLE,
    **system.TABLE,
}

_VERSION = re.compile(r"-?\d+(?:\.\d+)*$")


def steps(run: Invocation) -> Iterable[Step]:
    """What `run` would do and run."""
    table = TABLES.get(run.program) or TABLES.get(_VERSION.sub("", run.program))
    if table is not None:
        return table(run)
    own = "/" in run.given and (not run.given.startswith("/") or run.given.startswith((f"{run.workspace}/", "/tmp/")))  # noqa: S108 - compared
    if own or run.given.startswith(("/dev/", "/proc/")):
        return _own_script(run)
    return [Unfamiliar(run.program, readable(" ".join((run.program, *run.words))))]


def _own_script(run: Invocation) -> Iterable[Step]:
    """A program of the repository or of the model's own; what is in it is bounded by the sandbox."""
    if run.given.startswith(("/dev/", "/proc/")):
        return [Refuse("opaque-exec", "what would run cannot be seen")]
    return [RunFile(run.given)]
