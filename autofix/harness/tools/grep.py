"""Grep: lines of the tree's text files, or of a kept result, that match a regular expression.

Tier: read. No side effects; repeatable. Files in order of their paths; binary files, files over `SEARCHED_BYTES` and
build directories are left out. Cut: the first `head_limit` lines of output; the search itself stops there, or after
`TOTAL_BYTES`, and says so.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from autofix.errors import TreeError
from autofix.harness.cut import short_line
from autofix.harness.policy import Tier
from autofix.harness.tool_input import ToolInput, said
from autofix.harness.tools.file_text import EDITABLE_BYTES, LOOKED_AT
from autofix.harness.tools.listing import files_below
from autofix.harness.tools.patterns import line_pattern, path_pattern
from autofix.harness.tools.place import ARTIFACT, kept
from autofix.harness.tools.tool import Tool, ToolOutcome, Workshop

SEARCHED_BYTES = EDITABLE_BYTES
TOTAL_BYTES = 256 * 1024 * 1024
"""Read per call; a second or so."""
HEAD_LIMIT = 100
"""Lines of output where the call names no figure."""
LINE_CHARACTERS = 300
"""Shown of a matching line; Read shows more."""


@dataclass(frozen=True, slots=True)
class Input(ToolInput):
    pattern: str = said(description="RE2 syntax")
    path: str | None = said(None, description="file or directory")
    glob: str | None = None
    output_mode: Literal["files_with_matches", "content", "count"] = "files_with_matches"
    ignore_case: bool = said(default=False, name="-i")
    numbers: bool = said(default=True, name="-n")
    before: int | None = said(None, name="-B", least=0, most=50)
    after: int | None = said(None, name="-A", least=0, most=50)
    around: int = said(0, name="-C", least=0, most=50)
    head_limit: int = said(HEAD_LIMIT, least=1, most=1000)

    @property
    def context(self) -> tuple[int, int]:
        """Lines shown before and after a match."""
        before = self.around if self.before is None else self.before
        return before, self.around if self.after is None else self.after


def act(wanted: Input, workshop: Workshop) -> ToolOutcome:
    search = Search(wanted, line_pattern(wanted.pattern, ignore_case=wanted.ignore_case), workshop)
    shown: list[str] = []
    for line in search.output():
        if len(shown) == wanted.head_limit:
            search.notes.append(f"only the first {wanted.head_limit} lines; narrow the search for more")
            break
        shown.append(line)
    return ToolOutcome("\n".join([*(shown or ["No matches."]), *(f"[{note}]" for note in search.notes)]))


@dataclass(frozen=True, slots=True)
class Search:
    """One call's search. `notes` fills with what was left out."""

    wanted: Input
    pattern: Any
    workshop: Workshop
    notes: list[str] = field(default_factory=list)

    def output(self) -> Iterator[str]:
        for name, content in self._sources():
            if self._whole_text_tells and not self.pattern.search(content):
                continue
            lines = content.split(b"\n")
            match self.wanted.output_mode:
                case "files_with_matches":
                    if any(self.pattern.search(line) for line in lines):
                        yield name
                case "count":
                    if count := sum(1 for line in lines if self.pattern.search(line)):
                        yield f"{name}:{count}"
                case "content":
                    yield from self._lines(name, lines)

    @property
    def _whole_text_tells(self) -> bool:
        """Whether a text without a match has no line with one either; not so for anchors to the text's own ends."""
        return r"\A" not in self.wanted.pattern and r"\z" not in self.wanted.pattern

    def _sources(self) -> Iterator[tuple[str, bytes]]:
        path = self.wanted.path
        if path and path.startswith(ARTIFACT):
            yield path, kept(path, self.workshop)
            return
        total = skipped = 0
        for name, size in self._names():
            if size > SEARCHED_BYTES:
                skipped += 1
                continue
            total += size
            if total > TOTAL_BYTES:
                self.notes.append(f"stopped before {name}: {TOTAL_BYTES >> 20} MB searched; name a path")
                break
            content = self._content(name)
            if b"\0" not in content[:LOOKED_AT]:
                yield name, content
        if skipped:
            self.notes.append(f"not searched, over {SEARCHED_BYTES >> 20} MB: {skipped}")

    def _names(self) -> Iterator[tuple[str, int]]:
        wanted = path_pattern(self.wanted.glob) if self.wanted.glob else None
        for name, below, size in files_below(self.wanted.path, self.workshop):
            if wanted is None or wanted.match(below.encode("utf-8", "replace")):
                yield name, size

    def _content(self, name: str) -> bytes:
        try:
            return self.workshop.tree.read(name, SEARCHED_BYTES).content.replace(b"\r\n", b"\n")
        except TreeError:  # it went away, or grew, between the listing and now
            return b""

    def _lines(self, name: str, lines: list[bytes]) -> Iterator[str]:
        """Matching lines as `path:12:text`, their neighbours as `path-11-text`, `--` between stretches."""
        lines_before, lines_after = self.wanted.context
        before: deque[int] = deque(maxlen=lines_before)
        shown_to, after = -1, 0
        for number, line in enumerate(lines):
            matches = bool(self.pattern.search(line))
            if not matches and not after:
                before.append(number)
                continue
            after = lines_after if matches else after - 1
            if lines_before + lines_after and 0 <= shown_to < (before[0] if before else number) - 1:
                yield "--"
            yield from (self._shown(name, earlier, lines[earlier], "-") for earlier in before)
            before.clear()
            yield self._shown(name, number, line, ":" if matches else "-")
            shown_to = number

    def _shown(self, name: str, number: int, line: bytes, sign: str) -> str:
        text = self.workshop.redactor.text(line.decode("utf-8", "replace"))
        where = f"{name}{sign}{number + 1}{sign}" if self.wanted.numbers else f"{name}{sign}"
        return where + short_line(text, LINE_CHARACTERS)


TOOL = Tool(
    name="Grep",
    description="Search files, or a kept result (path artifact:NAME), by regular expression.",
    input=Input,
    tier=Tier.READ,
    act=act,
    shown=8 * 1024,
)
