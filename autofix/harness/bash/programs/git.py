"""git: a short list of subcommands with the options they may have; everything else is refused.

git can be made to run other programs by its configuration, its environment and many options, and it completes
abbreviated long options. So the subcommands that change something have a list of what is fine, not of what is bad;
those that read have a list of options that write or run something, matched with their abbreviations.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from autofix.harness.bash.deeds import Read, Refuse, Stage, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import Scanned, scan
from autofix.harness.bash.programs.git_refused import CONFIG, DISCARD, PUSH, REFUSED, REWRITE, UNKNOWN
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known, may_be_option, readable

Words = Sequence[str]
Subcommand = Callable[[list[str]], Iterable[Step]]


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
_GLOBAL_FINE = frozenset(
    listed(
        "-P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
        "--no-replace-objects --no-lazy-fetch --no-advice"
    )
)
_GLOBAL_INFORMS = frozenset(listed("--version --help -v -h --html-path --man-path --info-path"))
_GLOBAL_VALUED = frozenset(listed("-c --git-dir --work-tree --config-env --namespace --super-prefix"))
_HOME_VARIABLES = frozenset(listed("HOME XDG_CONFIG_HOME PAGER EDITOR VISUAL"))
_PAGERS = frozenset({"cat", "less", ""})


def _git(run: Invocation) -> Iterable[Step]:
    for name, value in run.environment:
        if name in _HOME_VARIABLES and not (name == "PAGER" and value in _PAGERS):
            yield Refuse(CONFIG, f"{name} decides which configuration git reads, or what it runs")
    words = list(run.words)
    yield from _global_options(words)
    if not words:
        return
    name = words.pop(0)
    if not known(name):
        yield Refuse("opaque-exec", "which git command runs cannot be known; write its name")
    elif name in _SUBCOMMANDS:
        yield from _SUBCOMMANDS[name](words)
    else:
        rule, reason = REFUSED.get(name, UNKNOWN)
        yield Refuse(rule, f"git {name}: {reason}")


def _global_options(words: list[str]) -> Iterable[Step]:
    """Takes the options before the command's name off `words`."""
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-C" and words:
            directory = words.pop(0)
            if not known(directory) or directory.startswith(("/tmp", "~")):  # noqa: S108 - a path to compare with
                yield Refuse(CONFIG, "git would read another repository's configuration")
        elif option in _GLOBAL_INFORMS:
            words.clear()
        elif option not in _GLOBAL_FINE:
            yield Refuse(CONFIG, f"git {readable(option)} changes git's configuration, or where it lies")
            if option in _GLOBAL_VALUED:
                del words[:1]


def _reading(words: Words) -> Iterable[Step]:
    """A subcommand that only reads, whatever its other options are."""
    for word in words:
        if word == "--":
            break
        if runs := _dangerous(word):
            yield Refuse(CONFIG, f"{runs} makes git run another program, or write a file")
        if word.startswith(("--format", "--pretty")) and "%G" in word:
            yield Refuse(CONFIG, "%G makes git run a program to check signatures")
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
    yield from _reading(rest)


def _help(words: list[str]) -> Iterable[Step]:
    if any(word.startswith(("-w", "--w", "-i", "--i", "-m", "--m")) for word in words):
        yield Refuse(CONFIG, "git help opens a browser, info or man by these options")


def _stash(words: list[str]) -> Iterable[Step]:
    if words[:1] == ["list"] or words[:1] == ["show"]:
        yield from _reading(words[1:])
    else:
        yield Refuse(
            DISCARD, "git stash takes work out of the tree, and a failed pop loses it; keep the edits in place"
        )


def _clean(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="e", long=listed("dry-run exclude= force interactive quiet"))
    if not found.has("n", "dry-run") or found.has("i", "interactive") or found.uncertain:
        yield Refuse(DISCARD, "git clean deletes files; git clean -n lists them")


_NEW_BRANCH = listed("create= quiet progress no-progress no-track")
_ELSEWHERE = listed("force-create= orphan= conflict= pathspec-from-file=")


