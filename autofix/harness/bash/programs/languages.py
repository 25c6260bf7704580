"""Interpreters other than Python's: their inline code is searched for what acts, conservatively.

These languages are not parsed. Code that only computes and prints passes; code in which something that runs, writes,
deletes or connects is named must name its target as plain text, and is refused otherwise.
"""

import re
from collections.abc import Callable, Iterable

from autofix.harness.bash.deeds import Delete, Read, Refuse, RunFile, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.programs.language_patterns import LUA, NODE, PERL, PHP, RUBY, Language
from autofix.harness.bash.values import OPAQUE, known
from autofix.harness.bash.variables import refused_reading
from autofix.harness.secret_places import refusal as refused_place

_COMPUTED = Refuse(
    "opaque-exec", "the code that would run is computed or comes from elsewhere; write it in a file or inline"
)
_RUNS = Refuse("opaque-exec", "this code runs other programs or code; run them directly")
_CONNECTS = Refuse("network", "this code uses the network, which the sandbox does not have")
_DUMPS = Refuse("secrets", "this code reads the whole environment; read the one variable you need")
_HIDDEN_TARGET = Refuse("write-scope", "which file this code writes or deletes cannot be seen; name it as plain text")
_PRIVILEGE = Refuse("privilege", "this code changes users or rights")
_KILLS = Refuse("process-kill", "this code signals processes")
_TREE = Refuse("delete-recursive", "this code deletes whole directories")

_TEXT = r"""\s*\(?\s*(?:"([^"\\$#]*)"|'([^'\\]*)')"""
"""A call's first argument as plain text."""


_KILLING = r"\bkill\b\s*\(?\s*['\"]?[\w-]|process\.kill|Process\.kill|posix_kill|Deno\.kill"
_STRINGS = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")


def _steps(text: str, language: Language) -> Iterable[Step]:
    if re.search(language.runs, text):
        yield _RUNS
    if re.search(language.connects, text):
        yield _CONNECTS
    if re.search(language.environment, text):
        yield _DUMPS
    for found in re.finditer(language.one_variable, text):
        refusal = refused_reading(found[1])
        if refusal or not found[1]:
            yield refusal or _DUMPS
    if re.search(language.trees, text):
        yield _TREE
    if re.search(language.rights, text) or _gives_rights(text):
        yield _PRIVILEGE
    if re.search(_KILLING, text):
        yield _KILLS
    for pattern in language.writes:
        yield from _targets(pattern, text, Write)
    yield from _targets(language.deletes, text, Delete)
    yield from places_in(text)


_CHMOD = re.compile(r"\bchmod\w*([^;\n]*)")
_NUMBER = re.compile(r"\b(0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|[1-9][0-9]*)\b")
_LETTERS_SET_ID = re.compile(r"[ugoa]*[+=][rwxXt]*s")


def _gives_rights(text: str) -> bool:
    """Whether a set-uid or set-gid bit is among the modes, in whatever notation of numbers."""
    for found in _CHMOD.finditer(text):
        if any(_value(number) & 0o6000 for number in _NUMBER.findall(found[1])) or _LETTERS_SET_ID.search(found[1]):
            return True
    return False


def _value(number: str) -> int:
    if number[:2] in {"0x", "0X"}:
        return int(number, 16)
    return int(number.lstrip("0oO") or "0", 8) if number.startswith("0") else int(number)


def _targets(pattern: str, text: str, kind: type[Write] | type[Delete]) -> Iterable[Step]:
    for found in re.finditer(pattern, text):
        target = re.match(_TEXT, text[found.end() :])
        path = (target[1] or target[2] or "") if target else ""
        mode = re.match(r"\s*\+?>{1,2}\s*", path)
        path = path[mode.end() :] if mode else path
        yield kind(path) if path else _HIDDEN_TARGET


def places_in(text: str) -> Iterable[Step]:
    """Texts that name a place where secrets lie."""
    for found in _STRINGS.finditer(text):
        path = found[1] or found[2] or ""
        if "/" in path and len(path) < 300 and refused_place(path):  # noqa: PLR2004 - no path is longer
            yield Read(path)


