"""The builtins of the shell: each takes a state and gives the states after it.

Here are those that change the shell itself or run other text; those that set variables are in `variable_builtins`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from autofix.harness.bash import variable_builtins
from autofix.harness.bash.options import scan
from autofix.harness.bash.values import ANY, OPAQUE, known, may_be_option
from autofix.harness.bash.world import World

if TYPE_CHECKING:
    from autofix.harness.bash.running import Runner

Builtin = Callable[[Sequence[str], "Runner", World, str | None], list[World]]


def _cd(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    operands = [word for word in words[1:] if not re.fullmatch(r"-[LPe@]+|--", word)]
    if not operands:
        return [world.moved("/root")]
    if operands[0] == "-" or OPAQUE in operands[0] or ANY in operands[0]:
        return [world.moved(None)]
    arrived = world.moved(world.path(operands[0]))
    if machine.is_directory(operands[0], world):
        return [arrived]
    return [arrived, replace(world, failed=True)]  # where there is no such directory, the shell stays here


def _popd(_words: Sequence[str], _machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    return [world.moved(None), world] if world.directory is not None else [world]


def _eval(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    return machine.play_text(" ".join(word for word in words[1:] if word != "--"), world, stdin)


def _source(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    operands = [word for word in words[1:] if word != "--"]
    if not operands:
        return [world]
    if operands[0] in machine.streams:
        return machine.play_text(machine.streams[operands[0]], world, None)
    if operands[0].startswith(("/dev/", "/proc/")):
        return machine.play_text(stdin if stdin is not None else OPAQUE, world, None)
    return _script(operands[0], machine, world)


def _script(path: str, machine: "Runner", world: World) -> list[World]:
    if not known(path):
        machine.refuse("opaque-exec", "which file runs cannot be known; write its name")
    machine.run_file(path, world)
    return [world]


def _trap(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    operands = [word for word in words[1:] if word not in {"--", "-l", "-p"}]
    if len(operands) < 2 or operands[0] in {"-", ""}:  # noqa: PLR2004 - a text and a signal
        return [world]
    if "$" not in operands[0]:
        machine.play_text(operands[0], world, None)
    return [replace(world, traps=(*world.traps, operands[0]))]


def _set(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    if len(words) == 1:
        machine.refuse("secrets", "set without arguments prints every variable; print the one you need")
    if "--" in words or (len(words) > 1 and not words[1].startswith(("-", "+"))):
        start = words.index("--") + 1 if "--" in words else 1
        return [replace(world, arguments=tuple(words[start:]))]
    return [world]


def _shopt(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    if any(not known(word) or word == "expand_aliases" for word in words):
        machine.refuse("opaque-exec", "aliases hide what runs; write the command itself")
    return [world]


def _refused(reason: str) -> Builtin:
    def refuse(_words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
        machine.refuse("opaque-exec", reason)
        return [world]

    return refuse


def _hash(words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    if any((word.startswith("-") and "p" in word) or may_be_option(word) for word in words[1:]):
        machine.refuse("opaque-exec", "hash -p makes a name run another program")
    return [world]


def _shift(words: Sequence[str], _machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    count = int(words[1]) if len(words) > 1 and words[1].isdigit() else 1
    return [replace(world, arguments=world.arguments[count:])]


def _exit(_words: Sequence[str], machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    machine.leave([world])
    return []


def _nothing(_words: Sequence[str], _machine: "Runner", world: World, _stdin: str | None) -> list[World]:
    return [world]


def _exec(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    scanned = scan(words[1:], valued="a", stop=True)
    if scanned.operands:
        machine.invoke(scanned.operands, world, stdin)
    return [world]


def _command(words: Sequence[str], machine: "Runner", world: World, stdin: str | None) -> list[World]:
    scanned = scan(words[1:], valued="", stop=True)
    if not scanned.operands:
        return [world]
    if scanned.has("v") or scanned.has("V"):
        machine.write(scanned.operands[0] + "\n")
        return [world]
    return machine.invoke(scanned.operands, world, stdin, machine.WITHOUT_FUNCTIONS)


TABLE: Mapping[str, Builtin] = {
    **variable_builtins.TABLE,
    **dict.fromkeys(("cd", "pushd"), _cd),
    **dict.fromkeys((".", "source"), _source),
    **dict.fromkeys(
        [
            ":",
            "true",
            "false",
            "return",
            "break",
            "continue",
            "wait",
            "jobs",
            "bg",
            "fg",
            "disown",
            "umask",
            "ulimit",
            "times",
            "getopts",
            "type",
            "dirs",
            "alias",
            "unalias",
            "help",
        ],
        _nothing,
    ),
    "popd": _popd,
    "eval": _eval,
    "trap": _trap,
    "set": _set,
    "shopt": _shopt,
    "enable": _refused("enable can load code and hide builtins"),
    "hash": _hash,
    "shift": _shift,
    "exit": _exit,
    "exec": _exec,
    "command": _command,
    "builtin": _command,
}
