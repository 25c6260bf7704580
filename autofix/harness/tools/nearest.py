"""Why a passage was not found, and the lines of the file that come closest to it: in time linear in the file."""

import re
from collections import Counter

from autofix.harness.cut import short_line

SHOWN_LINES = 12
"""Enough to see the passage with its surroundings."""

_NUMBERED = re.compile(r"(?:\s*\d+(?:\t|→).*\n?)+")
_WORDS = re.compile(r"\w+|[^\w\s]")


def whats_near(text: str, passage: str) -> str:
    """For the model: a reason where one is plain, and the nearest lines with their numbers."""
    if _NUMBERED.fullmatch(passage):
        return "It begins with line numbers, which Read adds and the file does not have."
    lines, wanted = text.split("\n"), passage.strip("\n").split("\n")
    start = _ignoring_blanks(lines, wanted)
    if start is not None:
        shown = _shown(lines, start, len(wanted))
        return f"It differs in blanks only (indentation, tabs, or at a line's end). The file has:\n{shown}"
    start = _most_alike(lines, wanted)
    if start is None:
        return "Nothing there is like it; Read the file again."
    return f"The nearest lines are:\n{_shown(lines, max(0, start - 1), len(wanted) + 2)}"


def _ignoring_blanks(lines: list[str], wanted: list[str]) -> int | None:
    def bare(text: list[str]) -> list[str]:
        return ["".join(line.split()) for line in text]

    passage, separator = "\n".join(bare(wanted)), "\n"
    if not passage.strip():
        return None
    whole = separator + separator.join(bare(lines)) + separator
    at = whole.find(separator + passage + separator)
    return whole.count(separator, 0, at) if at >= 0 else None


def _most_alike(lines: list[str], wanted: list[str]) -> int | None:
    """The start of as many lines as were wanted that share the most words with them; rare words weigh more."""
    passage = set(_WORDS.findall("\n".join(wanted)))
    found = [passage.intersection(_WORDS.findall(line)) for line in lines]
    common = Counter(word for words in found for word in words)
    scores = [sum(1 / common[word] for word in words) for words in found]
    window = sum(scores[: len(wanted)])
    best, best_start = window, 0
    for start in range(1, max(1, len(lines) - len(wanted) + 1)):
        window += scores[min(start + len(wanted), len(lines)) - 1] - scores[start - 1]
        if window > best + 1e-9:
            best, best_start = window, start
    return best_start if best > 0 else None


def _shown(lines: list[str], start: int, count: int) -> str:
    end = min(len(lines), start + min(max(count, 1), SHOWN_LINES))
    return "\n".join(f"{number + 1}\t{short_line(lines[number])}" for number in range(start, end))
