"""Shells: a text they are given is played, a script file is the sandbox's business, and anything else is opaque."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Play, Read, Refuse, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known

_VALUED = frozenset({"--rcfile", "--init-file", "-O", "+O", "-o", "+o"})
HIDDEN = Refuse(
    "opaque-exec", "what the shell would run cannot be seen; write the command itself, or run a script file"
)


def _shell(run: Invocation) -> Iterable[Step]:
    words, text = list(run.words), False
    while words and words[0][:1] in "-+" and words[0] not in {"-", "--"} and len(words[0]) > 1:
        word = words.pop(0)
        if word in _VALUED:
            if words and word in {"--rcfile", "--init-file"}:
                yield Read(words[0])
            del words[:1]
        elif re.fullmatch(r"-[a-zA-Z]+", word):
            text = text or "c" in word
            if word.endswith("o") and "c" not in word:
                del words[:1]
    if words and words[0] in {"-", "--"}:
        del words[0]
    if text:
        if words:
            yield Play(words[0], arguments=tuple(words[2:]), stdin=run.stdin, name=(*words[1:2], run.program)[0])
        return
    if words and not any(
        re.fullmatch(r"-[a-zA-Z]*s[a-zA-Z]*", word) for word in run.words[: len(run.words) - len(words)]
    ):
        yield from _file(words[0], tuple(words[1:]), run)
    elif run.stdin is not None:
        yield Play(run.stdin, arguments=tuple(words)) if known(run.stdin) else HIDDEN


def _file(path: str, arguments: tuple[str, ...], run: Invocation) -> Iterable[Step]:
    if path in run.streams:
        yield Play(run.streams[path], arguments=arguments)
    elif path.startswith(("/dev/", "/proc/")):
        yield Play(run.stdin, arguments=arguments) if run.stdin is not None and known(run.stdin) else HIDDEN
    elif not known(path) and not run.completed:
        yield HIDDEN
    else:
        yield Read(path)


TABLE = dict.fromkeys(listed("sh bash dash ash ksh mksh zsh rbash fish csh tcsh yash"), _shell)
