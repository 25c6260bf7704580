"""Enough of a shell command's words to tell which runner it starts and where its arguments are; not a shell parser.

It understands plain commands joined by `&&`, `||`, `;`, `|` and new lines. Whatever else a command holds (substitution,
grouping, here-documents) makes it unreadable here, and the caller goes on without that knowledge.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Self

_TOKEN = re.compile(
    r"""
    (?P<blank>[ \t]+)
    | (?P<join>&&|\|\||[;|\n]|&(?!>))
    | (?P<redirect>\d*(?:>>|>&|>\||<>|>|<(?!<))|&>>?)
    | (?P<word>(?:[^\s"'\\;|&<>()`#]|\\.|"(?:[^"\\`]|\\.)*"|'[^']*'|(?<=\S)\#)+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"""\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'""", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PYTHON = re.compile(r"(python|pypy)\d*(\.\d+)?")
_LAUNCHERS = frozenset(
    {"env", "time", "nice", "timeout", "xvfb-run", "exec", "command", "poetry", "uv", "uvx", "pipenv", "hatch", "pdm"}
    | {"rye", "conda", "micromamba", "coverage", "npx", "bunx", "pnpm", "yarn", "bundle", "c8", "nyc", "cross-env"}
    | {"node", "ruby", "php", "perl", "dotenv", "rtx", "mise", "devbox", "nix-shell", "direnv", "npm"}
)
"""Programs whose arguments name another program."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written (`raw`, at `start`) and as the shell would pass it on, expansions left alone."""

    raw: str
    start: int

    @classmethod
    def of(cls, value: str) -> Self:
        """A word of no text in particular that has this value."""
        return cls(shlex.quote(value), 0)

    @property
    def value(self) -> str:
        return _ESCAPE.sub(lambda match: next((part for part in match.groups() if part is not None), ""), self.raw)

    @property
    def end(self) -> int:
        return self.start + len(self.raw)


def simple_commands(text: str) -> tuple[tuple[Word, ...], ...] | None:
    """The simple commands of a shell text, in order; None where it holds more than we read."""
    if "$(" in text or "<<" in text:
        return None
    commands: list[list[Word]] = [[]]
    position = 0
    after_redirect = False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        if match.lastgroup == "join":
            commands.append([])
        elif match.lastgroup == "redirect":
            after_redirect = True
        elif match.lastgroup == "word":
            if not after_redirect:
                commands[-1].append(Word(match[0], match.start()))
            after_redirect = False
    return tuple(tuple(command) for command in commands if command)


def program_at(command: tuple[Word, ...], names: frozenset[str]) -> int | None:
    """Where a simple command names one of the programs; None where it runs none of them.

    The name counts as the first word, or after launchers (`poetry run`, `python -m`, `env A=b`), not as an argument.
    """
    launched = False
    for index, word in enumerate(command):
        value = word.value
        name = PurePosixPath(value).name
        if name in names:
            return index
        if _ASSIGNMENT.match(value):
            continue
        if name in _LAUNCHERS or _PYTHON.fullmatch(name):
            launched = True
        elif not launched:
            return None
    return None
