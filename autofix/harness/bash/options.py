"""Options as getopt and getopt_long read them: clusters of letters, glued values, abbreviated long names."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from autofix.harness.bash.values import may_be_option


@dataclass(slots=True)
class Scanned:
    """What stands in a list of words.

    Attributes:
        options: every option in order, letters alone, long names without dashes, each with its value or None.
        operands: the rest, in order.
        uncertain: a word may be an option that is not written in the command.
    """

    options: list[tuple[str, str | None]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    uncertain: bool = False

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)

    def values_of(self, *names: str) -> list[str]:
        return [value for name, value in self.options if name in names and value is not None]

    def beyond(self, letters: str, names: Collection[str] = ()) -> str | None:
        """The first option that is neither one of `letters` nor one of `names` (as given to `scan`)."""
        fine = {*letters, *(name.removesuffix("=") for name in names)}
        return next((name for name, _ in self.options if name not in fine), None)


def scan(
    words: Sequence[str], valued: str = "", long: Sequence[str] = (), *, optional: str = "", stop: bool = False
) -> Scanned:
    """Read options.

    Args:
        words: what follows the program's name.
        valued: letters that take a value.
        long: the program's long names, `=` at the end of those that take a value; abbreviations are completed by them.
        optional: letters whose value, if any, is glued on.
        stop: the first operand ends the options (wrappers).
    """
    found = Scanned()
    names = [name.removesuffix("=") for name in long]
    with_value = {name.removesuffix("=") for name in long if name.endswith("=")}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            found.operands += waiting
            break
        if word.startswith("--"):
            _long(word[2:], names, with_value, waiting, found)
        elif word.startswith("-") and len(word) > 1:
            _short(word[1:], valued, optional, waiting, found)
        else:
            found.uncertain = found.uncertain or may_be_option(word)
            found.operands.append(word)
            if stop:
                found.operands += waiting
                break
    return found


def _long(text: str, names: Sequence[str], with_value: Collection[str], waiting: list[str], found: Scanned) -> None:
    name, equals, value = text.partition("=")
    if name not in names:
        name = next((known for known in names if known.startswith(name)), name) if name else name
    if not equals and name in with_value:
        found.options.append((name, waiting.pop(0) if waiting else ""))
    else:
        found.options.append((name, value if equals else None))


def _short(letters: str, valued: str, optional: str, waiting: list[str], found: Scanned) -> None:
    for position, letter in enumerate(letters):
        rest = letters[position + 1 :]
        if letter in valued:
            found.options.append((letter, rest or (waiting.pop(0) if waiting else "")))
            return
        if letter in optional:
            found.options.append((letter, rest))
            return
        found.options.append((letter, None))
