"""Programs that make, copy, move, link or change files by name."""

import posixpath
import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Delete, MakeDirectory, Read, Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import Scanned, scan
from autofix.harness.bash.tables import is_set_id, listed
from autofix.harness.bash.values import may_be_option

_COPY_LONG = listed(
    "target-directory= no-target-directory suffix= backup recursive archive link symbolic-link force "
    "remove-destination parents preserve no-preserve= reflink sparse= update verbose strip-trailing-slashes "
    "attributes-only dereference no-dereference interactive no-clobber mode= owner= group= directory compare"
)
_SET_ID = re.compile(r"[ugoa]*[+=][rwxXt]*s|[ugoa,+=rwxXt-]*[,+=][rwxXt]*s|0*[2-7][0-7]{3}")
_UNKNOWN = Refuse("write-scope", "which options or files are meant cannot be known; write them out")


def _copy(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="tSmog" if run.program == "install" else "tS", long=_COPY_LONG)
    if run.program == "install" and found.has("d", "directory"):
        yield from (MakeDirectory(path) for path in found.operands)
        return
    if run.program == "install":
        yield from (step for mode in found.values_of("m", "mode") for step in _mode(mode))
    sources, target, directory = _ends(found)
    below = found.has("r", "R", "a", "recursive", "archive")
    for source in sources:
        if may_be_option(source) and not run.completed:
            yield _UNKNOWN
        yield Read(source, below=below)
        if is_set_id(source):
            yield Refuse("privilege", "a copy of a set-uid program changes whose rights a program has")
        if found.has("l", "s", "link", "symbolic-link"):
            yield Write(source)  # whoever writes to the link writes to its target
        yield from _arrive(source, target, directory, below=below)


def _move(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="tS", long=_COPY_LONG)
    sources, target, directory = _ends(found)
    if found.uncertain:
        yield _UNKNOWN
    for source in sources:
        yield Delete(source, below=True)
        yield from _arrive(source, target, directory, below=False)


def _ends(found: Scanned) -> tuple[list[str], str, bool]:
    """Sources, target, and whether the target must be a directory."""
    given = found.values_of("t", "target-directory")
    if given:
        return found.operands, given[0], True
    if len(found.operands) < 2:  # noqa: PLR2004 - a source and a target
        return found.operands, "", False
    target = found.operands[-1]
    return found.operands[:-1], target, len(found.operands) > 2 or target.endswith("/") or target in {".", ".."}  # noqa: PLR2004


def _arrive(source: str, target: str, directory: bool, *, below: bool) -> Iterable[Step]:
    """Where a source may come to lie: at the target, or in it where that is a directory."""
    if not target:
        return
    inside = posixpath.join(target, posixpath.basename(source.rstrip("/")) or ".")
    if directory:
        yield Write(inside, below=below)
    else:
        yield Write(target, below=below, or_in=inside)


def _link(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="tS", long=[*_COPY_LONG, "symbolic", "relative", "physical", "logical"])
    sources, target, directory = _ends(found)
    if not target and sources:
        target, directory = ".", True
    symbolic, relative = found.has("s", "symbolic"), found.has("r", "relative")
    for source in sources:
        place = posixpath.join(target, posixpath.basename(source)) if directory else target
        yield Write(place)
        from_link = symbolic and not relative and not source.startswith("/")
        yield Write(posixpath.join(posixpath.dirname(place), source) if from_link else source)  # the way it opens
        yield Read(posixpath.join(posixpath.dirname(place), source) if from_link else source)


def _tee(run: Invocation) -> Iterable[Step]:
    yield from (Write(path) for path in scan(run.words, long=["append", "ignore-interrupts", "output-error"]).operands)


def _dd(run: Invocation) -> Iterable[Step]:
    for word in run.words:
        name, _, value = word.partition("=")
        if name == "of":
            yield Write(value)
        elif name == "if":
            yield Read(value)
        elif may_be_option(word):
            yield _UNKNOWN


def _truncate(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="srdt", long=listed("size= reference= date= time= no-create io-blocks"))
    yield from (Write(path) for path in found.operands)
    if found.uncertain:
        yield _UNKNOWN


def _mkdir(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="m", long=listed("mode= parents verbose"))
    yield from (step for mode in found.values_of("m", "mode") for step in _mode(mode))
    yield from (MakeDirectory(path) for path in found.operands)


def _mkfifo(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="m", long=["mode="])
    yield from (Write(path) for path in found.operands)


def _mknod(run: Invocation) -> Iterable[Step]:
    if not {"p"}.intersection(run.words):
        yield Refuse("privilege", "devices are not for this run to make")
    yield from _mkfifo(run)


def _chmod(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    below = any(word in {"-R", "--recursive"} or re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*", word) for word in words)
    reference = [word for word in words if word.startswith("--ref")]
    operands = [word for word in words if not re.fullmatch(r"-[Rvcf]+|--[a-z-]+(=.*)?", word)]
    if reference:
        yield Refuse("privilege", "which mode is set cannot be known; write the mode")
    else:
        yield from _mode(operands[0] if operands else "")
        operands = operands[1:]
    yield from (Write(path, below=below) for path in operands)


def _mode(mode: str) -> Iterable[Step]:
    if _SET_ID.search(mode) if not mode.isdigit() else _SET_ID.fullmatch(mode):
        yield Refuse("privilege", "set-uid and set-gid bits change whose rights a program has")
    elif may_be_option(mode):
        yield Refuse("privilege", "which mode is set cannot be known")


def _owner(_run: Invocation) -> Iterable[Step]:
    yield Refuse("privilege", "owners, attributes and access lists are not for this run to change")


def _in_place(run: Invocation) -> Iterable[Step]:
    yield from (Write(path) for path in run.words if not path.startswith("-"))


def _mktemp(run: Invocation) -> Iterable[Step]:
    operands = [word for word in run.words if not word.startswith("-")]
    inside = any(word.startswith(("-t", "-p", "--tmpdir")) for word in run.words)
    yield from (Write(path) for path in operands if not inside or "/" in path)


def _script(run: Invocation) -> Iterable[Step]:
    yield Refuse("opaque-exec", f"{run.program} changes files by commands the gate cannot read; use Edit, or sed")


TABLE = {
    **dict.fromkeys(("cp", "install"), _copy),
    "mv": _move,
    **dict.fromkeys(("ln", "link"), _link),
    "tee": _tee,
    "sponge": _tee,
    "dd": _dd,
    **dict.fromkeys(("truncate", "touch", "fallocate"), _truncate),
    "mkdir": _mkdir,
    "mkfifo": _mkfifo,
    "mknod": _mknod,
    "chmod": _chmod,
    **dict.fromkeys(("chown", "chgrp", "chattr", "setfacl", "setfattr"), _owner),
    **dict.fromkeys(("dos2unix", "unix2dos", "rename", "prename", "strip"), _in_place),
    "mktemp": _mktemp,
    **dict.fromkeys(("vi", "vim", "nvim", "view", "emacs", "nano", "pico", "joe", "micro", "ex"), _script),
}
