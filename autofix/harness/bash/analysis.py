"""The whole way from a command's text to what it would do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autofix.harness.bash.deeds import Deed
from autofix.harness.bash.machine import Machine
from autofix.harness.bash.syntax import BashParser, Unparsed


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a command would do.

    Attributes:
        deeds: in the order in which they were found, each once.
        parts: its simple commands, each in the forms in which a rule may name it (as run, without its wrappers).
    """

    deeds: tuple[Deed, ...]
    parts: tuple[tuple[str, ...], ...]


def analyse(
    text: str, parser: BashParser, workspace: str, aliases: Sequence[str], is_directory: Callable[[str], bool]
) -> Analysis | Unparsed:
    """Parse and play `text`, or say why it cannot be judged. `is_directory` knows the commit's directories."""
    script = parser.parse(text)
    if isinstance(script, Unparsed):
        return script
    machine = Machine(parser, workspace, tuple(aliases), is_directory)
    machine.play(script)
    return Analysis(tuple(machine.deeds), tuple(machine.parts))