_LINE_ENDS = re.compile(r"-([a-km-zA-KN-Z]*)(?:l[0-7]*|0[0-7]+)(?=[a-zA-Z]+$)")
"""`-l` and `-0` before other letters: digits may be their own value, and nothing else that follows is."""


def _interpreter(
    language: Language, inline: str, valued: str, *, in_place: str = "", long: str = ""
) -> Callable[[Invocation], Iterable[Step]]:
    """An interpreter whose letters `inline` take code; `in_place` is the letter that edits the operands."""

    def table(run: Invocation) -> Iterable[Step]:
        found = scan(
            [_LINE_ENDS.sub(r"-\1", word) for word in run.words],
            valued=valued + inline,
            optional=in_place + "l0xD",
            long=long.split(),
            stop=not in_place,
        )
        codes = found.values_of(*inline, "eval", "print")
        if run.program == "php" and found.has("i"):
            yield _DUMPS
        modules = "\n".join(f"require {module}" for module in found.values_of(*"Mmr".replace(inline, ""), "require"))
        if modules:
            yield from _steps(modules, language)
        for loaded in found.values_of("r", "require", "import", "loader"):
            if loaded in run.streams or loaded.startswith(("/dev/", "/proc/")):
                yield _COMPUTED
        yield from (step for code in codes for step in (_steps(code, language) if known(code) else [_COMPUTED]))
        operands = found.operands
        if codes:
            edits = bool(in_place) and found.has(in_place)
            yield from (Write(path) if edits else Read(path) for path in operands)
        elif operands and operands[0] != "-":
            yield from _file(operands[0], run)
        elif run.stdin:
            yield from _steps(run.stdin, language) if known(run.stdin) else [_COMPUTED]

    return table


def _file(path: str, run: Invocation) -> Iterable[Step]:
    if path in run.streams or path.startswith(("/dev/", "/proc/")) or (not known(path) and not run.completed):
        yield _COMPUTED
    else:
        yield RunFile(path)


_CODE = re.compile(
    r"-{1,2}(e|E|c|C|r|p|x|s|eval|print|expr|exec\w*|cmd|command\w*|run|main)([=: ].*)?|-[eE][^a-z].*", re.DOTALL
)
"""Options that take code, in whatever language."""


def _opaque(run: Invocation) -> Iterable[Step]:
    """A language of which only files are run."""
    files = [word for word in run.words if not word.startswith("-")]
    if any(map(_CODE.fullmatch, run.words)) or not files:
        yield _COMPUTED
    yield from (Read(path) for path in files[:1])


def _sqlite(run: Invocation) -> Iterable[Step]:
    text = " ".join(run.words[1:]) + " " + (run.stdin or "")
    if OPAQUE in text or re.search(
        r"\.(shell|system|output|once|import|read|save|backup|restore|load|log|open|excel|archive)|writefile|load_extension|readfile|edit\(|attach",
        text,
        re.IGNORECASE,
    ):
        yield _RUNS
    operands = [word for word in run.words if not word.startswith("-")]
    yield from (Write(path) for path in operands[:1] if path != ":memory:")


_perl = _interpreter(PERL, "eE", "IMmCdVF", in_place="i")
_ruby = _interpreter(RUBY, "e", "rICEKWxF", in_place="i")

TABLE = {
    "perl": _perl,
    "ruby": _ruby,
    **dict.fromkeys(
        ("node", "nodejs"),
        _interpreter(NODE, "ep", "rC", long="eval= print= require= import= loader= test check"),
    ),
    "php": _interpreter(PHP, "r", "dcBRFEStz"),
    **dict.fromkeys(("lua", "luajit"), _interpreter(LUA, "e", "l")),
    **dict.fromkeys(
        (
            "tclsh",
            "expect",
            "osascript",
            "guile",
            "racket",
            "R",
            "Rscript",
            "julia",
            "elixir",
            "erl",
            "ghci",
            "runghc",
            "jshell",
            "groovy",
            "scala",
            "swipl",
            "octave",
            "gnuplot",
            "m4",
            "pwsh",
            "nu",
            "elvish",
            "xonsh",
            "iex",
            "irb",
            "pry",
        ),
        _opaque,
    ),
    "sqlite3": _sqlite,
    "java": lambda run: [Read(word) for word in run.words[:1] if not word.startswith("-")],
}
