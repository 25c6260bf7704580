"""Plays the words of one command: functions, builtins, programs, and the texts that these would run in turn.

Programs answer with steps (`deeds`): what they would do, and what they would run. This is the half of the machine that
deals with commands; `machine` is the half that deals with the statements around them.
"""

import posixpath
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from autofix.harness.bash import builtins, outputs, programs, variable_builtins
from autofix.harness.bash.deeds import (
    Deed,
    Delete,
    Invoke,
    MakeDirectory,
    Play,
    Read,
    Refuse,
    RunFile,
    Stage,
    Starter,
    Step,
    Write,
)
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.outcomes import merged
from autofix.harness.bash.shell import located
from autofix.harness.bash.syntax import BashParser, Script, Statement, Unparsed
from autofix.harness.bash.values import OPAQUE, known, readable, short
from autofix.harness.bash.world import World

DEEPEST = 12
"""Levels of `sh -c`, `eval`, functions and substitutions in one another."""
MOST_TEXT = 16 * 1024
"""Characters of the texts parsed inside one command, all together; each text costs a run of the parser."""
SHORTEST_TEXT = 128
"""What a text counts at least: a run of the parser is never free."""


@dataclass(frozen=True, slots=True)
class How:
    """How a command is started: by whom, with which variables of its own, and whether functions are looked up."""

    starter: Starter = Starter.SHELL
    environment: tuple[tuple[str, str], ...] = ()
    functions: bool = True


DIRECTLY = How()


