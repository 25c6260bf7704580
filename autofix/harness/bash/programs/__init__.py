"""What each program does with its words: tables of functions from an invocation to steps.

A table knows which words are files that are read, written or deleted, which make the program run another one, and which
are only text. An option it does not know counts as the worst where the program can do harm, and as nothing where it
can only read. A program without a table is unfamiliar, and unfamiliar is denied.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from autofix.harness.bash.deeds import Read, Refuse, RunFile, Step, Unfamiliar
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
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import readable

Table = Callable[[Invocation], Iterable[Step]]

_TAKES_TEXT = frozenset(
    listed(
        "echo printf test [ expr basename dirname grep egrep fgrep zgrep pcregrep rg ack ag find gfind fd fdfind "
        "sed gsed awk gawk mawk nawk git which type command"
    )
)
"""Programs whose words are mostly text or names; their own tables say which of them are files."""

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

_PLAIN_NAME = re.compile(r"[\w.@~+/-]{1,300}")
_VERSION = re.compile(r"-?\d+(?:\.\d+)*$")


def steps(run: Invocation) -> Iterable[Step]:
    """What `run` would do and run."""
    table = TABLES.get(run.program) or TABLES.get(_VERSION.sub("", run.program))
    if table is not None:
        return table(run) if run.program in _TAKES_TEXT else [*table(run), *_named(run)]
    own = "/" in run.given and (not run.given.startswith("/") or run.given.startswith((f"{run.workspace}/", "/tmp/")))  # noqa: S108 - compared
    if own or run.given.startswith(("/dev/", "/proc/")):
        return _own_script(run)
    return [Unfamiliar(run.program, readable(" ".join((run.program, *run.words))))]


def _named(run: Invocation) -> Iterable[Step]:
    """Whatever an option is called: a word that is the plain name of a file may be read."""
    for word in run.words:
        for step in reading.reads(word):
            if isinstance(step, Read) and _PLAIN_NAME.fullmatch(step.path):
                yield step
    if any(word.startswith("--files0-from=") or word == "-@" for word in run.words):
        yield from (Read(line) for line in (run.stdin or "").replace("\0", "\n").splitlines())


def _own_script(run: Invocation) -> Iterable[Step]:
    """A program of the repository or of the model's own; what is in it is bounded by the sandbox."""
    if run.given.startswith(("/dev/", "/proc/")):
        return [Refuse("opaque-exec", "what would run cannot be seen")]
    return [RunFile(run.given)]
