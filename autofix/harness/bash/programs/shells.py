"""Shells: a text they are given is played, a script file is the sandbox's business, and anything else is opaque."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Play, Read, Refuse, RunFile, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known

_FILES = frozenset({"--rcfile", "--init-file"})
_INFORMS = frozenset({"--version", "--help"})
_VALUED = frozenset({*_FILES, "-O", "+O", "-o", "+o"})
HIDDEN = Refuse(
    "opaque-exec", "what the shell would run cannot be seen; write the command itself, or run a script file"
)


def _shell(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    letters = ""
    while words and words[0][:1] in "-+" and words[0] not in {"-", "--"} and len(words[0]) > 1:
        option = words.pop(0)
        if option in _FILES:
            yield from (step for path in words[:1] for step in (*_file(path, (), run), Read(path)))
        if option in _VALUED or (re.fullmatch(r"-[a-zA-Z]*o", option) and "c" not in option):
            del words[:1]
        elif re.fullmatch(r"-[a-zA-Z]+", option):
            letters += option
    if words[:1] in (["-"], ["--"]):
        del words[0]
    if "c" in letters:
        name = (*words[1:2], run.program)[0]
        yield from (Play(text, arguments=tuple(words[2:]), stdin=run.stdin, name=name) for text in words[:1])
    elif words and "s" not in letters:
        yield from _file(words[0], tuple(words[1:]), run)
    elif not _INFORMS.intersection(run.words):
        yield Play(run.stdin, arguments=tuple(words)) if run.stdin is not None and known(run.stdin) else HIDDEN


def _file(path: str, arguments: tuple[str, ...], run: Invocation) -> Iterable[Step]:
    if path in run.streams:
        yield Play(run.streams[path], arguments=arguments)
    elif path.startswith(("/dev/", "/proc/")):
        yield Play(run.stdin, arguments=arguments) if run.stdin is not None and known(run.stdin) else HIDDEN
    elif not known(path) and not run.completed:
        yield HIDDEN
    else:
        yield RunFile(path)


TABLE = dict.fromkeys(listed("sh bash dash ash ksh mksh zsh rbash fish csh tcsh yash"), _shell)
