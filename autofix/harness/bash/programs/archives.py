"""Archives and mirrors: what is packed is read, and where things are unpacked is written."""

import posixpath
import re
from collections.abc import Iterable, Sequence

from autofix.harness.bash.deeds import Delete, Read, Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed

_RUNS = Refuse("opaque-exec", "this option makes the archiver run another program")
_REMOVES = Refuse("delete-recursive", "this option deletes what was packed or mirrored")
_TAR_LONG = listed(
    "create extract get list append update delete diff compare catenate concatenate file= directory= exclude= "
    "exclude-from= files-from= to-command= use-compress-program= checkpoint-action= checkpoint rsh-command= "
    "info-script= new-volume-script= remove-files absolute-names one-top-level transform= xform= strip-components= "
    "to-stdout gzip bzip2 xz zstd verbose listed-incremental= newer= owner= group= mode= mtime= sort= format= "
    "exclude-vcs null unlink-first recursive-unlink"
)
_TAR_RUNS = (
    "to-command",
    "use-compress-program",
    "checkpoint-action",
    "rsh-command",
    "info-script",
    "new-volume-script",
    "I",
    "F",
)


def _listed_files(paths: Sequence[str], run: Invocation) -> Iterable[Step]:
    """Files whose lines name the files that are packed or copied."""
    for path in paths:
        lines = run.stdin if path in {"-", "/dev/stdin"} else run.streams.get(path)
        if lines is None:
            yield Read(path)
        else:
            yield from (Read(line) for line in lines.splitlines())


def _tar(run: Invocation) -> Iterable[Step]:
    words = list(run.words)
    if words and not words[0].startswith("-") and re.fullmatch(r"[A-Za-z]+", words[0]):
        words = _old_style(words)
    found = scan(words, valued="fCXTIFgbNVHK", long=_TAR_LONG)
    if found.has(*_TAR_RUNS):
        yield _RUNS
    if found.has("remove-files", "recursive-unlink"):
        yield _REMOVES
    if found.uncertain:
        yield Refuse("write-scope", "which options tar gets cannot be known; write them out")
    yield from _listed_files(found.values_of("T", "files-from"), run)
    archives = found.values_of("f", "file")
    base = found.values_of("C", "directory")
    if any(re.match(r"[^/]+:", archive) for archive in archives):
        yield Refuse("network", "tar would open an archive on another machine")
    if found.has("x", "extract", "get"):
        yield from (Read(archive) for archive in archives)
        if not found.has("O", "to-stdout"):
            tops = [value for name, value in found.options if name == "one-top-level" and value]
            yield Write((tops or base or ["."])[-1], below=True)
            if found.has("P", "absolute-names"):
                yield Refuse("write-scope", "with -P the archive decides where files go")
    elif found.has("c", "create", "r", "append", "u", "update", "A", "catenate", "concatenate", "delete"):
        yield from (Write(archive) for archive in archives if archive != "-")
        yield from (Read(posixpath.join(base[-1] if base else "", path), below=True) for path in found.operands)
    else:
        yield from (Read(archive) for archive in archives)


def _old_style(words: list[str]) -> list[str]:
    """`tar czf FILE -C DIR x`: the letters' values follow in the letters' order."""
    letters, rest = words[0], words[1:]
    made: list[str] = []
    for letter in letters:
        made.append("-" + letter)
        if letter in "fCXTIFgbNVHK" and rest:
            made.append(rest.pop(0))
    return made + rest


def _unzip(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="dPx")
    yield from (Read(path) for path in found.operands[:1])
    if not found.has("l", "t", "p", "Z", "z", "v", "c"):
        yield Write((found.values_of("d") or ["."])[-1], below=True)


def _zip(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="bintxPZ", long=["unzip-command=", "move", "test", "recurse-paths", "output-file="])
    if found.has("TT", "unzip-command") or any(word.startswith("-TT") for word in run.words):
        yield _RUNS
    if found.has("m", "move"):
        yield _REMOVES
    yield from (Write(path) for path in [*found.operands[:1], *found.values_of("O", "output-file")])
    yield from (Read(path, below=True) for path in found.operands[1:])


