"""Brace expansion: `a{b,c}` and `{1..9}`, of a text and a mask that says which of its characters are unquoted (`l`)."""

import itertools
import re

from autofix.harness.bash.parameters import Shell
from autofix.harness.bash.values import NAME, OPAQUE

MOST_FIELDS = 256
"""Of one word; what makes more is not written by someone who wants to be understood."""
_SEQUENCE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def expanded(text: str, mask: str, shell: Shell) -> list[tuple[str, str]]:
    """The word for each choice of its brace expansions."""
    done: list[tuple[str, str]] = []
    waiting = [(text, mask)]
    while waiting:
        text, mask = waiting.pop(0)
        group = _first_group(text, mask)
        if group is None:
            done.append((text, mask))
        else:
            start, end, choices = group
            waiting[:0] = [
                (text[:start] + choice + text[end + 1 :], mask[:start] + kinds + mask[end + 1 :])
                for choice, kinds in choices
            ]
        if len(waiting) + len(done) > MOST_FIELDS:
            shell.refuse("opaque-exec", "a brace expansion makes too many words; write them out")
            return [(OPAQUE, "q")]
    return done


def _first_group(text: str, mask: str) -> tuple[int, int, list[tuple[str, str]]] | None:
    """The first brace expansion that is one: its ends, and its choices with their masks."""
    start = -1
    while (start := text.find("{", start + 1)) >= 0:
        if mask[start] != "l":
            continue
        depth, commas = 0, [start]
        for position in range(start, len(text)):
            if mask[position] != "l":
                continue
            depth += (text[position] == "{") - (text[position] == "}")
            if text[position] == "," and depth == 1:
                commas.append(position)
            if depth == 0:
                ends = [*commas, position]
                if len(commas) > 1:
                    choices = [(text[a + 1 : b], mask[a + 1 : b]) for a, b in itertools.pairwise(ends)]
                    return start, position, choices
                if series := _series(text[start + 1 : position]):
                    return start, position, [(one, "q" * len(one)) for one in series]
                break
    return None


def _series(inside: str) -> list[str]:
    found = _SEQUENCE.fullmatch(inside)
    if found is None:
        return []
    first, last, step = found[1], found[2], abs(int(found[3] or 1)) or 1
    letters = first.isalpha() and last.isalpha()
    if not letters and (first.isalpha() or last.isalpha()):
        return []
    low, high = (ord(first), ord(last)) if letters else (int(first), int(last))
    if abs(high - low) // step > MOST_FIELDS:
        return [NAME]
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    return [chr(number) if letters else str(number) for number in numbers]
