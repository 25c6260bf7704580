"""What a command would do, as values. Whether it may is decided in `rules.structure`.

A path in a deed is as the shell would name it from the root of the file system, except that what lies in the work
tree is relative to it; `..` is kept, because a link decides where it leads. It may hold the marks of `values` where a
part of it cannot be known.
"""

from dataclasses import dataclass
from enum import Enum


class Starter(Enum):
    """Who starts a program."""

    SHELL = "shell"
    PROGRAM = "program"
    """Another program, from which the shell's functions and builtins are out of reach."""
    LIST = "list"
    """xargs, find and their like, which complete the words at run time."""


@dataclass(frozen=True, slots=True)
class Read:
    """The contents of `path` reach the command; `below` where everything below it does."""

    path: str
    below: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """`path` is created or changed; `below` where any file below it may be.

    `or_in`: the path that is meant instead where `path` is a directory.
    """

    path: str
    below: bool = False
    or_in: str | None = None


@dataclass(frozen=True, slots=True)
class MakeDirectory:
    path: str


@dataclass(frozen=True, slots=True)
class Delete:
    """`path` is deleted; `below` where a whole directory is."""

    path: str
    below: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """`path` goes into git's index."""

    path: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Something that is refused whatever it is done to. `rule` is a class of the policy."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unfamiliar:
    """A program of which the gate knows nothing; a rule of the repository may vouch for it."""

    program: str
    form: str


@dataclass(frozen=True, slots=True)
class Invoke:
    """Another program is run with these words; the machine plays it in turn.

    Attributes:
        stdin: what it reads, or None for nothing of interest.
        starter: who starts it.
    """

    words: tuple[str, ...]
    stdin: str | None = None
    starter: Starter = Starter.SHELL
    directory: str | None = None
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """A text is run as bash; the machine plays it in turn. `here` where it runs in the present shell (`eval`).

    `name` is what `$0` says.
    """

    text: str
    arguments: tuple[str, ...] = ()
    here: bool = False
    stdin: str | None = None
    name: str = "bash"


@dataclass(frozen=True, slots=True)
class RunFile:
    """A script file is run; what is in it is bounded by the sandbox, unless this very command has just decoded it."""

    path: str


Deed = Read | Write | MakeDirectory | Delete | Stage | Refuse | Unfamiliar
"""What remains when everything that runs something else has been played."""

Step = Deed | Invoke | Play | RunFile
"""What a program's table answers with."""
