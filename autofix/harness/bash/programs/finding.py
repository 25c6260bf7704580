"""find, fd, xargs, parallel: programs that run others on what they find."""

import re
from collections.abc import Iterable, Sequence

from autofix.harness.bash.deeds import Invoke, Play, Read, Refuse, Starter, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, OPAQUE, known, may_be_option

_FIND_STOPS = frozenset({";", "+"})
_FIND_TESTS = frozenset(
    listed(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime "
        "-mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -maxdepth -mindepth -user -group -uid "
        "-gid -perm -links -inum -samefile -printf -fstype -used -regextype"
    )
)
_FIND_FILES = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_PATHS_ONLY = re.compile(r"[^-!(),]")
DELETES = Refuse("delete-recursive", "find -delete is a recursive forced deletion; delete by name")
_UNKNOWN = Refuse("delete-recursive", "which actions find takes cannot be known; write them out")


def _find(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    roots: list[str] = []
    while words and (_PATHS_ONLY.match(words[0]) or words[0] in {"-H", "-L", "-P"}):
        roots.append(words.pop(0))
    roots = [root for root in roots if not root.startswith("-")] or ["."]
    if any(map(may_be_option, roots)) and not run.completed:
        yield _UNKNOWN
    named = [
        value
        for word, value in zip(words, words[1:], strict=False)
        if word in {"-name", "-iname", "-path", "-wholename"}
    ]
    while words:
        word = words.pop(0)
        if word == "-delete":
            yield DELETES
        elif word in {"-exec", "-execdir", "-ok", "-okdir"}:
            end = next((position for position, one in enumerate(words) if one in _FIND_STOPS), len(words))
            yield from _on_found(words[:end], roots, named)
            del words[: end + 1]
        elif word in {"-fprint", "-fprint0", "-fls", "-fprintf"}:
            yield Write(words.pop(0) if words else "")
        elif word == "-files0-from":
            yield Read(words.pop(0) if words else "")
        elif word in _FIND_TESTS:
            value = words.pop(0) if words else ""
            if word in _FIND_FILES:
                yield Read(value)
        elif may_be_option(word):
            yield _UNKNOWN


def _on_found(template: Sequence[str], roots: Sequence[str], named: Sequence[str]) -> Iterable[Step]:
    """The command, once for what is found below each root."""
    if not template:
        return
    for root in roots:
        for name in named or ["*"]:
            tail = name.lstrip("*/") if "/" in name else name
            found = f"{root.rstrip('/') or ''}/{ANY if name == '*' else ANY + '/' + tail}"
            near = f"{root.rstrip('/') or ''}/{tail}"
            for path in (found,) if name == "*" else (found, near):
                yield Invoke(tuple(word.replace("{}", path) for word in template), starter=Starter.LIST)


def _fd(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    for position, word in enumerate(words):
        if word in {"-x", "-X", "--exec", "--exec-batch"} or word.startswith("--exec"):
            template = words[position + 1 :]
            filled = [one.replace("{}", ANY) for one in template]
            yield Invoke(tuple(filled if filled != template else [*template, ANY]), starter=Starter.LIST)
            return
        if may_be_option(word) and word != ANY:
            yield _UNKNOWN


_XARGS_LONG = listed(
    "arg-file= delimiter= eof replace max-lines max-args= max-procs= max-chars= null no-run-if-empty verbose "
    "interactive exit open-tty process-slot-var= show-limits"
)


def _xargs(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="adEILnPs", long=_XARGS_LONG, optional="eil", stop=True)
    files = found.values_of("a", "arg-file")
    yield from (Read(path) for path in files)
    template = found.operands or ["echo"]
    given = ANY if files else run.stdin
    words = _words_of(given, whole=found.has("0", "null", "d", "delimiter"))
    mark = next(iter(found.values_of("I", "i", "replace")), None)
    if mark is None and found.has("i", "replace"):
        mark = "{}"
    if mark:
        for line in given.splitlines() if given and known(given) else words:
            yield Invoke(tuple(word.replace(mark, line) for word in template), stdin="", starter=Starter.LIST)
    else:
        yield Invoke((*template, *words), stdin="", starter=Starter.LIST)


def _words_of(text: str | None, *, whole: bool) -> list[str]:
    """The words xargs makes of its input; with `whole` it does not part them at blanks."""
    if not text:
        return [ANY]
    if OPAQUE in text:
        return [OPAQUE]
    return [text] if whole and known(text) else text.split()


def _parallel(run: Invocation) -> Iterable[Step]:
    """GNU parallel gives a shell the command with its arguments put in."""
    words = list(run.words)
    sources: list[str] = []
    for mark in (":::", "::::", ":::+"):
        if mark in words:
            position = words.index(mark)
            sources = words[position + 1 :] if mark != "::::" else [ANY]
            words = words[:position]
            break
    else:
        sources = run.stdin.splitlines() if run.stdin and known(run.stdin) else [ANY]
    found = scan(
        words,
        valued="jnNLIaSdEPs",
        long=listed("jobs= max-args= delay= timeout= joblog= results= sshlogin= arg-file= tmpdir="),
        stop=True,
    )
    if found.has("S", "sshlogin"):
        yield Refuse("network", "parallel would run commands on another machine")
    yield from (Write(path, below=True) for path in found.values_of("joblog", "results"))
    template = " ".join(found.operands)
    for source in sources[:40]:
        if not template:
            yield Play(source)
        elif not known(source):
            yield Invoke((*found.operands, source), starter=Starter.LIST)
        elif "{" in template:
            yield Play(re.sub(r"\{[^{}]{0,3}\}", lambda _found, source=source: source, template))
        else:
            yield Play(f"{template} {source}")


TABLE = {
    "find": _find,
    "gfind": _find,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
}
