"""Source text of any language, as three views of the same lines: without comments, without strings, without both.

A scanner, no parser: it knows how comments and strings begin and end, which is enough to tell words of code from words
about code.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_SLASHES = re.compile(rf"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))|(?P<string>`(?:\\.|[^`\\])*`|{_STRINGS})")
_RUST = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.[^']*|[^'\\\n])')"
)
_HASHES = re.compile(rf"(?P<comment>#(?![{{\[!])[^\n]*|^=begin\b(?:.|\n)*?^=end)|(?P<string>{_STRINGS})", re.MULTILINE)
_BOTH = re.compile(rf"(?P<comment>//[^\n]*|#(?!\[)[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))|(?P<string>{_STRINGS})")
_PYTHON = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<string>\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)|"
    + _STRINGS
    + ")",
    re.DOTALL,
)
_BY_SUFFIX = {
    **dict.fromkeys(("py", "pyi", "pyw"), _PYTHON),
    **dict.fromkeys(("rb", "rake", "sh", "bash", "bats", "t", "pl", "yml", "yaml", "toml"), _HASHES),
    "php": _BOTH,
    "rs": _RUST,
}
_PROSE = frozenset({"md", "rst", "txt", "adoc", "html", "csv", "json", "lock", "svg"})


@dataclass(frozen=True, slots=True)
class Views:
    """Lines of one text, equally many in each view.

    Attributes:
        code: without comments.
        bare: without comments and without what strings hold.
        unquoted: without what strings hold.
    """

    code: tuple[str, ...]
    bare: tuple[str, ...]
    unquoted: tuple[str, ...]


def is_prose(path: str) -> bool:
    """Whether a file's text is read by people or as data, so that no word in it means anything to a tool."""
    return path.rpartition(".")[2] in _PROSE


def views(content: bytes | None, path: str) -> Views:
    """The views of a file; every line as it is where its language is not known."""
    return _views(b"" if content is None else content, path.rpartition(".")[2])


@lru_cache(maxsize=8)
def _views(content: bytes, suffix: str) -> Views:
    text = content.decode("utf-8", "replace")
    scanner = _BY_SUFFIX.get(suffix, _SLASHES)

    def without(*kinds: str) -> tuple[str, ...]:
        return tuple(scanner.sub(lambda match: _blank(match, kinds), text).splitlines())

    return Views(without("comment"), without("comment", "string"), without("string"))


def _blank(match: re.Match[str], kinds: tuple[str, ...]) -> str:
    """The match, or only its line ends (of a string its quotes, too)."""
    if match.lastgroup not in kinds:
        return match[0]
    inner = "".join(re.findall(r"[\n\r]", match[0]))
    return inner if match.lastgroup == "comment" else f"{match[0][0]}{inner}{match[0][0]}"
