"""find, fd, xargs, parallel: programs that run others on what they find."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from autofix.harness.bash.deeds import Invoke, Play, Read, Refuse, Starter, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, OPAQUE, known, may_be_option

_FIND_STOPS = frozenset({";", "+"})
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_NAMES = frozenset({"-name", "-iname", "-path", "-wholename"})
_FIND_OTHERWISE = frozenset({"!", "-not", "-o", "-or", ","})
"""With one of these, more is found than what has the names."""
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fls", "-fprintf"})
_FIND_READS = frozenset({"-newer", "-anewer", "-cnewer", "-samefile", "-files0-from"})
_FIND_VALUED = _FIND_READS | frozenset(
    listed(
        "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime "
        "-mmin -atime -amin -ctime -cmin -newermt -maxdepth -mindepth -user -group -uid -gid -perm -links -inum "
        "-printf -fstype -used -regextype"
    )
)
_EXPRESSION = frozenset("-!(),")
_LINKS = frozenset({"-H", "-L", "-P"})
DELETES = Refuse("delete-recursive", "find -delete is a recursive forced deletion; delete by name")
_UNKNOWN = Refuse("delete-recursive", "which actions find takes cannot be known; write them out")


def _find(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    start = next(
        (place for place, word in enumerate(words) if word[:1] in _EXPRESSION and word not in _LINKS), len(words)
    )
    roots = [root for root in words[:start] if root not in _LINKS] or ["."]
    if any(map(may_be_option, roots)) and not run.completed:
        yield _UNKNOWN
    names = names_of(words)
    del words[:start]
    while words:
        word = words.pop(0)
        if word == "-delete":
            yield DELETES
        elif word in _FIND_RUNS:
            end = next((position for position, one in enumerate(words) if one in _FIND_STOPS), len(words))
            yield from _on_found(words[:end], roots, names)
            del words[: end + 1]
        elif word in _FIND_WRITES:
            yield from map(Write, words[:1])
        elif word in _FIND_VALUED:
            value = words[:1]
            del words[:1]
            if word in _FIND_READS:
                yield from map(Read, value)
        elif may_be_option(word):
            yield _UNKNOWN


def names_of(words: Sequence[str]) -> list[str]:
    """The names that find looks for, where it looks for nothing else; "*" for any."""
    if _FIND_OTHERWISE.intersection(words):
        return ["*"]
    return [value for option, value in pairwise(words) if option in _FIND_NAMES] or ["*"]


def _on_found(template: Sequence[str], roots: Sequence[str], names: Sequence[str]) -> Iterable[Step]:
    """The command, once for what is found below each root."""
    if not template:
        return
    for root in roots:
        for name in names:
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
    given = ANY if files and files[-1] not in {"-", "/dev/stdin"} else run.stdin
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


MOST_JOBS = 40
"""Jobs of one `parallel` that are looked at one by one."""
_PARALLEL_LONG = listed("jobs= max-args= delay= timeout= joblog= results= sshlogin= arg-file= tmpdir=")
_PLACE = re.compile(r"\{[^{}]{0,3}\}")


def _parallel(run: Invocation) -> Iterable[Step]:
    """GNU parallel gives a shell the command with its arguments put in."""
    words, sources = _sources(run)
    found = scan(words, valued="jnNLIaSdEPs", long=_PARALLEL_LONG, stop=True)
    if found.has("S", "sshlogin"):
        yield Refuse("network", "parallel would run commands on another machine")
    if len(sources) > MOST_JOBS:
        yield Refuse("too-compound", "parallel would run too many commands to follow; put them into a script file")
    yield from (Write(path, below=True) for path in found.values_of("joblog", "results"))
    template = " ".join(found.operands)
    for source in sources[:MOST_JOBS]:
        if not template:
            yield Play(source)
        elif not known(source):
            yield Invoke((*found.operands, source), starter=Starter.LIST)
        elif _PLACE.search(template):
            yield Play(_PLACE.sub(source.replace("\\", r"\\"), template))
        else:
            yield Play(f"{template} {source}")


def _sources(run: Invocation) -> tuple[list[str], list[str]]:
    """The words of the command, and what is put into it: arguments after `:::`, or lines of standard input."""
    words = list(run.words)
    place = next((place for place, word in enumerate(words) if word in {":::", "::::", ":::+"}), None)
    if place is not None:
        return words[:place], [ANY] if words[place] == "::::" else words[place + 1 :]
    return words, run.stdin.splitlines() if run.stdin and known(run.stdin) else [ANY]


TABLE = {
    "find": _find,
    "gfind": _find,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
}