def _compress(run: Invocation) -> Iterable[Step]:
    """Gzip and its kin replace a file by another one, unless told otherwise."""
    found = scan(
        run.words,
        valued="SbT",
        long=listed("stdout to-stdout keep test list suffix= decompress force recursive"),
        optional="",
    )
    yield from (Read(path) for path in found.operands)
    if found.has("c", "stdout", "to-stdout", "t", "test", "l", "list"):
        return
    below = found.has("r", "recursive")
    for path in found.operands:
        made = re.sub(r"\.(gz|bz2|xz|zst|lzma|Z)$", "", path)
        yield Write(made if made != path else path + ".gz")
        if not found.has("k", "keep"):
            yield Delete(path, below=below)


def _cpio(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words,
        valued="DEFHIOCMR",
        long=["extract", "pass-through", "list", "directory=", "file=", "create", "to-stdout"],
    )
    yield from (Write(path) for path in found.values_of("O", "F", "file"))
    if found.has("rsh-command"):
        yield _RUNS
    if found.has("o", "create", "p", "pass-through"):
        yield from _listed_files(["-"], run)
    if found.has("i", "extract", "p", "pass-through") and not found.has("t", "list", "to-stdout"):
        targets = found.operands if found.has("p", "pass-through") else []
        yield Write((targets or found.values_of("D", "directory") or ["."])[-1], below=True)


def _seven_zip(run: Invocation) -> Iterable[Step]:
    if run.words[:1] not in {("l",), ("t",), ("i",), ("h",)}:
        yield Refuse("write-scope", "what 7z writes cannot be known from the command; use tar")


def _ar(run: Invocation) -> Iterable[Step]:
    operands = [word for word in run.words if not word.startswith("-")]
    if operands and re.search(r"[rdqm]", operands[0]):
        yield from (Write(path) for path in operands[1:2])
    elif operands and "x" in operands[0]:
        yield Write(".", below=True)


_RSYNC_LONG = listed(
    "rsh= rsync-path= delete delete-before delete-during delete-after delete-delay delete-excluded "
    "delete-missing-args remove-source-files exclude= include= filter= files-from= exclude-from= include-from= "
    "log-file= backup-dir= temp-dir= partial-dir= link-dest= compare-dest= copy-dest= dry-run archive recursive "
    "verbose daemon chmod= out-format= info="
)


def _rsync(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="efTBM", long=_RSYNC_LONG)
    if any(name.startswith(("delete", "remove-s", "del")) for name, _ in found.options) or found.uncertain:
        yield _REMOVES
    if found.has("e", "rsh", "rsync-path", "daemon"):
        yield _RUNS
    if any(re.match(r"(rsync://|[^/]+:)", path) for path in found.operands):
        yield Refuse("network", "rsync would contact another machine")
    if found.has("n", "dry-run"):
        return
    yield from _listed_files(found.values_of("files-from"), run)
    yield from (Read(path, below=True) for path in found.operands[:-1])
    yield from (Write(path, below=True) for path in found.operands[-1:] if len(found.operands) > 1)
    yield from (
        Write(path, below=True) for path in found.values_of("log-file", "backup-dir", "temp-dir", "partial-dir", "T")
    )


TABLE = {
    **dict.fromkeys(("tar", "bsdtar", "gtar"), _tar),
    "unzip": _unzip,
    "zip": _zip,
    **dict.fromkeys(
        listed("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma compress uncompress pigz lz4"), _compress
    ),
    "cpio": _cpio,
    **dict.fromkeys(("7z", "7za", "7zr"), _seven_zip),
    "ar": _ar,
    "rsync": _rsync,
    "zipinfo": lambda run: [Read(word) for word in run.words if not word.startswith("-")],
}
