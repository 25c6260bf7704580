"""What `$name` and `${name…}` stand for: a parameter's value after its operator, and names that arithmetic follows."""

import re
from collections.abc import Sequence
from typing import Protocol

from autofix.harness.bash.syntax import Parameter, ProcessSubstitution, Statement
from autofix.harness.bash.values import ANY, NAME, OPAQUE, has_glob, known

MOST_NAMES = 8
"""Variables that arithmetic leads through, one naming the next."""
_NAMES = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_ALL = ("@", "*")
"""Subscripts that stand for every element."""
_HIDES = ("$(", "`", "${", "<(")


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


def value_of(part: Parameter, argument: str, index: str | None, shell: Shell, joint: str) -> str:
    """What `part` stands for, where `argument` follows its operator and `index` is its subscript.

    `joint` comes between the elements of a list.
    """
    for expression in (index, argument if part.operator == ":" else None):
        if expression is not None and expression not in _ALL:
            follow(expression, shell)
    if part.operator == "!":
        return OPAQUE if index in _ALL else _indirect(part.name, shell)  # a list's keys, or a variable by its name
    found = shell.variable(part.name)
    if index is not None:
        value = _element(found, index, joint)
    elif part.operator == "" and isinstance(found, tuple) and part.name not in {"@", "*"}:
        value = (found or ("",))[0]  # bash takes an array's name for its first element
    else:
        value = joint.join(found) if isinstance(found, tuple) else found
    return _operated(part, value, argument, shell)


def follow(expression: str, shell: Shell, depth: int = 0) -> None:
    """Arithmetic runs what stands in a subscript: `x='a[$(id)]'; echo $((x))` runs id, through any number of names."""
    hides = any(mark in expression for mark in _HIDES) or ("[" in expression and "\\" in expression)
    if hides or OPAQUE in expression or depth > MOST_NAMES:
        shell.refuse("opaque-exec", "arithmetic over a text that was computed, or that holds a command, can run it")
        return
    for name in set(_NAMES.findall(expression)):
        found = shell.variable(name)
        for value in {found} if isinstance(found, str) else set(found):
            follow(value, shell, depth + 1)


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
    if index in _ALL:
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
