"""What a program writes, as far as that can be known without running it: its text, or how far the text can be trusted.

Three kinds of unknown text are told apart (`values`): a name, harmless text such as a listing of files, and text that
was decoded or computed, in which a command could hide anything.
"""

import posixpath
import re

from autofix.harness.bash.escapes import ansi_c
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import ANY, NAME, OPAQUE, known

_SILENT = frozenset(
    listed("true false : test [ sleep wait mkdir rm rmdir touch cp mv ln chmod cd kill unlink truncate install sync")
)
_ONE_NAME = frozenset(listed("date wc nproc id whoami hostname uname arch expr tty logname cksum getconf factor"))
_FILTERS = frozenset(
    listed(
        "sed awk gawk mawk nawk cut tr rev grep egrep fgrep rg sort uniq head tail tac fold fmt paste column tee "
        "shuf jq yq nl expand unexpand pr join comm envsubst iconv xargs"
    )
)
_LINE_FILTERS = frozenset(listed("head tail sort uniq cat"))
"""They leave each line as it is."""
_DECODERS = frozenset(
    listed(
        "base64 base32 basenc xxd od hexdump uudecode openssl gpg gunzip zcat bzcat xzcat zstdcat gzip bzip2 xz "
        "zstd python python3 python2 perl ruby node nodejs php lua deno bun dc bc curl wget nc tclsh"
    )
)


def of(run: Invocation) -> str:
    """What this program's standard output holds."""
    name = run.program
    if name in _SILENT:
        return ""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(run)
    if name in _ONE_NAME:
        return NAME if not any("/" in word for word in run.words) else ANY
    if name in _FILTERS:
        return _filtered(run)
    if name in _DECODERS or re.fullmatch(r"(python|perl|ruby)[\d.]+", name) or "/" in run.given:
        return OPAQUE
    return ANY


def _filtered(run: Invocation) -> str:
    """A filter keeps the kind of what it reads; chosen text that is cut and changed can become anything."""
    if run.stdin is None or run.stdin == "":
        return ANY
    if not _chosen(run.stdin):
        return run.stdin if run.program in _LINE_FILTERS or run.stdin in {NAME, ANY} else ANY
    return OPAQUE


def _chosen(text: str) -> bool:
    """Whether a text holds characters that somebody wrote, or that were computed."""
    return text.strip(ANY + NAME + "\n/ .:") != ""


def _grep(run: Invocation) -> str:
    """`grep -n` on one file numbers the lines, `grep -c` counts them."""
    letters = "".join(word[1:] for word in run.words if re.fullmatch(r"-[a-zA-Z]+", word))
    files = len([word for word in run.words if not word.startswith("-")]) - 1
    if files > 1 or "r" in letters or "R" in letters or _chosen(run.stdin or ""):
        return _filtered(run)
    return NAME if "c" in letters else f"{NAME}:{ANY}" if "n" in letters else _filtered(run)


def _cut(run: Invocation) -> str:
    """`cut -d: -f1` keeps what stands before the first colon."""
    first = "".join(run.words).replace("'", "") in {"-d:-f1", "-f1-d:"}
    text = run.stdin or ""
    return text.partition(":")[0] if first and ":" in text and not _chosen(text) else _filtered(run)


def _echo(run: Invocation) -> str:
    words = list(run.words)
    escapes, newline = False, True
    while words and re.fullmatch(r"-[neE]+", words[0]):
        option = words.pop(0)
        newline = newline and "n" not in option
        escapes = "e" in option or (escapes and "E" not in option)
    text = " ".join(words)
    return (ansi_c(text) if escapes else text) + ("\n" if newline else "")


def _printf(run: Invocation) -> str:
    words = list(run.words)
    if words and words[0] == "--":
        del words[0]
    if not words or words[0] == "-v":
        return ""
    if not known(words[0]):
        return OPAQUE if OPAQUE in words[0] else ANY
    return formatted(words[0], words[1:])


