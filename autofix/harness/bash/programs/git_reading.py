"""The commands of git that read: fine, but for the options by which they run a program or write a file."""

import re
from collections.abc import Iterable, Sequence

from autofix.harness.bash.deeds import Read, Refuse, Step, Write
from autofix.harness.bash.options import scan
from autofix.harness.bash.programs.git_refused import CONFIG, PUSH, REWRITE
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import may_be_option

_RUNS_OR_WRITES = listed(
    "--output --ext-diff --textconv --open-files-in-pager --show-signature --upload-pack --exec --filters "
    "--paginate --receive-pack --exec-path --config-env"
)
"""Options of commands that read, by which they run a program or write a file."""
_LOOK_ALIKES = frozenset(
    listed(
        "--output-indicator-new --output-indicator-old --output-indicator-context --exclude --exclude-standard "
        "--exclude-from --exclude-per-directory --exclude-first-parent-only --text --show-stash --patch"
    )
)
"""Harmless options that could be taken for abbreviations of those."""
_SHORTEST = 4  # two dashes and two letters: a shorter abbreviation is ambiguous to git as well


def reading(words: Sequence[str]) -> Iterable[Step]:
    """A subcommand that only reads, whatever its other options are."""
    for word in words:
        if word == "--":
            break
        if runs := _dangerous(word):
            yield Refuse(CONFIG, f"{runs} makes git run another program, or write a file")
        if word.startswith(("--format", "--pretty")) and "%G" in word:
            yield Refuse(CONFIG, "%G makes git run a program to check signatures")
        if word.startswith("--contents="):
            yield Read(word.partition("=")[2])
    yield from (Read(word) for word in words if not word.startswith("-") and ":" not in word)


def _dangerous(word: str) -> str | None:
    """The option that runs or writes which this word is, or abbreviates."""
    name = word.partition("=")[0]
    if not name.startswith("--") or len(name) < _SHORTEST or name in _LOOK_ALIKES:
        return None
    return next((option for option in _RUNS_OR_WRITES if option.startswith(name)), None)


def _grep(words: list[str]) -> Iterable[Step]:
    for word in words:
        if word == "--":
            break
        if re.match(r"-[a-zA-Z]*O", word) or _dangerous(word):
            yield Refuse(CONFIG, "--open-files-in-pager makes git run another program")
    found = scan(
        words,
        valued="efABCm",
        long=listed("max-depth= threads= context= after-context= before-context= max-count= color"),
    )
    yield from (Read(path) for path in found.values_of("f"))
    yield from (
        Read(path) for path in (found.operands if found.has("e", "f") else found.operands[1:]) if ":" not in path
    )


def _diff(words: list[str]) -> Iterable[Step]:
    for word in words:
        if word.startswith("--output=") or (word.startswith("--out") and "=" in word and "indicator" not in word):
            yield Write(word.partition("=")[2])
    if "--output" in words[:-1]:
        yield Write(words[words.index("--output") + 1])
    if "--no-index" in words:  # it compares any two directories
        yield from (Read(word, below=True) for word in words if not word.startswith("-"))
    rest = [word for word in words if not (word.startswith("--out") and "indicator" not in word)]
    yield from reading(rest)


def _help(words: list[str]) -> Iterable[Step]:
    if any(word.startswith(("-w", "--w", "-i", "--i", "-m", "--m")) for word in words):
        yield Refuse(CONFIG, "git help opens a browser, info or man by these options")


_ARCHIVES = frozenset(listed("tar zip tgz tar.gz"))
"""Formats that git makes itself."""


def _archive(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="o", long=listed("output= remote= exec= format= prefix= add-file= list"))
    if found.has("remote", "exec"):
        yield Refuse(PUSH, "git archive --remote contacts another repository")
    if not _ARCHIVES.issuperset(found.values_of("format")):
        yield Refuse(CONFIG, "git archive runs the program that git's configuration names for this format")
    yield from (Write(path) for path in found.values_of("o", "output"))


def _format_patch(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="oN", long=listed("output-directory= stdout output="))
    if not found.has("stdout"):
        yield Write((found.values_of("o", "output-directory", "output") or ["."])[-1], below=True)


def _hash_object(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="t", long=listed("stdin-paths path= stdin literally no-filters"))
    if found.has("w"):
        yield Refuse(REWRITE, "git hash-object -w writes into git's own store")
    yield from (Read(path) for path in found.operands)


def _reflog(words: list[str]) -> Iterable[Step]:
    if words and words[0] in {"expire", "delete", "drop", "write"}:
        yield Refuse(REWRITE, f"git reflog {words[0]} makes commits unrecoverable")
    elif words and may_be_option(words[0]):
        yield Refuse(REWRITE, "which git reflog command runs cannot be known")
    else:
        yield from reading(words)


_READING = listed(
    "status log show blame annotate shortlog describe name-rev rev-parse rev-list merge-base ls-files ls-tree "
    "diff-tree diff-index diff-files for-each-ref show-ref show-branch cherry range-diff whatchanged cat-file "
    "check-ignore check-attr check-mailmap check-ref-format count-objects verify-pack fsck column stripspace "
    "version patch-id get-tar-commit-id last-modified"
)

SUBCOMMANDS = {
    **dict.fromkeys(_READING, reading),
    **dict.fromkeys(("diff", "log", "show"), _diff),
    "grep": _grep,
    "help": _help,
    "reflog": _reflog,
    "archive": _archive,
    "format-patch": _format_patch,
    "hash-object": _hash_object,
}
