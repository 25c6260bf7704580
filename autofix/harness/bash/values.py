"""Text of which a part cannot be known without running something.

A value is a plain string in which marks stand for the unknown parts. The marks are lone surrogates: no UTF-8 text can
hold them, so that nothing a command says can be taken for one.
"""

import re

NAME = "\ud800"
"""Some text without `/` or blanks, not empty, not `..`, no option: a number, a base name."""
ANY = "\ud801"
"""Some text from a harmless source: a listing, a line of a file, a variable of the environment."""
OPAQUE = "\ud802"
"""Text that was computed or decoded; a command could have hidden anything in it."""
OWN_PROCESS = "\ud803"
"""The id of a process that this very command started."""

_MARKS = NAME + ANY + OPAQUE + OWN_PROCESS
_MARK = re.compile(f"[{_MARKS}]")
_GLOB = re.compile(r"[*?\[]")


LONGEST = 16 * 1024
"""Characters of a value that is followed; `x=$x$x` doubles at every step."""


def short(text: str) -> str:
    """The text, or an opaque one where it has grown too long to follow."""
    return text if len(text) <= LONGEST else OPAQUE


def known(text: str) -> bool:
    """Nothing of it is unknown."""
    return _MARK.search(text) is None


def may_be_option(word: str) -> bool:
    """Whether bash could hand the program an option here that is not written in the command."""
    return word[:1] in {ANY, OPAQUE}


def readable(text: str) -> str:
    """For reasons and records: the marks as an ellipsis."""
    return _MARK.sub("…", text)


def first_named(path: str, places: str) -> str | None:
    """The first of `places` (one a line) that a path with unknown parts and glob characters may name.

    Matched in time linear in both: a path is hostile.
    """
    import re2  # late: start-up time

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    found = re2.compile(f"(?m)^(?:{_pattern_of(path)})$", options).search(places)
    return None if found is None else str(found[0])


def _pattern_of(path: str) -> str:
    """The path as a regular expression that stays within a line."""
    pieces = []
    position = 0
    while position < len(path):
        char = path[position]
        if char in _MARKS:
            pieces.append(r"[^/\n]+" if char in {NAME, OWN_PROCESS} else ".*")
        elif char == "*":
            pieces.append(r"[^/\n]*")
        elif char == "?":
            pieces.append(_ONE)
        elif char == "[" and (end := path.find("]", position + 2)) > 0:
            pieces.append(_bracket(path[position + 1 : end]))
            position = end
        else:
            pieces.append(re.escape(char))
        position += 1
    return "".join(pieces)


_ONE = r"[^/\n]"


def _bracket(inside: str) -> str:
    """A bracket expression; where its meaning is not plain, any character."""
    if not known(inside) or "/" in inside or ":" in inside or "\n" in inside:
        return _ONE
    negated = inside[0] in "!^"
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
    try:
        re.compile(f"[{body}]")
    except re.error:
        return _ONE
    return rf"[^\n{body}]" if negated else f"[{body}]"


def has_glob(text: str) -> bool:
    return _GLOB.search(text) is not None
