"""What bash makes of a word: quotes, escapes, braces, tildes, variables, substitutions, splitting.

The result is a list of fields, each a value (`values`): exact text, with marks where only a run could tell. Pathnames
are not expanded; a field keeps its glob characters, and whoever judges a path asks what they could match.
"""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from autofix.harness.bash.syntax import (
    Arithmetic,
    CommandSubstitution,
    DoubleQuoted,
    ExtendedGlob,
    Literal,
    Parameter,
    Part,
    ProcessSubstitution,
    Statement,
    Word,
)
from autofix.harness.bash.values import ANY, LONGEST, NAME, OPAQUE, has_glob, known, short

MOST_FIELDS = 256
"""Of one word by brace expansion; what makes more is not written by someone who wants to be understood."""
_BREAK = "\ud804"  # parts "$@" into its fields
_EMPTY = "\ud805"  # a quoted nothing: the field exists
_SPECIAL = re.compile(r"[\\{~*?\[]")
_SEQUENCE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


class Field(NamedTuple):
    """One word of a command. `globs`: it holds glob characters that are not quoted."""

    text: str
    globs: bool = False


class Shell(Protocol):
    """What a word may ask of the shell it stands in."""

    def variable(self, name: str) -> str | tuple[str, ...]:
        """A variable's or parameter's value; a tuple for arrays, `@` and `*`."""
        ...

    def is_set(self, name: str) -> bool:
        """Whether the command itself gave the variable a value (or we know the environment's)."""
        ...

    def assign(self, name: str, value: str) -> None: ...

    def output_of(self, body: Sequence[Statement]) -> str: ...

    def stream_of(self, part: ProcessSubstitution) -> str:
        """A name for the stream."""
        ...

    def refuse(self, rule: str, reason: str) -> None: ...

    def directory(self, user: str) -> str:
        """What `~user` stands for."""
        ...


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
    for branch_text, branch_mask in _braces(text, mask, shell):
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
            return _parameter(part, shell, joint)
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


def _parameter(part: Parameter, shell: Shell, joint: str) -> str:
    argument = text_of(part.argument, shell) if part.argument is not None else ""
    index = text_of(part.index, shell) if part.index is not None else None
    for expression in (index, argument if part.operator == ":" else None):
        if expression not in {None, "@", "*"}:
            _follow(expression or "", shell)
    if part.operator == "!":
        return _indirect(part.name, shell)
    found = shell.variable(part.name)
    if index is not None:
        value = _element(found, index, joint)
    elif part.operator == "" and isinstance(found, tuple) and part.name not in {"@", "*"}:
        value = (found or ("",))[0]  # bash takes an array's name for its first element
    else:
        value = joint.join(found) if isinstance(found, tuple) else found
    return _operated(part, value, argument, shell)


MOST_NAMES = 8
"""Variables that arithmetic leads through, one naming the next."""
_NAMES = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_HIDES = ("$(", "`", "${", "<(")


def number(word: Word, shell: Shell) -> None:
    """A word that bash takes for arithmetic."""
    _follow(text_of(word, shell), shell)


def _follow(expression: str, shell: Shell, depth: int = 0) -> None:
    """Arithmetic runs what stands in a subscript: `x='a[$(id)]'; echo $((x))` runs id, through any number of names."""
    hides = any(mark in expression for mark in _HIDES) or ("[" in expression and "\\" in expression)
    if hides or OPAQUE in expression or depth > MOST_NAMES:
        shell.refuse("opaque-exec", "arithmetic over a text that was computed, or that holds a command, can run it")
        return
    for name in set(_NAMES.findall(expression)):
        found = shell.variable(name)
        for value in {found} if isinstance(found, str) else set(found):
            _follow(value, shell, depth + 1)


def _operated(part: Parameter, value: str, argument: str, shell: Shell) -> str:
    """A value after the operator of its expansion."""
    match part.operator:
        case "" | "?" | ":?":
            made = value
        case "#":  # its length; with an argument it removes a prefix
            made = NAME if part.argument is None else _without(part.operator, value, argument)
        case "-" | ":-" | "=" | ":=":
            made = _or_default(part, value, argument, shell)
        case "+" | ":+":
            made = "" if not value or not shell.is_set(part.name) else argument if known(value) else argument + ANY
        case "##" | "%" | "%%":
            made = _without(part.operator, value, argument)
        case _:
            if part.operator == "@":
                shell.refuse("opaque-exec", f"${{{part.name}@{argument}}} is computed when it runs; write the value")
            made = _derived(value)
    return made


