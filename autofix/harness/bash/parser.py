"""Two bash grammars, which must agree: shfmt (mvdan/sh) gives the tree, tree-sitter-bash must see the same commands.

Each is known to misread some text the other reads rightly, and a command that a parser loses is a command that nobody
judges. So an error in either, or a simple command that only one of them sees, is a refusal. Nothing is run to find out,
and what is too long or too compound for a person to follow is refused before any parser sees it.
"""

import re
import sys
import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autofix.harness.bash import shfmt
from autofix.harness.bash.syntax import Script, Unparsed
from autofix.ports.program import MINIMAL_ENVIRONMENT, Programs

if TYPE_CHECKING:
    from tree_sitter import Parser, Query

LONGEST = 8 * 1024
"""Bytes. A model's command is a few hundred; what needs more belongs into a script file."""
MOST_COMMANDS = 100
"""Simple commands at all depths; a limit must deny, not pass the rest unseen."""
SECONDS = 5.0
"""For one run of shfmt, which takes some 3 ms; past it something is wrong."""
TREE_BYTES = 8 * 1024 * 1024
"""Of shfmt's answer: about 100 bytes of JSON for a byte of bash, times ten."""

_SUSPECT = re.compile(r"[^\t\n\x20-\x7e]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control, format and surrogate characters and of separators of lines and paragraphs."""


def unreadable(text: str) -> Unparsed | None:
    """Why a text is refused before it is parsed; None where it may be parsed."""
    if len(text) > LONGEST:
        return _too_long(len(text))
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return Unparsed("invalid-utf-8", "the command is not valid UTF-8")
    if size > LONGEST:
        return _too_long(size)
    for found in _SUSPECT.finditer(text):
        char = found[0]
        if unicodedata.category(char) in _INVISIBLE:
            reason = f"the command holds an invisible or control character (U+{ord(char):04X}); write it without"
            return Unparsed("control-character", reason)
    return None


def _too_long(size: int) -> Unparsed:
    return Unparsed("too-long", f"the command has {size} bytes, more than {LONGEST}; put it into a script file")


def _too_compound(commands: int) -> Unparsed:
    reason = f"it runs {commands} commands, more than {MOST_COMMANDS}; put them into a script file"
    return Unparsed("too-compound", reason)


_OUTPUT = rb"\d?>{1,2}(?:&\d|[\w./-]+)"
_HERE_DOCUMENT_FIRST = re.compile(
    rb"""(<<-?[ \t]*(?:'[^'\n]*'|"[^"\n]*"|\\?\w+))([ \t]+)(%b(?:[ \t]+%b)*)""" % (_OUTPUT, _OUTPUT)
)
"""A here-document's mark, blanks, and plain redirections of output after it."""


_PLAIN_REDIRECT = rb"\d?(?:>{1,2}|<)[ \t]*(?:&\d|[\w./-]+)[ \t]+"
_HERE_STRING_LAST = re.compile(
    rb"""((?:%b){1,4})(<<<[ \t]*(?:'[^'\n]*'|"(?:[^"\\`$\n]|\$\w)*"|[\w./-]+|\$\w+))""" % _PLAIN_REDIRECT
)
"""Plain redirections, and a here-string after them."""


class TwoGrammars:
    """`syntax.BashParser` over shfmt in a child process and tree-sitter in this one."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def parse(self, text: str) -> Script | Unparsed:
        refusal = unreadable(text)
        if refusal is not None:
            return refusal
        data = text.encode()
        second = second_opinion(data)
        if second is None:
            second = second_opinion(_reordered(data))
        if second is None:
            return _unparsable("")
        if len(second) > MOST_COMMANDS:
            return _too_compound(len(second))
        return self._first_opinion(data, second)

    def _first_opinion(self, data: bytes, second: frozenset[int]) -> Script | Unparsed:
        """The tree of shfmt, where it agrees with `second`."""
        answer = self._programs.run(
            [_shfmt(), "-ln=bash", "--to-json"],
            data,
            timeout=SECONDS,
            environment=MINIMAL_ENVIRONMENT,
            output_limit=TREE_BYTES,
        )
        if answer.exit_code != 0 or answer.timed_out or answer.overflowed:
            return _unparsable(_words_of(answer.stderr))
        try:
            script, starts, doubtful = shfmt.read(answer.stdout)
        except (ValueError, KeyError, RecursionError):
            return Unparsed("parse-error", "this uses bash in a way the gate cannot read; write it more simply")
        if script.simple_commands > MOST_COMMANDS:
            return _too_compound(script.simple_commands)
        if not starts - doubtful <= second <= starts:
            return Unparsed("parsers-disagree", "two readings of this command differ; write it more simply")
        return script


def _reordered(data: bytes) -> bytes:
    """`cat <<'E' 2>&1 | head` as `cat 2>&1 <<'E' | head`, which tree-sitter can read; the same to bash.

    And `cat >f <<<x` as `cat <<<x >f`, for the same reason. Nothing changes its place but the redirections, so that
    what is found elsewhere is found where it stands.
    """
    return _HERE_STRING_LAST.sub(_swapped, _HERE_DOCUMENT_FIRST.sub(rb"\3\2\1", data))


def _swapped(found: re.Match[bytes]) -> bytes:
    before = found[1].rstrip()
    return found[2] + found[1][len(before) :] + before


def _unparsable(why: str) -> Unparsed:
    return Unparsed("parse-error", f"this does not parse as bash{why}; write it more simply")


def _words_of(stderr: bytes) -> str:
    words = stderr.decode("utf-8", "replace").replace("<standard input>", "line").strip().partition("\n")[0]
    return f" ({words[:120]})" if words else ""


@cache
def _shfmt() -> str:
    """The program's path, from this very installation: a PATH could name another."""
    beside = Path(sys.executable).parent / "shfmt"
    if sys.prefix != sys.base_prefix and beside.is_file():  # a virtual environment holds what was installed with us
        return str(beside)
    from importlib.metadata import PackageNotFoundError, files  # late: 25 ms of imports

    try:
        installed = next((one for one in files("shfmt-py") or () if one.name in {"shfmt", "shfmt.exe"}), None)
    except PackageNotFoundError:
        installed = None
    return str(Path(str(installed.locate())).resolve() if installed is not None else beside)


@cache
def _grammar() -> "tuple[Parser, Query]":
    import tree_sitter_bash  # late: start-up time
    from tree_sitter import Language, Parser, Query

    language = Language(tree_sitter_bash.language())
    return Parser(language), Query(language, "(command name: (command_name) @name)")


def second_opinion(data: bytes) -> frozenset[int] | None:
    """Where tree-sitter sees simple commands start; None where it sees an error."""
    from tree_sitter import QueryCursor

    parser, names = _grammar()
    tree = parser.parse(data)
    if tree.root_node.has_error:
        return None
    return frozenset(node.start_byte for node in QueryCursor(names).captures(tree.root_node).get("name", ()))
