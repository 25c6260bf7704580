"""Plays a script without running it: what would be run, with which words, in which directory.

The machine walks the syntax tree as bash would and keeps every state (`world.World`) in which the shell may be: a
branch that may or may not run leaves two. Where states multiply past a bound, what they disagree on becomes opaque,
which the tables of programs treat as the worst. What commands do by their words is in `running`.
"""

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Items
from dataclasses import replace
from functools import partial
from typing import ClassVar

from autofix.harness.bash import variable_builtins
from autofix.harness.bash.deeds import (
    Read,
    Write,
)
from autofix.harness.bash.outcomes import changed, diverts, either, harmless, merged
from autofix.harness.bash.running import How, Runner
from autofix.harness.bash.shell import ShellIn
from autofix.harness.bash.syntax import (
    Assignment,
    BashParser,
    Both,
    Branches,
    Declaration,
    Evaluation,
    For,
    Function,
    Loop,
    Pipe,
    Redirect,
    Script,
    Sequence,
    Simple,
    Statement,
)
from autofix.harness.bash.values import ANY, NAME, OPAQUE, known, readable, short
from autofix.harness.bash.variables import refused_assignment
from autofix.harness.bash.words import Field, fields, number, text_of
from autofix.harness.bash.world import World

MOST_STEPS = 2000
"""Commands played, loops unrolled: some 20 ms."""
MOST_ROUNDS = 40
"""Items of a `for` list played one by one; a longer list is played with an unknown item."""


_INTEGERS = frozenset({"RANDOM", "SRANDOM", "SECONDS", "LINENO", "HISTCMD", "OPTIND", "EPOCHSECONDS"})
"""Variables that bash assigns by arithmetic, whatever the text."""


