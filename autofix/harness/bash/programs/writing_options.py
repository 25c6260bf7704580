"""Options by which a tool names a file it writes, and the few refusals that tools share."""

from collections.abc import Callable, Iterable, Sequence

from autofix.harness.bash.deeds import Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed

Table = Callable[[Invocation], Iterable[Step]]

REWRITES = Refuse("write-scope", "this rewrites files all over the tree; edit the one file instead")
NO_NETWORK = Refuse("network", "this uses the network, which the sandbox does not have")

_SHORTEST = 5  # two dashes and three letters: what tools accept as an abbreviation
_LETTER = 2  # a dash and a letter
_WHOLE_NAMES = frozenset(listed("--coverage --log --report --html --out-dir --json --csv"))
"""Options of their own that only look like the beginning of one that names a file."""


def outputs(run: Invocation, names: Sequence[str]) -> Iterable[Write]:
    """The files that `names` name, as `--output FILE`, `--output=FILE`, `-o FILE`, `-oFILE` or `-output=FILE`."""
    for position, word in enumerate(run.words):
        following = run.words[position + 1 : position + 2]
        name, equals, value = word.partition("=")
        if word.startswith("--"):
            if _abbreviates(name, names):
                yield from map(Write, (value,) if equals else following)
        elif name in names:
            yield from map(Write, (value,) if equals else following)
        else:
            yield from (Write(word[_LETTER:]) for one in names if len(one) == _LETTER and word.startswith(one))


def _abbreviates(name: str, names: Sequence[str]) -> bool:
    if name in names:
        return True
    return len(name) >= _SHORTEST and name not in _WHOLE_NAMES and any(one.startswith(name) for one in names)


def has(run: Invocation, *names: str) -> bool:
    """Whether one of these options is given, with a value or without."""
    return any(word == name or word.startswith(f"{name}=") for word in run.words for name in names)


def runner(writes: str = "", rewrites: str = "") -> Table:
    """A tool that runs, checks or builds; `writes` name a file, `rewrites` make it change sources."""
    writing, rewriting = listed(writes), listed(rewrites)

    def table(run: Invocation) -> Iterable[Step]:
        yield from outputs(run, writing)
        if has(run, *rewriting):
            yield REWRITES

    return table
