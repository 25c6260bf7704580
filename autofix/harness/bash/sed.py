"""Reads a sed script far enough to find what leaves it: the files of `w` and `r`, and `e`, which runs programs."""

import re
from collections.abc import Generator, Iterable

from autofix.harness.bash.deeds import Read, Refuse, Step, Write

_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)\s*")
_TEXT_COMMANDS = frozenset("aic")
_FILE_COMMANDS = frozenset("rRwW")
_LABEL_COMMANDS = frozenset("btT:v")
_PLAIN_COMMANDS = frozenset("dDgGhHnNpPqQxzlLF=")
_BETWEEN = " \t\n;{}"
_HIDDEN = Refuse("opaque-exec", "this sed script runs a program, or cannot be read; write it more simply")


class _Unreadable(Exception):  # noqa: N818 - says what the script is
    """The script is not one this module can follow."""


def sed_steps(script: str) -> Iterable[Step]:
    """What a sed script would do beyond printing."""
    try:
        return list(_commands(script))
    except (_Unreadable, IndexError, ValueError):
        return [_HIDDEN]


def _commands(script: str) -> Iterable[Step]:
    position = _skip(script, 0, _BETWEEN)
    while position < len(script):
        if script[position] == "#":
            position = _line_end(script, position)
        else:
            position = _addresses(script, position)
            if position < len(script) and script[position] not in "{}":
                position = yield from _command(script[position], script, position + 1)
        position = _skip(script, position, _BETWEEN)


def _command(command: str, script: str, position: int) -> Generator[Step, None, int]:  # noqa: PLR0911 - one kind a line
    """One command, `position` just past its letter; where it ends."""
    if command == "s":
        return (yield from _substitution(script, position))
    if command == "y":
        return _delimited(script, position, 2, regex=False)
    if command in _FILE_COMMANDS:
        end = _line_end(script, position)
        path = script[position:end].strip()
        yield Write(path) if command in "wW" else Read(path)
        return end
    if command == "e":
        yield _HIDDEN
        return _line_end(script, position)
    if command in _TEXT_COMMANDS:
        return _text_end(script, position)
    if command in _LABEL_COMMANDS:
        ends = (script.find(";", position), script.find("\n", position))
        return min((end for end in ends if end >= 0), default=len(script))
    if command not in _PLAIN_COMMANDS:
        raise _Unreadable
    return _skip(script, position, " \t0123456789")


def _skip(script: str, position: int, chars: str) -> int:
    while position < len(script) and script[position] in chars:
        position += 1
    return position


def _line_end(script: str, position: int) -> int:
    end = script.find("\n", position)
    return len(script) if end < 0 else end


def _text_end(script: str, position: int) -> int:
    """The text of `a`, `i`, `c` goes to the end of a line that no backslash continues."""
    while True:
        end = _line_end(script, position)
        if end >= len(script) or script[end - 1] != "\\":
            return end
        position = end + 1


def _addresses(script: str, position: int) -> int:
    for _ in range(2):
        if position < len(script) and script[position] in "/\\":
            position += script[position] == "\\"
            position = _delimited(script, position, 1)
            position = _skip(script, position, "IM")
        elif found := _ADDRESS.match(script, position):
            position = found.end()
        position = _skip(script, position, " \t")
        if position < len(script) and script[position] == ",":
            position = _skip(script, position + 1, " \t")
        else:
            break
    return _skip(script, position, " \t!")


def _delimited(script: str, position: int, parts: int, *, regex: bool = True) -> int:
    """Past `parts` texts that the character at `position` starts, parts and ends; with `regex` the first is one."""
    mark = script[position]
    position += 1
    for part in range(parts):
        while script[position] != mark:
            if script[position] == "\\":
                position += 2
            elif script[position] == "[" and regex and part == 0:
                position = _past_brackets(script, position)
            else:
                position += 1
        position += 1
    return position


def _past_brackets(script: str, position: int) -> int:
    """Past a bracket expression, in which the mark is a character like any other."""
    position += 1
    position += script[position] == "^"
    position += script[position] == "]"
    while script[position] != "]":
        inner = script[position : position + 2]
        if inner in {"[:", "[.", "[="}:
            position = script.index(inner[1] + "]", position + 2) + 1
        position += 1
    return position + 1


def _substitution(script: str, position: int) -> Generator[Step, None, int]:
    position = _delimited(script, position, 2)
    while position < len(script) and (script[position] in "gpiIMme" or script[position].isdigit()):
        if script[position] == "e":
            yield _HIDDEN
        position += 1
    if position < len(script) and script[position] == "w":
        end = _line_end(script, position)
        yield Write(script[position + 1 : end].strip())
        position = end
    return position
