"""A fix as review suggestions: hunks inside the pull request's diff become comments, the others stay a patch.

GitHub takes a review comment only on lines its own diff of the pull request shows, and refuses the whole review for one
line that is not. A suggestion replaces whole lines of the head commit, so each block of changed lines becomes one
comment; a hunk goes as a whole, either all of it as comments or all of it into the rest.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autofix.ports.github import ReviewComment

if TYPE_CHECKING:
    from unidiff.patch import Hunk, PatchedFile

MAX_COMMENTS = 30
"""More suggestions than a person clicks through one by one; the rest is a patch that applies at once."""

_HUNK_HEADER = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_BACKTICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Suggestions:
    """`rest` is a patch of what cannot be suggested, "" for none; it applies to the head commit."""

    comments: tuple[ReviewComment, ...]
    rest: str


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines `start`..`end` of the head commit become `lines`; the range is never empty."""

    start: int
    end: int
    lines: tuple[str, ...]


def suggest(fix: str, pull_diff: Mapping[str, str | None]) -> Suggestions:
    """Split a fix.

    Args:
        fix: `git diff` of head..fixed, with context.
        pull_diff: path -> that file's hunks in the pull request's diff, as GitHub shows it; None where it shows none.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    try:
        files = PatchSet.from_string(fix)
    except UnidiffParseError:
        return Suggestions((), fix)
    if not files:
        return Suggestions((), fix)
    comments: list[ReviewComment] = []
    rest: list[str] = []
    for file in files:
        shown = _shown_ranges(pull_diff.get(file.path) or "")
        left: list[Hunk] = []
        for hunk in file:
            made = _comments(file, hunk, shown) if _is_plain(file) else None
            if made is None or len(comments) + len(made) > MAX_COMMENTS:
                left.append(hunk)
            else:
                comments += made
        if left or not file:
            rest.append(_patch_of(file, left))
    return Suggestions(tuple(comments), "".join(rest))


def _is_plain(file: "PatchedFile") -> bool:
    """A file whose content alone changes, under a name that needs no quoting."""
    return not (
        file.is_added_file
        or file.is_removed_file
        or file.is_rename
        or file.is_binary_file
        or file.path.startswith('"')
        or file.source_mode != file.target_mode
    )


def _shown_ranges(hunks: str) -> tuple[range, ...]:
    """The lines of the head commit that GitHub's diff of one file shows, context included."""
    return tuple(range(int(match[1]), int(match[1]) + int(match[2] or 1)) for match in _HUNK_HEADER.finditer(hunks))


def _comments(file: "PatchedFile", hunk: "Hunk", shown: tuple[range, ...]) -> list[ReviewComment] | None:
    """The hunk as comments; None where a part of it cannot be one."""
    made: list[ReviewComment] = []
    for block in _blocks(hunk):
        inside = any(block.start in lines and block.end in lines for lines in shown)
        overlaps = bool(made) and block.start <= made[-1].line
        if not inside or overlaps or any("\r" in line for line in block.lines):  # GitHub would write plain line feeds
            return None
        made.append(ReviewComment(file.path, block.start, block.end, _suggestion(block.lines)))
    return made or None


def _blocks(hunk: "Hunk") -> Iterator[_Block]:
    """The hunk's runs of changed lines. A pure insertion takes the line above or below it along."""
    lines = [line for line in hunk if line.line_type in " +-"]
    if any(line.line_type == "\\" for line in hunk):  # a suggestion cannot say that the last line has no end
        yield _Block(0, 0, ())
        return
    at = 0
    while at < len(lines):
        if lines[at].line_type == " ":
            at += 1
            continue
        first = at
        while at < len(lines) and lines[at].line_type != " ":
            at += 1
        run = lines[first:at]
        removed = [line.source_line_no or 0 for line in run if line.is_removed]
        added = tuple(line.value.removesuffix("\n") for line in run if line.is_added)
        if removed:
            yield _Block(removed[0], removed[-1], added)
        elif first > 0:
            above = lines[first - 1]
            number = above.source_line_no or 0
            yield _Block(number, number, (above.value.removesuffix("\n"), *added))
        elif at < len(lines):
            below = lines[at]
            number = below.source_line_no or 0
            yield _Block(number, number, (*added, below.value.removesuffix("\n")))
        else:
            yield _Block(0, 0, ())  # an insertion without any line beside it: an empty file


def _suggestion(lines: tuple[str, ...]) -> str:
    """A suggestion block whose fence no line of it can close."""
    longest = max((len(found) for line in lines for found in _BACKTICKS.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join((f"{fence}suggestion", *lines, fence))


def _patch_of(file: "PatchedFile", hunks: "list[Hunk]") -> str:
    info = str(file.patch_info or "")
    if not hunks:
        return info  # a mode change, a rename, a binary file: it has its header alone
    names = f"--- {file.source_file}\n+++ {file.target_file}\n"
    return info + names + "".join(str(hunk) for hunk in hunks)