class Runner(ABC):
    """One command's play: the commands. `deeds` and `parts` grow as it goes."""

    WITHOUT_FUNCTIONS: ClassVar = How(functions=False)

    def __init__(
        self, parser: BashParser, workspace: str, aliases: tuple[str, ...], is_directory: Callable[[str], bool]
    ) -> None:
        self.workspace = workspace
        self.aliases = aliases
        self.deeds: dict[Deed, None] = {}
        self.parts: dict[tuple[str, ...], None] = {}
        self.streams: dict[str, str] = {}
        self.decoded: set[str] = set()
        self._parser = parser
        self._is_directory = is_directory
        self._depth = 0
        self._text = 0
        self._texts: dict[str, Script | Unparsed] = {}
        self._written: list[str] = []

    @abstractmethod
    def run(self, body: Sequence[Statement], worlds: list[World], stdin: str | None) -> list[World]:
        """Play statements one after the other; the states after them."""

    def capture(self, play: Callable[[], list[World]]) -> tuple[list[World], str]:
        """Play, and what was written to standard output meanwhile, as a value."""
        outer, self._written = self._written, []
        try:
            worlds = play()
            return worlds, short("".join(self._written))
        finally:
            self._written = outer

    def write(self, text: str) -> None:
        self._written.append(text)

    def add(self, deed: Deed) -> None:
        self.deeds[deed] = None

    def refuse(self, rule: str, reason: str) -> None:
        self.add(Refuse(rule, reason))

    def leave(self, worlds: list[World]) -> None:
        """A shell ends: what it has trapped runs, with the variables as they are now."""
        for world in worlds:
            for text in world.traps:
                self.play_text(text, replace(world, traps=()), None)

    def invoke(self, words: Sequence[str], world: World, stdin: str | None, how: How = DIRECTLY) -> list[World]:
        """Run a command by its words: a function, a builtin, or a program."""
        name = words[0]
        self.note(words)
        if not known(name):
            self.refuse("opaque-exec", f"which program runs ({readable(name)}) cannot be known; write its name")
            return [world]
        if how.starter is Starter.SHELL:
            if how.functions and (body := world.functions.get(name)) is not None:
                return self._call(body, words[1:], world, stdin)
            if variable_builtins.hides_a_command(words):
                self.refuse("opaque-exec", f"{name} would run the command in the subscript of a name")
            if (builtin := builtins.TABLE.get(name)) is not None:
                return builtin(words, self, world, stdin)
        return self.program(words, world, stdin, how)

    def program(self, words: Sequence[str], world: World, stdin: str | None, how: How = DIRECTLY) -> list[World]:
        """Run a program: ask its table what it would do, and play what it would run in turn."""
        name = words[0]
        run = Invocation(
            program=posixpath.basename(name),
            given=name,
            words=tuple(words[1:]),
            stdin=stdin,
            directory=world.directory,
            environment=(*((n, v) for n, v in world.variables.items() if isinstance(v, str)), *how.environment),
            starter=how.starter,
            workspace=self.workspace,
            streams=self.streams,
        )
        self._written.append(outputs.of(run))
        worlds = [world]
        for step in programs.steps(run):
            worlds = merged([after for one in worlds for after in self._step(step, one, stdin)])
        return worlds

    def note(self, words: Sequence[str]) -> None:
        self.parts[(readable(" ".join(words)),)] = None

    def _step(self, step: Step, world: World, stdin: str | None) -> list[World]:
        match step:
            case Invoke(words, fed, starter, directory, environment):
                inner = world if directory is None else world.moved(world.path(directory))
                fed = stdin if fed is None else fed
                self.deeper(partial(self.invoke, words, inner, fed, How(starter, environment)))
            case Play(text, arguments, here, fed, zeroth):
                if here:
                    return self.play_text(text, world, fed)
                inner = replace(world.with_variable("0", zeroth), arguments=arguments, traps=())
                self.leave(self.play_text(text, inner, fed))
                return [world]
            case RunFile(path):
                self.run_file(path, world)
            case Write(path) if OPAQUE in (stdin or ""):  # tee, dd: what they read ends in the file
                self.decoded.add(self.place(path, world))
                self.add(replace(step, path=self.place(path, world)))
            case Write(path, _, str(inside)):
                self.add(replace(step, path=self.place(path, world), or_in=self.place(inside, world)))
            case Read(path) | Write(path) | Delete(path) | MakeDirectory(path) | Stage(path):
                self.add(replace(step, path=self.place(path, world)))
            case _:
                self.add(step)
        return [world]

    def run_file(self, path: str, world: World) -> None:
        """A script file runs: not the gate's business, unless this command has just put decoded text there."""
        place = self.place(path, world)
        if place in self.decoded:
            self.refuse("opaque-exec", f"{readable(path)} holds text that this command decoded or computed")
        self.add(Read(place))

    def _call(self, body: Statement, arguments: Sequence[str], world: World, stdin: str | None) -> list[World]:
        inner = replace(world, arguments=tuple(arguments))
        after = self.deeper(lambda: self.run([body], [inner], stdin)) or [inner]
        return [replace(one, arguments=world.arguments) for one in after]

    def play_text(self, text: str, world: World, stdin: str | None) -> list[World]:
        """Parse and play a text that would be run as bash."""
        if not known(text):
            self.refuse("opaque-exec", "the text that would run is computed; write the command itself")
            return [world]
        if text not in self._texts:
            self._text += max(len(text), SHORTEST_TEXT)
            if self._text > MOST_TEXT:
                self.refuse("too-compound", "too many commands inside commands; put them into a script file")
                return [world]
            self._texts[text] = self._parser.parse(text)
        script = self._texts[text]
        if isinstance(script, Unparsed):
            self.refuse(script.rule, script.reason)
            return [world]
        return self.deeper(lambda: self.run(script.body, [world], stdin)) or [world]

    def deeper(self, play: Callable[[], list[World]]) -> list[World] | None:
        """One level down, unless it is too deep."""
        if self._depth >= DEEPEST:
            self.refuse("too-compound", "commands are nested too deeply to follow")
            return None
        self._depth += 1
        try:
            return play()
        finally:
            self._depth -= 1

    # -- paths -------------------------------------------------------------------------------------------------

    def place(self, path: str, world: World) -> str:
        """A path as deeds name it: relative to the work tree where it lies in it."""
        absolute = world.path(path)
        return OPAQUE if absolute is None else located(absolute, (self.workspace, *self.aliases))

    def _touch(self, kind: type[Read] | type[Write], path: str, world: World) -> None:
        self.add(kind(self.place(path, world)))

    def is_directory(self, path: str, world: World) -> bool:
        """Whether a directory is sure to be there."""
        place = self.place(path, world)
        return place in {".", "/", "/tmp"} or self._is_directory(posixpath.normpath(place))  # noqa: S108 - compared
