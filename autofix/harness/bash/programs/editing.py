"""sed, awk, ed and patch: programs with a language of their own, read far enough to see what they write and run."""

import re
from collections.abc import Callable, Iterable, Sequence

from autofix.harness.bash.awk import awk_steps
from autofix.harness.bash.deeds import Read, Refuse, RunFile, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.sed import sed_steps
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import NAME, OPAQUE, known

_COMPUTED = Refuse("opaque-exec", "the script is computed when it runs; write it out")


def _sed(run: Invocation) -> Iterable[Step]:
    long = listed(
        "expression= file= in-place quiet silent regexp-extended null-data separate line-length= posix debug sandbox"
    )
    found = scan(run.words, valued="efl", optional="i", long=long)
    scripts = found.values_of("e", "expression")
    operands = found.operands
    files = found.values_of("f", "file")
    if not scripts and not files:
        scripts, operands = operands[:1], operands[1:]
    for script in scripts:
        yield from sed_steps(script) if known(script) else _partly_known(script)
    yield from _script_files(files, run, sed_steps)
    in_place = found.has("i", "in-place")
    for path in operands:
        yield Write(path) if in_place else Read(path)
    for suffix in found.values_of("i", "in-place"):
        if "/" in suffix:
            yield Refuse("write-scope", "the backup's place cannot be seen")


def _partly_known(script: str) -> Iterable[Step]:
    """A script with a variable in it: what sed makes of its text is anybody's guess, unless it is a number."""
    if (
        OPAQUE in script
        or not re.fullmatch(rf"[\d,$p;+~!dq {NAME}]*|s(.)[^\n]*\1[^\n]*\1g?p?", script)
        or re.search(r"[ewrW]\s*$", script)
    ):
        yield _COMPUTED


def _script_files(paths: Sequence[str], run: Invocation, steps: Callable[[str], Iterable[Step]]) -> Iterable[Step]:
    """Files of `-f`: a script of the model's own is the sandbox's business, a stream is read like an argument."""
    for path in paths:
        if path in run.streams or path.startswith("/dev/") or path == "-":
            text = run.streams.get(path, run.stdin or "")
            yield from steps(text) if known(text) else [_COMPUTED]
        else:
            yield RunFile(path)


def _awk(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words,
        valued="fFviElWe",
        long=listed(
            "file= field-separator= assign= include= load= exec= source= dump-variables profile pretty-print "
            "sandbox posix"
        ),
    )
    if found.has("l", "load", "E", "exec"):
        yield Refuse("opaque-exec", "awk would load code that the command does not show")
    files, operands = found.values_of("f", "file"), found.operands
    programs = found.values_of("e", "source")
    if not files and not programs:
        programs, operands = operands[:1], operands[1:]
    in_place = "inplace" in found.values_of("i", "include")
    for value in found.values_of("o", "p", "d", "dump-variables", "profile", "pretty-print"):
        yield Write(value)
    for program in programs:
        yield from awk_steps(program) if known(program) else [_COMPUTED]
    yield from (Read(value.partition("=")[2]) for value in found.values_of("v", "assign"))
    yield from _script_files(files, run, awk_steps)
    for path in operands:
        if not re.match(r"[A-Za-z_]\w*=", path):
            yield Write(path) if in_place else Read(path)


def _patch(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words, valued="pidoBDFgrVYzl", long=listed("input= directory= output= strip= dry-run reject-file= backup")
    )
    if not found.has("dry-run"):
        yield Refuse(
            "write-scope", "which files a patch changes is not visible; use Edit, or patch --dry-run to try it"
        )
    yield from (Read(path) for path in found.values_of("i", "input"))


def _ed(run: Invocation) -> Iterable[Step]:
    """Ed on one file, with a script that is there to read and neither runs a program nor writes elsewhere."""
    operands = [word for word in run.words if not word.startswith("-")]
    script = run.stdin
    if (
        script is None
        or not known(script)
        or re.search(r"!|^\s*[\d,$.]*\s*[eEfr]\b|^\s*[\d,$.]*\s*[wW]q?[ \t]+\S", script, re.MULTILINE)
    ):
        yield Refuse("opaque-exec", "ed would run commands the gate cannot read; use Edit, or sed")
    yield from (Write(path) for path in operands)


TABLE = {
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), _awk),
    "patch": _patch,
    **dict.fromkeys(("ed", "red"), _ed),
}
