"""Markdown cut to a limit, with everything that it opened closed again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autofix.harness.cut import byte_length
from autofix.ports.forge import COMMENT_LIMIT

CUT_NOTE = "\n*(cut: the rest is in the run's report)*\n"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_DETAILS = re.compile(r"<(/?)details\b", re.IGNORECASE)
_COMMENT_MARKS = re.compile(r"<!--|-->")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")


@dataclass(frozen=True, slots=True)
class Open:
    """What is open at the end of a line."""

    fence: str = ""
    details: int = 0
    comment: bool = False

    def after(self, line: str) -> "Open":
        fence = _FENCE.match(line)
        if self.fence:
            closes = fence and fence[1].startswith(self.fence) and not fence[2].strip()
            return replace(self, fence="") if closes else self
        if fence and not (fence[1][0] == "`" and "`" in fence[2]):
            return replace(self, fence=fence[1])
        line = _INLINE_CODE.sub("", line)
        marks = _COMMENT_MARKS.findall(line)
        comment = marks[-1] == "<!--" if marks else self.comment
        if self.comment and comment:
            return self
        steps = sum(-1 if found[1] else 1 for found in _DETAILS.finditer(line))
        return replace(self, details=max(0, self.details + steps), comment=comment)

    @property
    def closers(self) -> str:
        return (f"\n{self.fence}\n" if self.fence else "") + "\n</details>\n" * self.details


def fit(markdown: str, limit: int = COMMENT_LIMIT, note: str = CUT_NOTE) -> str:
    """At most `limit` characters, and as many bytes of UTF-8; open fences and <details> are closed after a cut.

    Whole lines are left out, but a line of a code block may be cut: elsewhere half a line could lose what made its
    text harmless.
    """
    if byte_length(markdown) <= limit:
        return markdown
    room = limit - byte_length(note)
    kept: list[str] = []
    size, state = 0, Open()
    safe = (0, state)
    for line in _lines(markdown):
        after = state.after(line)
        size += byte_length(line)
        if size + len(after.closers) > room:
            if state.fence:
                spare = room - (size - byte_length(line)) - len(state.closers)
                kept.append(line.encode("utf-8", "replace")[: max(0, spare)].decode("utf-8", "ignore"))
                safe = (len(kept), state)
            break
        kept.append(line)
        state = after
        if not state.comment:
            safe = (len(kept), state)
    return "".join(kept[: safe[0]]) + safe[1].closers + note


def _lines(text: str) -> Iterator[str]:
    """With their ends; markdown knows fewer of these than `splitlines`."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end
