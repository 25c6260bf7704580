"""The syntax tree the gate judges: bash reduced to what can matter for a verdict. Values only.

Words keep their parts, because whether a text was quoted decides what bash makes of it. What the gate does not follow
(arithmetic with side effects, `[[ ]]` operators) is reduced to the words it contains: they may still run something.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as written; backslashes still in it where it is not quoted."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class DoubleQuoted:
    parts: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name...}`.

    Attributes:
        operator: "" for the plain value, "#" for its length, "!" for indirection, else bash's operator (`:-`, `%%`,
            `/` ...).
        argument: the word after the operator.
        index: the subscript, in `${name[index]}`.
    """

    name: str
    operator: str = ""
    argument: "Word | None" = None
    index: "Word | None" = None


@dataclass(frozen=True, slots=True)
class CommandSubstitution:
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class ProcessSubstitution:
    body: tuple["Statement", ...]
    writes: bool
    """`>( )` rather than `<( )`."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$(( ))`; its value is some number, its words may hold substitutions."""

    words: tuple["Word", ...] = ()


@dataclass(frozen=True, slots=True)
class ExtendedGlob:
    text: str


Part = Literal | DoubleQuoted | Parameter | CommandSubstitution | ProcessSubstitution | Arithmetic | ExtendedGlob


@dataclass(frozen=True, slots=True)
class Word:
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`, `name+=value`, `name=(values)`; `value` is None for a bare name (`export name`)."""

    name: str
    value: Word | None
    append: bool = False
    array: tuple[Word, ...] | None = None
    index: Word | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """`operator` as bash spells it; for here-documents `target` is the text itself (already one word)."""

    operator: str
    target: Word
    descriptor: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments, words. `start` is its first word's byte offset in the text."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """`declare`, `export`, `local`, `readonly`, `typeset`: a command whose arguments may be assignments."""

    variant: str
    options: tuple[Word, ...]
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Statements one after the other; `subshell` where what they change is lost at the end."""

    body: tuple["Statement", ...]
    subshell: bool = False


@dataclass(frozen=True, slots=True)
class Both:
    """`left && right`, `left || right`: the right side may or may not run."""

    left: "Statement"
    right: "Statement"
    otherwise: bool
    """`||`."""


@dataclass(frozen=True, slots=True)
class Pipe:
    left: "Statement"
    right: "Statement"


@dataclass(frozen=True, slots=True)
class Branches:
    """`if` and `case`: `conditions` run in order, at most one of `bodies` runs."""

    conditions: tuple[tuple["Statement", ...], ...]
    bodies: tuple[tuple["Statement", ...], ...]
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """`while`, `until`, and `for (( ))`: condition and body run any number of times."""

    condition: tuple["Statement", ...]
    body: tuple["Statement", ...]
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for` and `select`; `items` is None for "$@"."""

    name: str
    items: tuple[Word, ...] | None
    body: tuple["Statement", ...]
    choice: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: "Statement"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`[[ ]]`, `(( ))`, `let`: nothing runs but what its words hold, and what is hidden in `numbers`."""

    words: tuple[Word, ...]
    numbers: tuple[Word, ...] = ()
    assigned: tuple[str, ...] = ()


Command = Simple | Declaration | Sequence | Both | Pipe | Branches | Loop | For | Function | Evaluation


@dataclass(frozen=True, slots=True)
class Statement:
    command: Command | None
    redirects: tuple[Redirect, ...] = ()
    background: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed text. `simple_commands` counts every simple command at every depth."""

    body: tuple[Statement, ...]
    simple_commands: int = 0


@dataclass(frozen=True, slots=True)
class Unparsed:
    """Why a text cannot be judged as bash: a rule's id, and the reason for the model."""

    rule: str
    reason: str


class BashParser(Protocol):
    """Turns text into this tree, by grammars only; nothing is run to find out."""

    def parse(self, text: str) -> Script | Unparsed: ...
