"""Text for the place it goes to: markdown on GitHub, the runner's log. Commit messages hold no text of others.

Everything a pull request, a test, a log or the model could have written passes one of these functions before people or
machines read it. The order for all that leaves is: redact, escape for the target, cut to its limit.
"""

import re

from autofix.harness.fence import revealed

GAP = "&#8203;"
"""A zero-width space as an entity: renders as nothing, and neither GitHub nor a mail program sees a name behind it."""

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
_STRUCTURE = {char: f"\\{char}" for char in "\\`*_[]~$"}
_MARKDOWN = str.maketrans(_ENTITIES | _STRUCTURE | {"@": f"@{GAP}", "#": f"#{GAP}"})

_LINE_START = re.compile(r"^[ \t]*([-+=:]|\d{1,9}(?=[.)]))?", re.MULTILINE)
_LINKED = re.compile(r"(?i):(?=//)|www(?=\.)|(?<![a-z0-9])gh-(?=\d)")
_BACKTICKS = re.compile("`+")


def for_markdown(text: str) -> str:
    """Text that stays text in GitHub's markdown: no mention, reference, link, image, HTML or block comes of it."""
    safe = revealed(text).translate(_MARKDOWN)
    safe = _LINKED.sub(lambda found: f"{found[0]}{GAP}", safe)
    return _LINE_START.sub(_plain_start, safe)


def for_markdown_line(text: str) -> str:
    """The same on one line: for a table's cell, a heading, an item of a list, a summary."""
    return for_markdown(" ".join(text.split()))


def _plain_start(found: re.Match[str]) -> str:
    """Without indentation (no code block), and with what would begin a list or a rule taken literally."""
    start = found[1] or ""
    if start.isdigit():
        return f"{GAP}{start}"
    return f"\\{start}" if start else ""


def code_block(text: str, language: str = "") -> str:
    """A fenced block that nothing in it can close. Ends without a newline."""
    inside = revealed(text).removesuffix("\n")
    fence = "`" * max(3, _longest_backticks(inside) + 1)
    return f"{fence}{re.sub('[^A-Za-z0-9+-]', '', language)}\n{inside}\n{fence}"


def inline_code(text: str, *, in_table: bool = False) -> str:
    """Code within a line; "" for nothing but blanks.

    In a table a bar would end the cell and with it the code; renderers disagree on how to escape it there, so there
    it is HTML's code with markdown's escapes.
    """
    inside = " ".join(revealed(text).split())
    if not inside:
        return ""
    if in_table:
        return f"<code>{for_markdown_line(text)}</code>"
    fence = "`" * (_longest_backticks(inside) + 1)
    pad = " " if inside.startswith("`") or inside.endswith("`") else ""
    return f"{fence}{pad}{inside}{pad}{fence}"


def _longest_backticks(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


_COMMAND_V2 = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_COMMAND_V1 = re.compile(r"##(?=\[)")


def for_log(text: str) -> str:
    r"""Whole lines for the runner's log, in which it will find no workflow command, in neither syntax.

    The runner splits at `\n` and at a lone `\r`; it takes `::x::` after blanks at a line's start, `##[x]` anywhere.
    """
    safe = _COMMAND_V2.sub(r"\1: ", revealed(text))
    return _COMMAND_V1.sub("## ", safe)
