"""Reads a sed script far enough to find what leaves it: `w` and `r` with their files, `e` and `s///e` with their commands."""

import re
from collections.abc import Generator, Iterable

from autofix.harness.bash.deeds import Play, Read, Refuse, Step, Write

_ADDRESS = re.compile(r"\s*(?:\d+(?:~\d+)?|\$|[+~]\d+)\s*")
_TEXT_COMMANDS = frozenset("aic")
_FILE_COMMANDS = frozenset("rRwW")
_LABEL_COMMANDS = frozenset("btT:v")
_HIDDEN = Refuse("opaque-exec", "this sed script runs a program, or cannot be read; write it more simply")


class _Unreadable(Exception):  # noqa: N818 - says what the script is
    """The script is not one this module can follow."""


def sed_steps(script: str) -> Iterable[Step]:
    """What a sed script would do beyond printing."""
    try:
        return list(_commands(script))
    except (_Unreadable, IndexError):
        return [_HIDDEN]


def _commands(script: str) -> Iterable[Step]:
    position = 0
    while True:
        position = _skip(script, position, " \t\n;{}")
        if position >= len(script):
            return
        if script[position] == "#":
            position = _line_end(script, position)
            continue
        position = _addresses(script, position)
        if position >= len(script):
            return
        command = script[position]
        position += 1
        if command in "{}":
            continue
        if command == "s":
            position = yield from _substitution(script, position)
        elif command == "y":
            position = _delimited(script, position, 2)
        elif command == "e":
            end = _line_end(script, position)
            text = script[position:end].strip()
            yield Play(text) if text else _HIDDEN
            position = end
        elif command in _FILE_COMMANDS:
            end = _line_end(script, position)
            path = script[position:end].strip()
            yield Write(path) if command in "wW" else Read(path)
            position = end
        elif command in _TEXT_COMMANDS:
            position = _text_end(script, position)
        elif command in _LABEL_COMMANDS:
            position = min(
                (end for end in (script.find(";", position), script.find("\n", position)) if end >= 0),
                default=len(script),
            )
        elif command in "dDgGhHnNpPqQxzlLF=":
            position = _skip(script, position, " \t0123456789")
        else:
            raise _Unreadable


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


def _delimited(script: str, position: int, parts: int) -> int:
    """Past `parts` texts that the character at `position` starts, parts and ends."""
    mark = script[position]
    position += 1
    in_class = False
    for _ in range(parts):
        while script[position] != mark or in_class:
            if script[position] == "\\":
                position += 1
            elif script[position] == "[" and not in_class:
                in_class = script.find("]", position + 2) > 0 and mark != "[" and _class_closes(script, position, mark)
            elif script[position] == "]":
                in_class = False
            position += 1
        position += 1
    return position


def _class_closes(script: str, position: int, mark: str) -> bool:
    """Whether a bracket expression here really ends before the line does, so that `mark` in it is no end."""
    end = script.find("]", position + 2)
    return mark in script[position:end] and script.count(mark, end) > 0


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
