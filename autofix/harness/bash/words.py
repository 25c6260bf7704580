"""What bash makes of a word: quotes, escapes, braces, tildes, variables, substitutions, splitting.

The result is a list of fields, each a value (`values`): exact text, with marks where only a run could tell. Pathnames
are not expanded; a field keeps its glob characters, and whoever judges a path asks what they could match.
"""

import re
from typing import NamedTuple

from autofix.harness.bash import braces, parameters
from autofix.harness.bash.parameters import Shell
from autofix.harness.bash.syntax import (
    Arithmetic,
    CommandSubstitution,
    DoubleQuoted,
    ExtendedGlob,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    Word,
)
from autofix.harness.bash.values import LONGEST, NAME, OPAQUE, known, short

_BREAK = "\ud804"  # parts "$@" into its fields
_EMPTY = "\ud805"  # a quoted nothing: the field exists
_SPECIAL = re.compile(r"[\\{~*?\[]")


class Field(NamedTuple):
    """One word of a command. `globs`: it holds glob characters that are not quoted."""

    text: str
    globs: bool = False


def fields(word: Word, shell: Shell) -> list[Field]:
    """The fields that `word` becomes as an argument."""
    plain = _plain(word)
    if plain is not None:
        return [Field(plain)]
    text, mask = _unfold(word, shell)
    if len(text) > LONGEST:
        return [Field(OPAQUE)]
    separators = _separators(shell) if "e" in mask else ""
    made: list[Field] = []
    for branch_text, branch_mask in braces.expanded(text, mask, shell):
        made += _split(*_tilde(branch_text, branch_mask, shell), separators)
    return made


def text_of(word: Word, shell: Shell) -> str:
    """The one text that `word` becomes where bash does not split: an assignment, a redirect, a here-document."""
    plain = _plain(word)
    if plain is not None:
        return plain
    text, _ = _tilde(*_unfold(word, shell), shell)
    return short(text.replace(_BREAK, " ").replace(_EMPTY, ""))


def _plain(word: Word) -> str | None:
    """The quick way for most words: text with nothing to expand."""
    if len(word.parts) != 1:
        return None
    part = word.parts[0]
    if isinstance(part, Literal):
        return part.text if part.quoted or not _SPECIAL.search(part.text) else None
    if isinstance(part, DoubleQuoted) and len(part.parts) == 1:
        inner = part.parts[0]
        if isinstance(inner, Literal) and "\\" not in inner.text:
            return inner.text
    return None


# A word is unfolded into its characters and a mask of the same length, which says of each where it came from:
# l unquoted as written, q quoted, e unquoted expansion (it may be split).


def _unfold(word: Word, shell: Shell) -> tuple[str, str]:
    texts, masks = [], []
    for part in word.parts:
        text, mask = _part(part, shell)
        texts.append(text)
        masks.append(mask)
    return "".join(texts), "".join(masks)


def _part(part: Part, shell: Shell) -> tuple[str, str]:
    match part:
        case Literal(text, quoted=True):
            return text + _EMPTY, "q" * (len(text) + 1)
        case Literal(text):
            return _unescaped(text)
        case DoubleQuoted(parts):
            inner = "".join(_quoted(one, shell) for one in parts)
            if not inner and any(isinstance(one, Parameter) and _is_list(one) for one in parts):
                return "", ""
            return inner + _EMPTY, "q" * (len(inner) + 1)
        case ExtendedGlob(text):
            return "*", "l"
        case _:
            text = _expanded(part, shell, " ")
            return text, "e" * len(text)


def _unescaped(text: str) -> tuple[str, str]:
    if "\\" not in text:
        return text, "l" * len(text)
    out, mask, position = [], [], 0
    while position < len(text):
        char = text[position]
        if char == "\\" and position + 1 < len(text):
            position += 1
            if text[position] != "\n":
                out.append(text[position])
                mask.append("q")
        else:
            out.append(char)
            mask.append("l")
        position += 1
    return "".join(out), "".join(mask)


def _quoted(part: Part, shell: Shell) -> str:
    """A part between double quotes."""
    if isinstance(part, Literal):
        return re.sub(r"\\([$`\"\\\n])", lambda found: "" if found[1] == "\n" else found[1], part.text)
    if isinstance(part, DoubleQuoted):
        return "".join(_quoted(one, shell) for one in part.parts)
    return _expanded(part, shell, _BREAK if isinstance(part, Parameter) and _is_list(part) else " ")


def _is_list(part: Parameter) -> bool:
    """`$@` or `${name[@]}`: between quotes it stays as many fields as it has elements."""
    return part.name == "@" or (part.operator == "" and part.index == Word((Literal("@"),)))


def _expanded(part: Part, shell: Shell, joint: str) -> str:
    match part:
        case Parameter():
            argument = text_of(part.argument, shell) if part.argument is not None else ""
            index = text_of(part.index, shell) if part.index is not None else None
            return parameters.value_of(part, argument, index, shell, joint)
        case CommandSubstitution(body):
            return shell.output_of(body).rstrip("\n")
        case ProcessSubstitution():
            return shell.stream_of(part)
        case Arithmetic(words):
            for word in words:
                number(word, shell)
            return NAME
        case _:
            return OPAQUE


def number(word: Word, shell: Shell) -> None:
    """A word that bash takes for arithmetic."""
    parameters.follow(text_of(word, shell), shell)


def _separators(shell: Shell) -> str:
    separators = shell.variable("IFS")
    return separators if isinstance(separators, str) and known(separators) else " \t\n"


def _tilde(text: str, mask: str, shell: Shell) -> tuple[str, str]:
    if not text.startswith("~") or mask[0] != "l":
        return text, mask
    end = text.find("/")
    end = len(text) if end < 0 else end
    if set(mask[:end]) != {"l"}:
        return text, mask
    directory = shell.directory(text[1:end])
    return directory + text[end:], "q" * len(directory) + mask[end:]


def _split(text: str, mask: str, separators: str) -> list[Field]:
    made: list[Field] = []
    current: list[str] = []
    started = globs = False
    for char, kind in zip(text, mask, strict=True):
        if char == _BREAK or (kind == "e" and char in separators):
            if current or started or char == _BREAK:
                made.append(Field("".join(current), globs))
            current, started, globs = [], False, False
        elif char == _EMPTY:
            started = True
        else:
            current.append(char)
            globs = globs or (kind != "q" and char in "*?[")
    if current or started:
        made.append(Field("".join(current), globs))
    return made
