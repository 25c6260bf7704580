"""Programs that run another one under some condition: what matters is the one they run."""

import re
from collections.abc import Callable, Iterable

from autofix.harness.bash.deeds import Invoke, Play, Refuse, Starter, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known
from autofix.harness.bash.variables import refused_assignment, refused_reading

_DUMP = Refuse("secrets", "this prints the whole environment; print the one variable you need")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def _env(run: Invocation) -> Iterable[Step]:
    long = listed(
        "ignore-environment unset= chdir= split-string= null debug block-signal default-signal ignore-signal argv0="
    )
    found = scan(run.words, valued="uCSa", long=long, stop=True)
    for text in found.values_of("S", "split-string"):
        yield Play(" ".join(["env", text, *found.operands]), arguments=())
        return
    words, passed = list(found.operands), []
    while words and (assignment := _ASSIGNMENT.fullmatch(words[0])):
        words.pop(0)
        passed.append((assignment[1], assignment[2]))
        if refusal := refused_assignment(assignment[1], assignment[2]):
            yield refusal
    if words:
        directory = next(iter(found.values_of("C", "chdir")), None)
        yield Invoke(tuple(words), starter=run.passed_on, directory=directory, environment=tuple(passed))
    else:
        yield _DUMP


def _printenv(run: Invocation) -> Iterable[Step]:
    names = [word for word in run.words if not word.startswith("-")]
    if not names:
        yield _DUMP
    for name in names:
        refusal = refused_reading(name) if known(name) else _DUMP
        if refusal:
            yield refusal


def _wrapping(
    valued: str = "", long: str = "", *, skip: int = 0, writes: str = ""
) -> Callable[[Invocation], Iterable[Step]]:
    """A wrapper with these options, `skip` operands of its own, and options that name a file it writes."""

    def table(run: Invocation) -> Iterable[Step]:
        found = scan(run.words, valued=valued, long=long.split(), stop=True)
        yield from (Write(path) for path in found.values_of(*writes.split()))
        words = found.operands[skip:]
        if words:
            yield Invoke(tuple(words), starter=run.passed_on)

    return table


def _attaching(run: Invocation) -> Iterable[Step]:
    """Tracers: harmless around a program, not on another process, and not where they print its environment."""
    found = scan(run.words, valued="aeEoOpPsSuUIbXz", long=listed("attach= pid= output= trace= no-abbrev"), stop=True)
    if found.has("p", "attach", "pid"):
        yield Refuse("privilege", f"{run.program} would look into another process")
    traced = found.values_of("e", "trace")
    if found.has("v", "no-abbrev") or any("verbose" in one or "abbrev" in one or "v=" in one for one in traced):
        yield Refuse("secrets", f"{run.program} would print the whole environment of what it starts")
    yield from (Write(path) for path in found.values_of("o", "output"))
    if found.operands:
        yield Invoke(tuple(found.operands), starter=run.passed_on)


def _busybox(run: Invocation) -> Iterable[Step]:
    if run.words and not run.words[0].startswith("-"):
        yield Invoke(run.words, starter=run.passed_on)


def _script(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="cITOBEo", long=listed("command= log-in= log-out= log-io= log-timing= timing"))
    for text in found.values_of("c", "command"):
        yield Play(text)
    yield from (
        Write(path) for path in [*found.operands, *found.values_of("I", "O", "B", "log-in", "log-out", "log-io")]
    )


def _flock(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="wEc", long=listed("timeout= wait= conflict-exit-code= command="), stop=True)
    words = found.operands
    yield from (Write(path) for path in words[:1] if not path.isdigit())
    if words[1:2] == ["-c"]:
        yield Play(" ".join(words[2:]))
    elif words[1:]:
        yield Invoke(tuple(words[1:]), starter=Starter.PROGRAM)
    yield from (Play(text) for text in found.values_of("c", "command"))


def _watch(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="nqs", long=listed("interval= exec"), stop=True)
    if found.operands:
        yield Play(" ".join(found.operands))


def _command_lines(run: Invocation) -> Iterable[Step]:
    """Every operand is a command of its own (`concurrently`, `hyperfine`)."""
    found = scan(run.words, valued="nNwrmMPSLpcuik", long=listed(_COMMAND_LINES_LONG))
    yield from (Write(path) for path in found.values_of("export-json", "export-markdown", "export-csv", "output"))
    for text in [*found.operands, *found.values_of("p", "prepare", "setup", "cleanup", "conclude", "c")]:
        yield Play(text)


_COMMAND_LINES_LONG = (
    "names= prefix= warmup= runs= min-runs= max-runs= prepare= setup= cleanup= conclude= shell= export-json= "
    "export-markdown= export-csv= output= style= time-unit= input= ignore-failure show-output kill-others raw "
    "max-processes= success= group"
)


def _cross_env(run: Invocation) -> Iterable[Step]:
    """`cross-env NAME=value program …`, as env but without its options."""
    yield Invoke(("env", *run.words), starter=run.passed_on)


def _chosen_version(run: Invocation) -> Iterable[Step]:
    """`pyenv exec python`, `mise exec -- node`: a tool's version is chosen, then it runs."""
    words = list(run.words)
    if words[:1] in (["exec"], ["x"]):
        rest = words[words.index("--") + 1 :] if "--" in words else words[1:]
        yield Invoke(tuple(rest), starter=run.passed_on)
    elif words and words[0] not in _VERSIONS:
        yield Refuse("network", f"{run.program} {words[0]} changes what is installed, or which of it is used")


_VERSIONS = frozenset(listed("version versions --version which current list ls root"))

TABLE = {
    "env": _env,
    "printenv": _printenv,
    **dict.fromkeys(("nohup", "setsid", "unbuffer", "catchsegv", "eatmydata", "winpty"), _wrapping()),
    "timeout": _wrapping("ks", "kill-after= signal= preserve-status foreground verbose", skip=1),
    "gtimeout": _wrapping("ks", "kill-after= signal= preserve-status foreground verbose", skip=1),
    "nice": _wrapping("n", "adjustment="),
    "ionice": _wrapping("cnpPu", "class= classdata="),
    "chrt": _wrapping("", "", skip=1),
    "taskset": _wrapping("", "", skip=1),
    "stdbuf": _wrapping("ioe", "input= output= error="),
    "time": _wrapping("fo", "format= output=", writes="o output"),
    "xvfb-run": _wrapping("efnsplw", "server-num= server-args= error-file= auth-file= auto-servernum"),
    "dbus-run-session": _wrapping("", "config-file= dbus-daemon="),
    "faketime": _wrapping("f", "", skip=1),
    "valgrind": _wrapping("", "log-file= xml-file=", writes="log-file xml-file"),
    "chronic": _wrapping(),
    "ts": _wrapping(),
    "rlwrap": _wrapping(),
    "exec": _wrapping("a"),
    "command": _wrapping(),
    "builtin": _wrapping(),
    "retry": _wrapping("td"),
    "prlimit": _wrapping(),
    **dict.fromkeys(("strace", "ltrace"), _attaching),
    **dict.fromkeys(("busybox", "toybox"), _busybox),
    **dict.fromkeys(("concurrently", "hyperfine"), _command_lines),
    **dict.fromkeys(("cross-env", "cross-env-shell"), _cross_env),
    **dict.fromkeys(("pyenv", "rbenv", "nodenv", "asdf", "mise", "rtx"), _chosen_version),
    "ccache": _wrapping(),
    "script": _script,
    "flock": _flock,
    "watch": _watch,
}
