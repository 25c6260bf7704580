"""The builtins that set and print variables, and the names that would hide a command from them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from autofix.harness.bash.options import scan
from autofix.harness.bash.outputs import formatted
from autofix.harness.bash.shell import ShellIn
from autofix.harness.bash.syntax import Literal, Word
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, NAME, OPAQUE, known
from autofix.harness.bash.variables import refused_assignment, refused_reading
from autofix.harness.bash.words import number
from autofix.harness.bash.world import World

if TYPE_CHECKING:
    from autofix.harness.bash.running import Runner

MOST_LINES = 6
"""Lines of a known text that `read` is played with, one state each; a longer text is opaque."""
_SUBSCRIPT = re.compile(r"\w+\[.*(\$\(|`|\$\{|<\()", re.DOTALL)
"""A name with a subscript that holds a command: whoever takes it for a variable's name runs the command."""
_TAKE_NAMES = frozenset(
    listed("test [ read unset mapfile readarray printf export declare typeset local readonly let getopts wait")
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def hides_a_command(words: Sequence[str]) -> bool:
    """Whether a builtin is given a name whose subscript holds a command, or could."""
    if words[0] not in _TAKE_NAMES:
        return False
    return any(map(hides_in_subscript, words[1:])) or (words[0] == "let" and any(OPAQUE in word for word in words))


def hides_in_subscript(text: str) -> bool:
    """Whether a text is a name with a subscript that holds a command."""
    return _SUBSCRIPT.match(text) is not None


def refer(name: str, target: str, shell: ShellIn) -> None:
    """`declare -n name=target`: reading the one reads the other."""
    if not _NAME.fullmatch(target):
        shell.refuse("opaque-exec", f"which variable {name} stands for cannot be known; name the variable itself")
    else:
        shell.variable(target)
    shell.assign(name, OPAQUE)


class Names(Protocol):
    def variable(self, name: str) -> str | tuple[str, ...]: ...
    def refuse(self, rule: str, reason: str) -> None: ...


def declare(variant: str, options: Sequence[str], named: bool, shell: Names) -> None:
    """What `declare`, `export` and their like may not do: print the environment."""
    letters = "".join(option[1:] for option in options if option.startswith("-"))
    if not named and "f" not in letters and "F" not in letters and not (variant == "local" and not letters):
        shell.refuse("secrets", f"{variant} without names prints the environment; print the one variable you need")


def _declare(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    """The same where the name was quoted, so that the parser took it for an ordinary command."""
    shell = ShellIn(machine, world)
    options = [word for word in words[1:] if word.startswith("-")]
    letters = "".join(options)
    names = [word for word in words[1:] if not word.startswith(("-", "+"))]
    declare(words[0], options, bool(names), shell)
    for word in names:
        name, assigned, value = word.partition("=")
        name = name.removesuffix("+")
        if not _NAME.fullmatch(name):
            machine.refuse("opaque-exec", f"which variable {words[0]} sets cannot be known")
        elif not assigned and "p" in letters:
            shell.variable(name)
        elif assigned and "n" in letters and words[0] != "export":
            refer(name, value, shell)
        elif assigned:
            if refusal := refused_assignment(name, value):
                machine.add(refusal)
            shell.assign(name, value)
    return [shell.world]


def _unset(words: Sequence[str], _machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    gone = set(words[1:])
    variables = {name: value for name, value in world.variables.items() if name not in gone}
    functions = {name: body for name, body in world.functions.items() if name not in gone}
    return [replace(world, variables=variables, functions=functions)]


def _read(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    scanned = scan(words[1:], valued="adinNptu")
    names = [word for word in scanned.operands if _NAME.fullmatch(word)] or ["REPLY"]
    if scanned.has("a"):
        return [world.with_variable(scanned.values_of("a")[0], (_kind(stdin),))]
    lines = (stdin or "").splitlines()
    if stdin is None or stdin == "":
        lines = [ANY]
    if len(lines) > MOST_LINES:
        lines = [_kind(stdin)]
    return [_with_line(world, names, line, machine) for line in lines]


def _with_line(world: World, names: Sequence[str], line: str, machine: "Runner") -> World:
    pieces = line.split(None, len(names) - 1) if len(names) > 1 and known(line) else [line] * len(names)
    for place, name in enumerate(names):
        if refusal := refused_assignment(name, OPAQUE):
            machine.add(refusal)
        world = world.with_variable(name, pieces[place].strip() if place < len(pieces) else "")
    return world


def _mapfile(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    scanned = scan(words[1:], valued="dnOsuCc")
    if scanned.has("C"):
        machine.play_text(scanned.values_of("C")[0], world, None)
    lines = tuple((stdin or "").splitlines()) if stdin and known(stdin) else (_kind(stdin),)
    return [world.with_variable(scanned.operands[0] if scanned.operands else "MAPFILE", lines)]


def _kind(text: str | None) -> str:
    """How far a text whose parts are not told apart can be trusted."""
    if text is None or text.strip(ANY + NAME + "\n ") == "":
        return ANY
    return OPAQUE


def _let(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    shell = ShellIn(machine, world)
    for word in words[1:]:
        number(Word((Literal(word, quoted=True),)), shell)
        if found := re.match(r"\s*([A-Za-z_][A-Za-z0-9_]*)", word):
            shell.assign(found[1], NAME)
    return [shell.world]


def _printf(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    if len(words) > 2 and words[1] == "-v":  # noqa: PLR2004 - printf -v name
        value = formatted(words[3], list(words[4:])) if len(words) > 3 and known(words[3]) else OPAQUE  # noqa: PLR2004
        if refusal := refused_assignment(words[2], value):
            machine.add(refusal)
        return [world.with_variable(words[2], value)]
    return machine.program(words, world, stdin)


def _test(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    if "-v" in words and words[-1] != "-v":
        refusal = refused_reading(words[words.index("-v") + 1])
        if refusal is not None:
            machine.add(refusal)
    return [world]


TABLE = {
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    **dict.fromkeys(("test", "["), _test),
    "unset": _unset,
    "read": _read,
    "let": _let,
    "printf": _printf,
}
