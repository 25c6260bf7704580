"""Reads an awk program far enough to find what leaves it: `system`, pipes, files written and read, the environment.

The program is cut into tokens, so that text in strings, regular expressions and comments is never taken for code.
"""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Play, Read, Refuse, Step, Write
from autofix.harness.bash.escapes import ansi_c
from autofix.harness.bash.values import OPAQUE
from autofix.harness.bash.variables import refused_reading
from autofix.harness.secret_places import refusal as refused_place

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")|(?P<blank>[ \t\r]+|\\\n)|(?P<name>@?[A-Za-z_]\w*)|"""
    r"""(?P<number>[\d.]+)"""
    r"""|(?P<operator>\|&|\|\||&&|>>|>=|<=|==|!=|!~|[-+*/%^]=|\+\+|--|[^\s\w"])|(?P<newline>\n)""",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])*/", re.DOTALL)
_VALUE_ENDS = frozenset({")", "]", "$", "++", "--"})
_HIDDEN = Refuse(
    "opaque-exec", "this awk program runs something that is computed, or cannot be read; write it more simply"
)
_TARGET = Refuse("write-scope", "which file awk writes cannot be known; write its name")


def awk_steps(program: str) -> Iterable[Step]:
    """What an awk program would do beyond printing."""
    tokens = _tokens(program)
    return [_HIDDEN] if tokens is None else list(_steps(tokens))


def _tokens(program: str) -> list[tuple[str, str]] | None:
    tokens: list[tuple[str, str]] = []
    position = 0
    while position < len(program):
        before = tokens[-1] if tokens else ("", "")
        divides = before[0] in {"name", "number", "string"} or before[1] in _VALUE_ENDS
        if program[position] == "/" and (not divides or before[1] in {"return", "print", "case", "in"}):
            found = _REGEX.match(program, position)
            if found is None:
                return None
            tokens.append(("regex", found[0]))
        else:
            found = _TOKEN.match(program, position)
            if found is None:
                return None
            kind = found.lastgroup or ""
            if kind not in {"comment", "blank"}:
                tokens.append((kind, found[0]))
        position = found.end()
    return tokens


def _steps(tokens: list[tuple[str, str]]) -> Iterable[Step]:
    printing, depth = False, 0
    for place, (kind, text) in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else ("", "")
        if kind == "name":
            if text in {"print", "printf"}:
                printing, depth = True, 0
            yield from _named(text, tokens, place)
        elif kind == "string":
            yield from _place(_text(text))
        elif text in {"(", "["}:
            depth += 1
        elif text in {")", "]"}:
            depth -= 1
        elif kind == "newline" or text in {";", "}", "{"}:
            printing = False
        elif text in {"|", "|&"}:
            yield from _piped(tokens, place)
        elif text in {">", ">>"} and printing and depth <= 0:
            end = tokens[place + 2] if place + 2 < len(tokens) else ("", "")
            yield _file(following, end, Write)


def _named(text: str, tokens: list[tuple[str, str]], place: int) -> Iterable[Step]:
    rest = tokens[place + 1 : place + 4]
    if text == "system":
        literal = len(rest) == 3 and rest[0][1] == "(" and rest[1][0] == "string" and rest[2][1] == ")"  # noqa: PLR2004 - ( text )
        yield Play(_text(rest[1][1])) if literal else _HIDDEN
    elif text == "getline":
        after = [token for token in tokens[place + 1 : place + 6] if token[0] != "newline"]
        marks = [number for number, token in enumerate(after) if token[1] == "<"]
        if marks and marks[0] <= 2 and marks[0] + 1 < len(after):  # noqa: PLR2004 - getline, getline x, getline x[
            end = after[marks[0] + 2] if marks[0] + 2 < len(after) else ("", "")
            yield _file(after[marks[0] + 1], end, Read)
    elif text in {"ENVIRON", "PROCINFO"}:
        name = _text(rest[1][1]) if len(rest) > 1 and rest[0][1] == "[" and rest[1][0] == "string" else ""
        refusal = refused_reading(name) if name else Refuse("secrets", "ENVIRON holds the whole environment")
        if refusal is not None and text == "ENVIRON":
            yield refusal
    elif text in {"@load", "@include"} or text.startswith("@"):
        yield _HIDDEN


def _piped(tokens: list[tuple[str, str]], place: int) -> Iterable[Step]:
    """`print | "command"` or `"command" | getline`."""
    before, after = tokens[place - 1] if place else ("", ""), tokens[place + 1] if place + 1 < len(tokens) else ("", "")
    command = before if after[1] == "getline" else after
    beside = (
        tokens[place - 2]
        if after[1] == "getline" and place > 1
        else tokens[place + 2]
        if place + 2 < len(tokens)
        else ("", "")
    )
    if command[0] != "string" or beside[0] in {"string", "name", "number"}:
        yield _HIDDEN
    else:
        fed = OPAQUE if command is after else None
        yield Play(_text(command[1]), stdin=fed)


def _file(token: tuple[str, str], end: tuple[str, str], kind: type[Read] | type[Write]) -> Step:
    if token[0] != "string" or end[0] in {"string", "name", "number"} or end[1] in {"$", "("}:
        return _TARGET if kind is Write else Read("")
    return kind(_text(token[1]))


def _place(text: str) -> Iterable[Step]:
    """A text that names a place of secrets, whichever variable carries it to `getline`."""
    if "/" in text and refused_place(text):
        yield Read(text)


def _text(token: str) -> str:
    return ansi_c(token[1:-1].replace("\\/", "/"))
