"""One program, started with these words: what a program's table is asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Invocation:
    """A value; paths in `words` are as written.

    Attributes:
        program: base name of the program.
        given: the program's name as written.
        words: what follows the name.
        stdin: what it reads from standard input; None where nothing of interest.
        directory: where it runs; None where that cannot be known.
        environment: variables that the command itself set.
        wrapper: "xargs" or "find" where the words are completed at run time.
        streams: names of process substitutions and what they hold.
    """

    program: str
    given: str
    words: tuple[str, ...]
    stdin: str | None
    directory: str | None
    workspace: str
    environment: tuple[tuple[str, str], ...] = ()
    wrapper: str = ""
    streams: Mapping[str, str] = field(default_factory=dict)
