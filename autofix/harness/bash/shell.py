"""What a word sees of the shell it stands in: one world of a machine, and what becomes of it."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from autofix.harness.bash.syntax import ProcessSubstitution, Statement
from autofix.harness.bash.values import ANY, OPAQUE
from autofix.harness.bash.variables import refused_reading
from autofix.harness.bash.world import GIVEN, HOME, Value, World

if TYPE_CHECKING:
    from autofix.harness.bash.running import Runner


class ShellIn:
    """`words.Shell` for one world of a machine; `world` is what it has become."""

    def __init__(self, machine: "Runner", world: World) -> None:
        self._machine = machine
        self.world = world

    def variable(self, name: str) -> Value:  # noqa: PLR0911 - one kind of name a line
        world = self.world
        if name in {"@", "*"}:
            return world.arguments
        if name.isdigit() and name != "0":
            return world.arguments[int(name) - 1] if int(name) <= len(world.arguments) else ""
        if name in world.variables:
            return world.variables[name]
        if name == "PWD":
            return world.directory or OPAQUE
        if name == "GITHUB_WORKSPACE":
            return self._machine.workspace
        if name in GIVEN:
            return GIVEN[name]
        refusal = refused_reading(name)
        if refusal is not None:
            self._machine.add(refusal)
            return OPAQUE
        return ANY

    def is_set(self, name: str) -> bool:
        return name in self.world.variables or name in GIVEN or name.isdigit() or name in {"@", "*", "PWD"}

    def assign(self, name: str, value: Value) -> None:
        self.world = self.world.with_variable(name, value)

    def output_of(self, body: Sequence[Statement]) -> str:
        machine, inner = self._machine, replace(self.world, traps=())
        worlds, written = machine.capture(lambda: machine.deeper(lambda: machine.run(body, [inner], None)) or [])
        machine.leave(worlds)
        return written

    def stream_of(self, part: ProcessSubstitution) -> str:
        machine = self._machine
        name = f"/dev/fd/{63 - len(machine.streams)}"
        if part.writes:
            machine.run(part.body, [self.world], OPAQUE)
            machine.streams[name] = OPAQUE
        else:
            machine.streams[name] = self.output_of(part.body) or ANY
        return name

    def refuse(self, rule: str, reason: str) -> None:
        self._machine.refuse(rule, reason)

    def directory(self, user: str) -> str:
        if user == "":
            home = self.variable("HOME")
            return home if isinstance(home, str) else HOME
        if user == "+":
            return self.world.directory or OPAQUE
        return OPAQUE if user == "-" else f"/home/{user}"


def located(absolute: str, roots: Sequence[str]) -> str:
    """An absolute path as deeds name it; `..` is kept where it stays inside the work tree."""
    tidy = "/" + "/".join(part for part in absolute.split("/") if part not in {"", "."})
    plain = posixpath.normpath(tidy)
    if tidy.startswith(("/dev/", "/proc/")) and "/../" in f"{tidy}/":
        return OPAQUE  # these are full of links, so that `..` does not lead where the text says
    for root in roots:
        if plain == root:
            return "."
        if plain.startswith(root + "/"):
            return (tidy if tidy.startswith(root + "/") else plain)[len(root) + 1 :]
    return plain