def _without(operator: str, value: str, pattern: str) -> str:
    """`${name#pattern}` and its kin: a prefix or suffix removed."""
    if operator == "##" and pattern.endswith("/"):
        return value.rpartition("/")[2] if known(value) else NAME
    if known(value) and known(pattern) and not has_glob(pattern):
        return value.removesuffix(pattern) if "%" in operator else value.removeprefix(pattern)
    return _derived(value)


def _or_default(part: Parameter, value: str, default: str, shell: Shell) -> str:
    if value and (known(value) or shell.is_set(part.name)):
        return value if ANY not in value else default + value
    if "=" in part.operator:
        shell.assign(part.name, default)
    return default


def _element(found: str | tuple[str, ...], index: str, joint: str) -> str:
    values = found if isinstance(found, tuple) else (found,)
    if index in {"@", "*"}:
        return joint.join(values)
    if index.isdigit() and int(index) < len(values):
        return values[int(index)]
    return OPAQUE if not all(map(known, values)) or values else ANY


def _derived(value: str) -> str:
    """The value after a substitution we do not compute: unknown, and opaque where somebody chose the text."""
    if value == "":
        return ""
    return NAME if value == NAME else ANY if value.strip(ANY + NAME + "/.-_") == "" else OPAQUE


def _indirect(name: str, shell: Shell) -> str:
    target = shell.variable(name)
    if isinstance(target, str) and known(target) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", target):
        found = shell.variable(target)
        return " ".join(found) if isinstance(found, tuple) else found
    shell.refuse("secrets", f"${{!{name}}} names a variable that cannot be known; write its name")
    return OPAQUE


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


def _braces(text: str, mask: str, shell: Shell) -> list[tuple[str, str]]:
    """The word for each choice of its brace expansions."""
    done: list[tuple[str, str]] = []
    waiting = [(text, mask)]
    while waiting:
        text, mask = waiting.pop(0)
        group = _first_group(text, mask)
        if group is None:
            done.append((text, mask))
        else:
            start, end, choices = group
            waiting[:0] = [
                (text[:start] + choice + text[end + 1 :], mask[:start] + kinds + mask[end + 1 :])
                for choice, kinds in choices
            ]
        if len(waiting) + len(done) > MOST_FIELDS:
            shell.refuse("opaque-exec", "a brace expansion makes too many words; write them out")
            return [(OPAQUE, "q")]
    return done


def _first_group(text: str, mask: str) -> tuple[int, int, list[tuple[str, str]]] | None:
    """The first brace expansion that is one: its ends, and its choices with their masks."""
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        if mask[start] != "l":
            continue
        depth, commas = 0, [start]
        for position in range(start, len(text)):
            if mask[position] != "l":
                continue
            depth += (text[position] == "{") - (text[position] == "}")
            if text[position] == "," and depth == 1:
                commas.append(position)
            if depth == 0:
                ends = [*commas, position]
                if len(commas) > 1:
                    choices = [(text[a + 1 : b], mask[a + 1 : b]) for a, b in itertools.pairwise(ends)]
                    return start, position, choices
                if series := _series(text[start + 1 : position]):
                    return start, position, [(one, "q" * len(one)) for one in series]
                break
    return None


def _series(inside: str) -> list[str]:
    found = _SEQUENCE.fullmatch(inside)
    if found is None:
        return []
    first, last, step = found[1], found[2], abs(int(found[3] or 1)) or 1
    letters = first.isalpha() and last.isalpha()
    if not letters and (first.isalpha() or last.isalpha()):
        return []
    low, high = (ord(first), ord(last)) if letters else (int(first), int(last))
    if abs(high - low) // step > MOST_FIELDS:
        return [NAME]
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    return [chr(number) if letters else str(number) for number in numbers]