def formatted(pattern: str, arguments: list[str]) -> str:
    """What `printf` makes of a known format."""
    pieces = re.split(r"(%%|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])", pattern)
    out: list[str] = []
    waiting = list(arguments)
    while True:
        for piece in pieces:
            if not piece.startswith("%"):
                out.append(ansi_c(piece))
            elif piece == "%%":
                out.append("%")
            elif piece[-1] in "sbq":
                argument = waiting.pop(0) if waiting else ""
                out.append(ansi_c(argument) if piece[-1] == "b" else argument)
            else:
                argument = waiting.pop(0) if waiting else ""
                out.append(OPAQUE if piece[-1] == "c" else NAME)
        if not waiting or not any(piece.startswith("%") and piece != "%%" for piece in pieces) or len(out) > 1000:  # noqa: PLR2004 - a bound
            return "".join(out)


def _cat(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-") or word == "-"]
    if not operands or operands == ["-"]:
        return run.stdin or ""
    if all(word in run.streams for word in operands):
        return "".join(run.streams[word] for word in operands)
    return ANY


def _pwd(run: Invocation) -> str:
    return (run.directory or OPAQUE) + "\n"


def _mktemp(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-")]
    if len(run.words) == 0 or not operands:
        return "/tmp/" + NAME  # noqa: S108 - what it prints
    template = re.sub(r"X{3,}", NAME, operands[-1])
    inside = any(word.startswith(("-t", "-p", "--tmpdir")) for word in run.words)
    if "p" in "".join(word for word in run.words if re.fullmatch(r"-[a-z]+", word)):
        return posixpath.join(operands[0], NAME)
    return posixpath.join("/tmp", template) if inside else template  # noqa: S108 - as above


def _basename(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-")]
    if len(operands) == 1 and known(operands[0]):
        return posixpath.basename(operands[0].rstrip("/"))
    return NAME


def _dirname(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-")]
    if len(operands) == 1 and known(operands[0]):
        return posixpath.dirname(operands[0].rstrip("/")) or "."
    return ANY if all(OPAQUE not in word for word in operands) else OPAQUE


def _realpath(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-")]
    if len(operands) == 1 and known(operands[0]) and run.directory is not None:
        return posixpath.normpath(posixpath.join(run.directory, operands[0]))
    return ANY if all(OPAQUE not in word for word in operands) else OPAQUE


def _which(run: Invocation) -> str:
    operands = [word for word in run.words if not word.startswith("-")]
    return operands[0] if operands else ""


def _git(run: Invocation) -> str:
    words = run.words
    if words[:1] == ("rev-parse",):
        if "--show-toplevel" in words:
            return run.workspace
        if any(word in words for word in ("--git-dir", "--git-common-dir", "--absolute-git-dir")):
            return run.workspace + "/.git"
        if "--git-path" in words[:-1]:
            return f"{run.workspace}/.git/{words[words.index('--git-path') + 1]}"
        return NAME
    return ANY


def _find(run: Invocation) -> str:
    """Paths below its roots, by the names it looks for."""
    roots = []
    for word in run.words:
        if word.startswith(("-", "(", "!", ",")):
            break
        roots.append(word.rstrip("/") or "/")
    names = [
        value
        for before, word, value in zip(("", *run.words), run.words, run.words[1:], strict=False)
        if word in {"-name", "-iname", "-path", "-wholename"} and before not in {"!", "-not"}
    ]
    names = [name.lstrip("*/") or ANY if "/" in name else name for name in names] or [ANY]
    return "".join(
        f"{root}/{ANY}/{name}\n{root}/{name}\n" if name != ANY else f"{root}/{ANY}\n"
        for root in roots or ["."]
        for name in names
    )


def _seq(_run: Invocation) -> str:
    return NAME


_SPECIAL = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "pwd": _pwd,
    "mktemp": _mktemp,
    "basename": _basename,
    "dirname": _dirname,
    "realpath": _realpath,
    "readlink": _realpath,
    "which": _which,
    "git": _git,
    "grep": _grep,
    "cut": _cut,
    "find": _find,
    "seq": _seq,
}