def _checkout(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="bB", long=(*_NEW_BRANCH, *_ELSEWHERE))
    if not (found.has("b") and _starts_here(found) and found.beyond("bq", _NEW_BRANCH) is None):
        reason = "git checkout throws changes away or leaves the branch; edit files instead (checkout -b NAME is fine)"
        yield Refuse(DISCARD, reason)


def _switch(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="cC", long=(*_NEW_BRANCH, *_ELSEWHERE))
    if not (found.has("c", "create") and _starts_here(found) and found.beyond("cq", _NEW_BRANCH) is None):
        yield Refuse(DISCARD, "git switch leaves the pull request's branch; only switch -c NAME is for you")


def _starts_here(found: Scanned) -> bool:
    """A new branch starts at the present commit, so that no file changes."""
    return found.operands in ([], ["HEAD"])


def _reset(words: list[str]) -> Iterable[Step]:
    dashes = words.index("--") if "--" in words else len(words)
    found, paths = scan(words[:dashes]), words[dashes + 1 :]
    beyond = found.beyond("q", listed("quiet mixed no-refresh refresh"))
    operands = found.operands
    if operands[:1] != ["HEAD"] and not all(map(_looks_like_path, operands)):
        yield Refuse(REWRITE, "git reset COMMIT moves the branch; only unstaging (git reset HEAD PATH) is for you")
    elif beyond is not None or found.uncertain or (found.has("mixed") and (operands or paths)):
        rule = REWRITE if "soft".startswith(beyond or "-") else DISCARD
        yield Refuse(rule, "git reset throws work away or moves the branch; only git reset HEAD PATH is for you")


def _looks_like_path(word: str) -> bool:
    """Rather a file than a commit: a suffix or a directory of one, and nothing that only commits have."""
    return (
        known(word)
        and not re.search(r"[~^@:]", word)
        and (re.search(r"\.\w+$|/$", word) is not None or word in {".", "Makefile", "LICENSE"})
    )


def _add(words: list[str]) -> Iterable[Step]:
    fine = listed("verbose update intent-to-add")
    found = scan(
        words, long=(*fine, *listed("dry-run refresh all force patch interactive edit chmod= pathspec-from-file="))
    )
    if found.has("n", "dry-run"):
        return
    everything = found.has("A", "all") and not found.operands
    if everything or found.beyond("vuNA", (*fine, "all")) is not None or found.uncertain:
        yield Refuse("write-scope", "stage the files you changed by name: git add PATH")
    yield from (Stage(path) for path in found.operands)


_COMMIT = listed("message= file= quiet verbose all signoff allow-empty dry-run no-status date= author=")


def _commit(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="mFct", optional="uS", long=_COMMIT)
    beyond = found.beyond("mFqvas", (*_COMMIT, "no-gpg-sign"))
    if beyond is not None:
        option = f"{'-' if len(beyond) == 1 else '--'}{readable(beyond)}"
        rule = REWRITE if "amend".startswith(beyond) else CONFIG
        yield Refuse(rule, f"only a plain commit is for you: git commit -m TEXT (not {option})")
    elif not found.has("m", "F", "message", "file", "dry-run"):
        yield Refuse(CONFIG, "git commit without -m opens an editor")
    yield from (Read(path) for path in found.values_of("F", "file"))
    yield from (Stage(path) for path in found.operands)
    if found.uncertain:
        yield Refuse("opaque-exec", "which options git commit gets cannot be known")


_BRANCH_LISTS = listed(
    "list all remotes show-current verbose contains merged no-merged no-contains sort= format= points-at= column "
    "no-column color no-color ignore-case abbrev= no-abbrev"
)


def _branch(words: list[str]) -> Iterable[Step]:
    found = scan(words, long=_BRANCH_LISTS)
    if found.beyond("larvqi", _BRANCH_LISTS) is not None or found.uncertain:
        yield Refuse(REWRITE, "git branch may only list branches or make a new one")


_TAG_LISTS = listed("list sort= format= contains merged no-merged points-at= column")


def _tag(words: list[str]) -> Iterable[Step]:
    found = scan(words, optional="n", long=_TAG_LISTS)
    if found.beyond("lni", _TAG_LISTS) is not None or (found.operands and not found.options):
        yield Refuse(REWRITE, "git tag may only list tags")