class Machine(Runner):
    """One command's play: the statements."""

    def __init__(
        self, parser: BashParser, workspace: str, aliases: tuple[str, ...], is_directory: Callable[[str], bool]
    ) -> None:
        super().__init__(parser, workspace, aliases, is_directory)
        self._steps = 0
        self._integers = set(_INTEGERS)

    def play(self, script: Script) -> None:
        self.leave(self.run(script.body, [World(self.workspace, arguments=(OPAQUE,))], None))

    def run(self, body: Items[Statement], worlds: list[World], stdin: str | None) -> list[World]:
        for statement in body:
            worlds = self._statement(statement, worlds, stdin)
        return worlds

    # -- statements --------------------------------------------------------------------------------------------

    def _statement(self, statement: Statement, worlds: list[World], stdin: str | None) -> list[World]:
        made: list[World] = []
        for world in worlds:
            shell = ShellIn(self, world)
            fed = self._redirect(statement.redirects, shell, stdin)
            if statement.command is None:
                made.append(shell.world)
                continue
            after, written = self.capture(partial(self._command, statement.command, shell.world, fed))
            if not any(map(diverts, statement.redirects)):
                self._written.append(written)
            elif OPAQUE in written:
                self.decoded.update(self.place(text_of(one.target, shell), shell.world) for one in statement.redirects)
            made += [world] if statement.background else after
        return merged(made)

    def _command(self, command: object, world: World, stdin: str | None) -> list[World]:
        self._steps += 1
        if self._steps > MOST_STEPS:
            self.refuse("too-compound", "this runs too many commands to follow; put them into a script file")
            return [world]
        play: Callable[..., list[World]] | None = self._PLAYS.get(type(command))
        if play is None:
            self.refuse("opaque-exec", "the gate cannot follow this; write it more simply")
            return [world]
        return play(self, command, world, stdin)

    def _sequence(self, command: Sequence, world: World, stdin: str | None) -> list[World]:
        if not command.subshell:
            return self.run(command.body, [world], stdin)
        self.leave(self.run(command.body, [replace(world, traps=())], stdin))
        return [world]

    def _both(self, command: Both, world: World, stdin: str | None) -> list[World]:
        succeeded, failed = self._ends(command, [world], stdin)
        return merged([*succeeded, *failed])

    def _ends(self, command: Both, worlds: list[World], stdin: str | None) -> tuple[list[World], list[World]]:
        """The states after the whole list, told apart by whether its last command that ran succeeded."""
        (won, lost), first = self._captured_ends(command.left, worlds, stdin)
        (right_won, right_lost), second = self._captured_ends(command.right, lost if command.otherwise else won, stdin)
        self._written.append(either(first, second) if command.otherwise else first + second)
        if command.otherwise:
            return merged([*won, *right_won]), right_lost
        return right_won, merged([*lost, *right_lost])

    def _captured_ends(
        self, statement: Statement, worlds: list[World], stdin: str | None
    ) -> tuple[tuple[list[World], list[World]], str]:
        outer, self._written = self._written, []
        try:
            if isinstance(statement.command, Both) and not statement.redirects and not statement.background:
                ends = self._ends(statement.command, worlds, stdin)
            else:
                after = self._statement(statement, worlds, stdin)
                ends = [world for world in after if not world.failed], [replace(world, failed=False) for world in after]
            return ends, short("".join(self._written))
        finally:
            self._written = outer

    def _pipe(self, command: Pipe, world: World, stdin: str | None) -> list[World]:
        inner = replace(world, traps=())
        left, written = self.capture(lambda: self._statement(command.left, [inner], stdin))
        self.leave([*left, *self._statement(command.right, [inner], written)])
        return [world]

    def _branches(self, command: Branches, world: World, stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        for word in command.words:
            text_of(word, shell)
        worlds, ends, written = [shell.world], [shell.world], ""
        for place, body in enumerate(command.bodies):
            if place < len(command.conditions):
                worlds = self.run(command.conditions[place], worlds, stdin)
            after, text = self.capture(partial(self.run, body, worlds, stdin))
            ends += after
            written = either(written, text)
        self._written.append(written)
        return merged([*ends, *worlds])

    def _loop(self, command: Loop, world: World, stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        for word in command.words:
            number(word, shell)
        body = (*command.condition, *command.body)
        first = self.run(body, [shell.world], stdin)
        later, _ = self.capture(lambda: self.run(body, [changed(before, shell.world) for before in first], stdin))
        return merged([world, *first, *later])

    def _for(self, command: For, world: World, stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        items = list(world.arguments) if command.items is None else []
        for word in command.items or ():
            items += [field.text for field in fields(word, shell)]
        if len(items) > MOST_ROUNDS:
            items = [ANY if all(map(harmless, items)) else OPAQUE]
        worlds, ends = [shell.world], []
        for item in items:
            worlds = merged([one.with_variable(command.name, item) for one in worlds])
            worlds = self.run(command.body, worlds, stdin)
            ends += worlds  # a `break` may make any round the last
        last = items[-1] if len(items) == 1 else ANY
        return merged([one.with_variable(command.name, last) for one in ends or worlds])

    def _function(self, command: Function, world: World, _stdin: str | None) -> list[World]:
        return [world.with_function(command.name, command.body)]

    def _evaluation(self, command: Evaluation, world: World, _stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        for word in command.words:
            text_of(word, shell)
        for word in command.numbers:
            number(word, shell)
        for name in command.assigned:
            shell.assign(name, NAME)
        return [shell.world]

    def _declaration(self, command: Declaration, world: World, _stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        options = [field.text for word in command.options for field in fields(word, shell)]
        self.note((command.variant, *options, *(one.name for one in command.assignments)))
        variable_builtins.declare(command.variant, options, bool(command.assignments), shell)
        if any(option.startswith("-") and "i" in option for option in options):
            self._integers.update(assignment.name for assignment in command.assignments)
        letters = "".join(option for option in options if option.startswith("-"))
        for assignment in command.assignments:
            if "p" in letters and assignment.value is None:
                shell.variable(assignment.name)  # it is printed
            elif "n" in letters and command.variant != "export":
                variable_builtins.refer(
                    assignment.name, text_of(assignment.value, shell) if assignment.value else "", shell
                )
            elif assignment.value is not None or assignment.array is not None:
                self._assign(assignment, shell)
        return [shell.world]

    def _simple(self, command: Simple, world: World, stdin: str | None) -> list[World]:
        shell = ShellIn(self, world)
        words = [field for word in command.words for field in fields(word, shell)]
        if not words:
            for assignment in command.assignments:
                self._assign(assignment, shell)
            return [shell.world]
        passed = []
        for assignment in command.assignments:
            value = text_of(assignment.value, shell) if assignment.value else ""
            self._check_assignment(assignment.name, value)
            passed.append((assignment.name, value))
        if words[0].globs and words[0].text != "[":
            words[0] = Field(OPAQUE)
        return self.invoke([word.text for word in words], shell.world, stdin, How(environment=tuple(passed)))

    def _assign(self, assignment: Assignment, shell: "ShellIn") -> None:
        name = assignment.name
        if assignment.array is not None:
            values = tuple(field.text for word in assignment.array for field in fields(word, shell))
            old = shell.world.variables.get(name, ())
            shell.assign(name, (*((old,) if isinstance(old, str) else old), *values) if assignment.append else values)
            return
        value = text_of(assignment.value, shell) if assignment.value else ""
        self._check_assignment(name, value)
        if name in self._integers and assignment.value is not None:
            number(assignment.value, shell)
        if assignment.index is not None:
            number(assignment.index, shell)
            old = shell.world.variables.get(name, ())
            shell.assign(name, (*((old,) if isinstance(old, str) else old), value))
        elif assignment.append:
            old = shell.world.variables.get(name, "")
            shell.assign(name, (old if isinstance(old, str) else OPAQUE) + value)
        else:
            shell.assign(name, value)

    def _check_assignment(self, name: str, value: str) -> None:
        refusal = refused_assignment(name, value)
        if refusal is not None:
            self.add(refusal)
        if variable_builtins.hides_in_subscript(value):
            self.refuse(
                "opaque-exec", f"{name} gets a text whose subscript holds a command, which arithmetic would run"
            )

    # -- redirects ---------------------------------------------------------------------------------------------

    def _redirect(self, redirects: Items[Redirect], shell: "ShellIn", stdin: str | None) -> str | None:
        for redirect in redirects:
            target = text_of(redirect.target, shell)
            if redirect.operator in {"<<", "<<-"}:
                stdin = target if redirect.descriptor in {"", "0"} else stdin
            elif redirect.operator == "<<<":
                stdin = target + "\n"
            elif redirect.operator in {">&", "<&"} and (target.rstrip("-").isdigit() or target in {"-", NAME}):
                stdin = None if redirect.operator == "<&" else stdin
            elif target.startswith(("/dev/tcp/", "/dev/udp/")) or (target.startswith("/dev/") and not known(target)):
                self.refuse("network", f"{readable(target)} opens a network connection; there is no network")
            elif redirect.operator == "<":
                stdin = self._stdin_from(target, shell.world, stdin if redirect.descriptor not in {"", "0"} else None)
            else:
                self._touch(Write, target, shell.world)
        return stdin

    def _stdin_from(self, target: str, world: World, before: str | None) -> str | None:
        if target in self.streams:
            return self.streams[target]
        self._touch(Read, target, world)
        return before if before is not None else ("" if target == "/dev/null" else ANY)

    _PLAYS: ClassVar[Mapping[type, Callable[..., list[World]]]] = {
        Simple: _simple,
        Sequence: _sequence,
        Both: _both,
        Pipe: _pipe,
        Branches: _branches,
        Loop: _loop,
        For: _for,
        Function: _function,
        Evaluation: _evaluation,
        Declaration: _declaration,
    }
