"""`/autofix …` in a comment -> commands. Quoted text, code and hidden comments hold none.

A command is a line that starts with `/autofix`. Whether its author may give it is not asked here.
"""

import re
from dataclasses import dataclass
from enum import Enum

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)")
"""A code fence, also one inside a list item."""

_MAX_COMMANDS = 20
"""In one comment; no person writes more, and each may cost work."""

_MAX_TEXT = 2000
"""Characters of free text a command keeps (`remember`, a reason)."""


class Verb(Enum):
    RUN = "run"
    APPROVE = "approve"
    DENY = "deny"
    STOP = "stop"
    RETRY = "retry"
    EXPLAIN = "explain"
    REMEMBER = "remember"
    REVERT = "revert"


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `id` is set for approve and deny alone; `text` is deny's reason or what to remember, untrusted."""

    verb: Verb
    id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A comment, read.

    Attributes:
        unknown: why a `/autofix` line is no command, one line each; to be answered with HELP.
    """

    commands: tuple[Command, ...]
    unknown: tuple[str, ...] = ()


HELP = """\
- `/autofix run` fix the failing checks now
- `/autofix retry` start over on the present head
- `/autofix stop` end the run
- `/autofix approve ID` allow what the run asked for
- `/autofix deny ID [why]` refuse it
- `/autofix explain` say what happened and why
- `/autofix remember TEXT` teach it something about this repository
- `/autofix revert` undo its last commit"""


def parse_commands(body: str) -> Reading:
    commands: list[Command] = []
    unknown: list[str] = []
    for line in _spoken_lines(body):
        word, _, rest = line.partition(" ")
        if word != "/autofix":
            continue
        if len(commands) + len(unknown) >= _MAX_COMMANDS:
            unknown.append(f"only the first {_MAX_COMMANDS} commands of a comment are read")
            break
        parsed = _parse(rest.strip())
        if isinstance(parsed, Command):
            commands.append(parsed)
        else:
            unknown.append(parsed)
    return Reading(tuple(commands), tuple(unknown))


def _spoken_lines(body: str) -> list[str]:
    """The lines a reader sees as the author's own words: no quote, no code block, no hidden comment.

    A line right under a quoted one is shown inside the quote, so it is no word of the author's either. Whatever is
    indented may be part of a list's code, and no command needs it.
    """
    lines: list[str] = []
    fence = ""
    hidden = quoted = False
    for raw in body.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if fence:
            fence = "" if _closes(raw, fence) else fence
            continue
        line, hidden = _without_hidden(raw, hidden=hidden)
        if opened := _FENCE.fullmatch(line):
            if not (opened[1][0] == "`" and "`" in opened[2]):
                fence = opened[1]
            continue
        quoted = line.lstrip().startswith(">") or (quoted and bool(line.strip()))
        if not quoted and line[:1] not in {" ", "\t"}:
            lines.append(" ".join(line.split()))
    return lines


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _without_hidden(line: str, *, hidden: bool) -> tuple[str, bool]:
    """The part of a line outside HTML comments, and whether the next line starts inside one."""
    kept: list[str] = []
    while line:
        before, mark, after = line.partition("-->" if hidden else "<!--")
        if not hidden:
            kept.append(before)
        if not mark:
            break
        hidden = not hidden
        line = after
    return "".join(kept), hidden


def _parse(text: str) -> Command | str:
    """A command, or why it is none."""
    name, _, rest = text.partition(" ")
    verb = next((one for one in Verb if one.value == name.casefold()), None)
    if verb is None:
        return f"there is no command {name[:40]!r}" if name else "`/autofix` needs a command"
    match verb:
        case Verb.APPROVE | Verb.DENY:
            id_, _, why = rest.partition(" ")
            if not _ID.fullmatch(id_):
                return f"`{verb.value}` needs the id of what was asked"
            if verb is Verb.APPROVE and why:
                return "`approve` takes one id and nothing else"
            return Command(verb, id_, why[:_MAX_TEXT])
        case Verb.REMEMBER:
            return Command(verb, text=rest[:_MAX_TEXT]) if rest else "`remember` needs a text"
        case _:
            return f"`{verb.value}` takes no argument" if rest else Command(verb)
