"""Programs that only read: their operands are files, except where the first one is a pattern or a script."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Read, Refuse, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import OPAQUE

_PLAIN = listed(
    "cat head tail wc tac rev nl od hexdump strings cut paste comm join fold fmt pr column expand unexpand tsort "
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum cmp file stat readlink realpath ls dir "
    "vdir du tr base64 base32 basenc zcat bzcat xzcat bat batcat numfmt look nm objdump "
    "readelf size ldd addr2line zdiff colordiff cloc tokei scc exa eza lsd hexyl namei delta htmlq gron"
)
_SILENT = listed(
    "basename dirname expr seq factor cal uname arch nproc getconf locale id whoami groups logname tty who w users "
    "uptime free df sleep true false yes which whereis type pwd echo printf test [ pgrep pidof pstree lsof "
    "vmstat iostat tput clear reset stty lscpu lsblk lsb_release hostid dpkg-query infocmp mktemp getopt mpstat "
    "pidstat c++filt uconv"
)


def _operands(run: Invocation) -> Iterable[Step]:
    """Every word may name a file, glued to an option or not."""
    for word in run.words:
        yield from reads(word)
        if word.startswith(("--files0-from=-", "--files0-from=/dev/")):
            yield from (Read(line) for line in (run.stdin or "").replace("\0", "\n").splitlines())


def reads(word: str) -> Iterable[Step]:
    """The files that a word may name."""
    if word.startswith("-"):
        name, equals, value = word.partition("=")
        if equals:
            yield Read(value)
        elif not name.startswith("--") and len(name) > 2:  # noqa: PLR2004 - a letter and its glued value
            yield Read(name[2:])
    else:
        yield Read(word)


def _nothing(_run: Invocation) -> Iterable[Step]:
    return ()


_GREP_LONG = listed(
    "regexp= file= include= exclude= exclude-from= exclude-dir= context= after-context= before-context= max-count= "
    "label= color colour binary-files= directories= devices= recursive dereference-recursive"
)


def _grep(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="efABCmDd", long=_GREP_LONG)
    operands = found.operands if found.has("e", "f", "regexp", "file") else found.operands[1:]
    below = found.has("r", "R", "recursive", "dereference-recursive")
    yield from (Read(path) for path in found.values_of("f", "file", "exclude-from"))
    yield from (Read(path, below=below) for path in operands)


_RG_LONG = listed(
    "regexp= file= glob= type= type-not= context= max-count= max-depth= pre= hostname-bin= replace= sort= iglob= "
    "color= files"
)


def _rg(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="efgtTABCmMrjE", long=_RG_LONG)
    if found.has("pre", "hostname-bin", "search-zip"):
        yield Refuse("opaque-exec", "--pre and --hostname-bin make rg run another program")
    operands = found.operands if found.has("e", "f", "regexp", "file", "files") else found.operands[1:]
    yield from (Read(path) for path in found.values_of("f", "file"))
    yield from (Read(path, below=True) for path in operands)


def _ack(run: Invocation) -> Iterable[Step]:
    if any(word.startswith("--pager") for word in run.words):
        yield Refuse("opaque-exec", "--pager runs another program")
    operands = [word for word in run.words if not word.startswith("-")]
    yield from (Read(path, below=True) for path in operands[1:])


def _sort(run: Invocation) -> Iterable[Step]:
    long = listed(
        "output= compress-program= temporary-directory= files0-from= key= field-separator= buffer-size= parallel="
    )
    found = scan(run.words, valued="okStT", long=long)
    if found.has("compress-program"):
        yield Refuse("opaque-exec", "--compress-program runs another program")
    yield from (Write(path) for path in found.values_of("o", "output", "T", "temporary-directory"))
    yield from (Read(path) for path in [*found.operands, *found.values_of("files0-from")])


def _uniq(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="fsw", long=["skip-fields=", "skip-chars=", "check-chars="])
    yield from (Read(path) for path in found.operands[:1])
    yield from (Write(path) for path in found.operands[1:])


def _shuf(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="ion", long=["output=", "random-source=", "head-count=", "input-range=", "echo"])
    yield from (Write(path) for path in found.values_of("o", "output"))
    if not found.has("e", "echo"):
        yield from (Read(path) for path in found.operands)


def _xxd(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="clogsnR")
    yield from (Read(path) for path in found.operands[:1])
    yield from (Write(path) for path in found.operands[1:])


def _tree(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="oLPIH", long=["output="])
    yield from (Write(path) for path in found.values_of("o"))
    yield from (Read(path) for path in found.operands)


def _diff(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words,
        valued="UCIFxXWL",
        long=listed("exclude= exclude-from= label= from-file= to-file= output= ignore-matching-lines="),
    )
    below = found.has("r", "recursive")
    yield from (Write(path) for path in found.values_of("output"))
    yield from (Read(path, below=below) for path in [*found.operands, *found.values_of("from-file", "to-file")])


def _jq(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words, valued="fL", long=listed("from-file= arg= argjson= slurpfile= rawfile= indent= args jsonargs")
    )
    if re.search(r"(?<![.\w\"])env\b|\$ENV", " ".join(found.operands[:1])):
        yield Refuse("secrets", "jq's env and $ENV hold the whole environment")
    if any(path.startswith(("/dev/", "/proc/")) for path in found.values_of("f", "from-file")):
        yield Refuse("opaque-exec", "the jq program comes from a stream; write it out")
    operands = found.operands if found.has("f", "from-file") else found.operands[1:]
    yield from (Read(path) for path in [*operands, *found.values_of("f", "from-file")])


def _yq(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="op", long=listed("inplace output-format= from-file="))
    if any("env" in word or "load" in word for word in found.operands[:1]):
        yield Refuse("secrets", "yq's env and load read the environment and other files")
    kind = Write if found.has("i", "inplace") else Read
    yield from (kind(path) for path in found.operands[1:])


def _date(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words, valued="dfrs", long=listed("date= file= reference= set= iso-8601 rfc-3339= rfc-email utc universal")
    )
    if found.has("s", "set"):
        yield Refuse("privilege", "setting the clock is not for this run")
    yield from (Read(path) for path in found.values_of("f", "file", "r", "reference"))


def _iconv(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="fto", long=["from-code=", "to-code=", "output="])
    yield from (Write(path) for path in found.values_of("o", "output"))
    yield from (Read(path) for path in found.operands)


def _split(run: Invocation) -> Iterable[Step]:
    found = scan(
        run.words,
        valued="abCnlt",
        long=listed("filter= bytes= lines= number= suffix-length= additional-suffix= numeric-suffixes"),
    )
    if found.has("filter"):
        yield Refuse("opaque-exec", "split --filter runs another program")
    yield from (Read(path) for path in found.operands[:1])
    prefix = found.operands[1] if len(found.operands) > 1 else "x"
    yield Write(prefix + "aa")


def _csplit(run: Invocation) -> Iterable[Step]:
    found = scan(run.words, valued="fbn", long=listed("prefix= suffix-format= digits="))
    yield from (Read(path) for path in found.operands[:1])
    yield from (Write(prefix + "00") for prefix in found.values_of("f", "prefix") or ["xx"])


def _pager(run: Invocation) -> Iterable[Step]:
    """`+!command` and `+|` are typed into the pager at its start; a log file is written, a key file can hold both."""
    found = scan(run.words, valued="oOkjhpPtTxyzb#D", long=listed("log-file= LOG-FILE= lesskey-file= lesskey-src="))
    yield from (Write(path) for path in found.values_of("o", "O", "log-file", "LOG-FILE"))
    typed = [word for word in run.words if re.match(r"\+{1,2}.*[!|#&sv:]", word)]
    if typed or found.has("k", "lesskey-file", "lesskey-src", "lesskey-content"):
        yield Refuse("opaque-exec", f"{run.program} would run another program by what is typed into it")
    yield from (Read(path) for path in found.operands)


def _calculator(run: Invocation) -> Iterable[Step]:
    """`!command` in dc (and in bc, where a line starts with it) runs a program; `!=`, `!<` and `!>` compare."""
    found = scan(run.words, valued="ef", long=listed("expression= file= expr="))
    texts = [*found.values_of("e", "expression", "expr"), run.stdin or ""]
    shell = re.compile(r"!(?![=<>])" if run.program == "dc" else r"(?m)^\s*!")
    if any(shell.search(text) or (run.program == "dc" and OPAQUE in text) for text in texts):
        yield Refuse("opaque-exec", f"! makes {run.program} run another program")
    yield from (Read(path) for path in [*found.operands, *found.values_of("f", "file")])


def _man(run: Invocation) -> Iterable[Step]:
    if any(word.startswith(("-P", "--pager", "-H", "--html")) for word in run.words):
        yield Refuse("opaque-exec", "--pager runs another program")


TABLE = {
    **dict.fromkeys(_PLAIN, _operands),
    **dict.fromkeys(_SILENT, _nothing),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "pcregrep"), _grep),
    "rg": _rg,
    **dict.fromkeys(("ack", "ag"), _ack),
    "sort": _sort,
    "uniq": _uniq,
    "shuf": _shuf,
    "xxd": _xxd,
    "tree": _tree,
    **dict.fromkeys(("diff", "diff3", "sdiff", "colordiff", "wdiff"), _diff),
    "jq": _jq,
    "yq": _yq,
    "date": _date,
    "iconv": _iconv,
    "split": _split,
    "csplit": _csplit,
    "man": _man,
    **dict.fromkeys(listed("less zless more most pg"), _pager),
    **dict.fromkeys(("bc", "dc"), _calculator),
}