def _reflog(words: list[str]) -> Iterable[Step]:
    if words and words[0] in {"expire", "delete", "drop", "write"}:
        yield Refuse(REWRITE, f"git reflog {words[0]} makes commits unrecoverable")
    elif words and may_be_option(words[0]):
        yield Refuse(REWRITE, "which git reflog command runs cannot be known")
    else:
        yield from _reading(words)


def _listing(first: str, rule: str) -> Subcommand:
    def table(words: list[str]) -> Iterable[Step]:
        if words[:1] != [first]:
            yield Refuse(rule, f"only git … {first} is for you")

    return table


def _symbolic_ref(words: list[str]) -> Iterable[Step]:
    found = scan(words)
    beyond = found.beyond("q", listed("short quiet no-recurse recurse"))
    if len(found.operands) != 1 or beyond is not None or found.uncertain:
        yield Refuse(REWRITE, "git symbolic-ref moves a ref")


def _apply(words: list[str]) -> Iterable[Step]:
    found = scan(
        words,
        valued="pC",
        long=listed("check stat numstat summary apply include= exclude= directory= whitespace= build-fake-ancestor="),
    )
    if (
        not found.has("check", "stat", "numstat", "summary")
        or found.has("apply", "build-fake-ancestor")
        or found.uncertain
    ):
        yield Refuse(
            "write-scope", "which files a patch changes is not visible; use Edit, or git apply --check to try it"
        )
    yield from (Read(path) for path in found.operands)


def _rm(words: list[str]) -> Iterable[Step]:
    if not scan(words).has("n", "dry-run"):
        yield Refuse("delete-tracked", "git rm deletes tracked files")


def _archive(words: list[str]) -> Iterable[Step]:
    found = scan(words, valued="o", long=listed("output= remote= exec= format= prefix= add-file= list"))
    if found.has("remote", "exec"):
        yield Refuse(PUSH, "git archive --remote contacts another repository")
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


_READING = listed(
    "status log show blame annotate shortlog describe name-rev rev-parse rev-list merge-base ls-files ls-tree "
    "diff-tree diff-index diff-files for-each-ref show-ref show-branch cherry range-diff whatchanged cat-file "
    "check-ignore check-attr check-mailmap check-ref-format count-objects verify-pack fsck column stripspace "
    "version patch-id get-tar-commit-id last-modified"
)

_SUBCOMMANDS: Mapping[str, Subcommand] = {
    **dict.fromkeys(_READING, _reading),
    **dict.fromkeys(("diff", "log", "show"), _diff),
    "grep": _grep,
    "help": _help,
    "stash": _stash,
    "clean": _clean,
    "checkout": _checkout,
    "switch": _switch,
    "reset": _reset,
    "add": _add,
    "stage": _add,
    "commit": _commit,
    "branch": _branch,
    "tag": _tag,
    "reflog": _reflog,
    "worktree": _listing("list", DISCARD),
    "notes": _listing("show", REWRITE),
    "symbolic-ref": _symbolic_ref,
    "apply": _apply,
    "rm": _rm,
    "archive": _archive,
    "format-patch": _format_patch,
    "hash-object": _hash_object,
}


def _forge(run: Invocation) -> Iterable[Step]:
    yield Refuse(PUSH, f"{run.program} writes to the forge; only autofix does that")


def _remote_program(_run: Invocation) -> Iterable[Step]:
    yield Refuse(PUSH, "only autofix touches the remote")


def _hook_manager(run: Invocation) -> Iterable[Step]:
    yield Refuse(CONFIG, f"{run.program} installs hooks or rewrites files; run the one tool you need")


TABLE = {
    "git": _git,
    **dict.fromkeys(listed("gh glab hub tea"), _forge),
    **dict.fromkeys(
        listed("git-push git-receive-pack git-upload-pack git-remote git-fetch git-pull git-lfs"), _remote_program
    ),
    **dict.fromkeys(listed("pre-commit husky lefthook lint-staged tig lazygit"), _hook_manager),
}
