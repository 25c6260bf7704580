"""One program, started with these words: what a program's table is asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autofix.harness.bash.deeds import Starter


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
        starter: who starts it.
        streams: names of process substitutions and what they hold.
    """

    program: str
    given: str
    words: tuple[str, ...]
    stdin: str | None
    directory: str | None
    workspace: str
    environment: tuple[tuple[str, str], ...] = ()
    starter: Starter = Starter.SHELL
    streams: Mapping[str, str] = field(default_factory=dict)

    @property
    def completed(self) -> bool:
        """Its last words are added at run time."""
        return self.starter is Starter.LIST

    @property
    def passed_on(self) -> Starter:
        """The starter of what this program runs in turn."""
        return self.starter if self.completed else Starter.PROGRAM
