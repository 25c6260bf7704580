"""Patterns from the model, compiled by RE2: they take linear time, whatever they are."""

import re
from typing import Any

from autofix.errors import TreeError

LONGEST_PATTERN = 2000
"""Characters."""

_GLOB_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|[{},]|.", re.DOTALL)


def line_pattern(pattern: str, *, ignore_case: bool = False) -> Any:
    """A regular expression over bytes of UTF-8, `^` and `$` meaning a line's ends.

    Raises:
        TreeError: it is no pattern RE2 takes (look-around and back-references are none).
    """
    return _compiled(f"(?m){pattern}", ignore_case=ignore_case)


def path_pattern(glob: str) -> Any:
    """A pattern for paths: `*`, `?`, `[...]`, `{a,b}`, `**` over directories; without `/` a name at any depth.

    Raises:
        TreeError: it is not well formed.
    """
    glob = glob.removeprefix("./").lstrip("/")
    anywhere = "" if "/" in glob else "(?:.*/)?"
    return _compiled(rf"(?s)\A{anywhere}{_translated(glob)}\z")


def _compiled(pattern: str, *, ignore_case: bool = False) -> Any:
    import re2

    if len(pattern) > LONGEST_PATTERN:
        raise TreeError(f"The pattern has {len(pattern)} characters; at most {LONGEST_PATTERN} are taken.")
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise TreeError(f"Not a pattern RE2 takes (no look-around, no back-references): {shown}") from error


def _translated(glob: str) -> str:
    depth, parts = 0, []
    for part in _GLOB_PARTS.findall(glob):
        depth += {"{": 1, "}": -1}.get(part, 0)
        parts.append(_part(part, in_braces=depth > 0))
    return "".join(parts)


def _part(part: str, *, in_braces: bool) -> str:
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}
    if part in wild:
        return wild[part]
    if part == "," and in_braces:
        return "|"
    if part[0] == "[" and len(part) > 1:
        inside = part[1:-1].replace("\\", "\\\\")
        return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
    return re.escape(part)
