"""git: a short list of subcommands with the options they may have; everything else is refused.

git can be made to run other programs by its configuration, its environment and many options, and it completes
abbreviated long options. So the subcommands that change something have a list of what is fine, not of what is bad; those
that read have a list of options that write or run something, matched with their abbreviations.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from autofix.harness.bash.deeds import Read, Refuse, Stage, Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known, may_be_option, readable

Words = Sequence[str]
Subcommand = Callable[[list[str], Invocation], Iterable[Step]]

_PUSH = "git-push-remote"
_CONFIG = "git-config-hooks"
_DISCARD = "git-discard"
_REWRITE = "git-rewrite"

_RUNS_OR_WRITES = listed(
    "--output --ext-diff --textconv --open-files-in-pager --show-signature --upload-pack --exec --filters "
    "--paginate --receive-pack --exec-path --config-env"
)
_COLLIDES = frozenset({"--out", "--output-indicator-new", "--output-indicator-old", "--output-indicator-context", "--exclude",
                       "--exclude-standard", "--exclude-from", "--exclude-per-directory", "--exclude-first-parent-only", "--text",
                       "--show-stash", "--patch"})  # fmt: skip
_HOME_VARIABLES = frozenset({"HOME", "XDG_CONFIG_HOME", "PAGER", "EDITOR", "VISUAL"})


def _git(run: Invocation) -> Iterable[Step]:
    for name, value in run.environment:
        if name in _HOME_VARIABLES and not (name == "PAGER" and value in {"cat", "less", ""}):
            yield Refuse(_CONFIG, f"{name} decides which configuration git reads, or what it runs")
    words = list(run.words)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-C" and words:
            directory = words.pop(0)
            if not known(directory) or directory.startswith(("/tmp", "~")):  # noqa: S108 - a path to compare with
                yield Refuse(_CONFIG, "git would read another repository's configuration")
        elif option in {"--version", "--help", "-v", "-h", "--html-path", "--man-path", "--info-path"}:
            return
        elif option not in {"-P", "--no-pager", "--no-optional-locks", "--literal-pathspecs", "--glob-pathspecs", "--no-replace-objects",
                            "--icase-pathspecs", "--noglob-pathspecs", "--no-lazy-fetch", "--no-advice"}:  # fmt: skip
            yield Refuse(_CONFIG, f"git {readable(option)} changes git's configuration, or where it lies")
            if option in {"-c", "--git-dir", "--work-tree", "--config-env", "--namespace", "--super-prefix"}:
                del words[:1]
    if not words:
        return
    name = words.pop(0)
    if not known(name):
        yield Refuse("opaque-exec", "which git command runs cannot be known; write its name")
        return
    table = _SUBCOMMANDS.get(name)
    if table is None:
        rule, reason = _REFUSED.get(name, (_CONFIG, "it is none of the git commands that are needed here"))
        yield Refuse(rule, f"git {name}: {reason}")
        return
    yield from table(words, run)


def _reading(words: Words, run: Invocation) -> Iterable[Step]:
    """A subcommand that only reads, whatever its other options are."""
    for word in words:
        if word == "--":
            break
        if runs := _dangerous(word):
            yield Refuse(_CONFIG, f"{runs} makes git run another program, or write a file")
        if word.startswith(("--format", "--pretty")) and "%G" in word:
            yield Refuse(_CONFIG, "%G makes git run a program to check signatures")
    yield from (Read(word) for word in words if not word.startswith("-") and ":" not in word)


def _dangerous(word: str) -> str | None:
    name, equals, _ = word.partition("=")
    if (
        not name.startswith("--")
        or len(name) < 4
        or (name in _COLLIDES and not equals)
        or name in _COLLIDES - {"--out"}
    ):
        return None
    return next((option for option in _RUNS_OR_WRITES if option.startswith(name)), None)


def _grep(words: list[str], run: Invocation) -> Iterable[Step]:
    for word in words:
        if word == "--":
            break
        if re.match(r"-[a-zA-Z]*O", word) or _dangerous(word):
            yield Refuse(_CONFIG, "--open-files-in-pager makes git run another program")
    found = scan(
        words,
        valued="efABCm",
        long=listed("max-depth= threads= context= after-context= before-context= max-count= color"),
    )
    yield from (Read(path) for path in found.values_of("f"))
    yield from (
        Read(path) for path in (found.operands if found.has("e", "f") else found.operands[1:]) if ":" not in path
    )


def _diff(words: list[str], run: Invocation) -> Iterable[Step]:
    for word in words:
        if word.startswith("--output=") or (word.startswith("--out") and "=" in word and "indicator" not in word):
            yield Write(word.partition("=")[2])
    if "--output" in words[:-1]:
        yield Write(words[words.index("--output") + 1])
    rest = [word for word in words if not (word.startswith("--out") and "indicator" not in word)]
    yield from _reading(rest, run)


def _only(letters: str, names: str, rule: str, why: str) -> Subcommand:
    """A subcommand that is fine with these options alone, and reads its operands."""
    fine = names.split()

    def table(words: list[str], _run: Invocation) -> Iterable[Step]:
        found = scan(words, long=[])
        beyond = found.beyond(letters, fine)
        if beyond is not None or found.uncertain:
            yield Refuse(rule, f"{why} ({'-' if len(beyond or '') == 1 else '--'}{readable(beyond or '…')})")
        yield from (Read(path) for path in found.operands if ":" not in path)

    return table


def _stash(words: list[str], run: Invocation) -> Iterable[Step]:
    if words[:1] == ["list"] or words[:1] == ["show"]:
        yield from _reading(words[1:], run)
    else:
        yield Refuse(
            _DISCARD, "git stash takes work out of the tree, and a failed pop loses it; keep the edits in place"
        )


def _clean(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(words, valued="e", long=listed("dry-run exclude= force interactive quiet"))
    if not found.has("n", "dry-run") or found.has("i", "interactive") or found.uncertain:
        yield Refuse(_DISCARD, "git clean deletes files; git clean -n lists them")


def _checkout(words: list[str], run: Invocation) -> Iterable[Step]:
    found = scan(
        words, valued="bB", long=listed("orphan= conflict= pathspec-from-file= quiet progress no-progress no-track")
    )
    starts_here = not found.operands or found.operands == ["HEAD"]
    if found.has("b") and starts_here and found.beyond("bq", {"quiet", "progress", "no-progress", "no-track"}) is None:
        return
    yield Refuse(
        _DISCARD,
        "git checkout throws changes away or leaves the branch; only checkout -b NAME is for you, edit files instead",
    )


def _switch(words: list[str], run: Invocation) -> Iterable[Step]:
    found = scan(
        words, valued="cC", long=listed("create= force-create= orphan= conflict= quiet progress no-progress no-track")
    )
    starts_here = not found.operands or found.operands == ["HEAD"]
    if (
        found.has("c", "create")
        and starts_here
        and found.beyond("cq", {"create", "quiet", "progress", "no-progress", "no-track"}) is None
    ):
        return
    yield Refuse(_DISCARD, "git switch leaves the pull request's branch; only switch -c NAME is for you")


def _reset(words: list[str], _run: Invocation) -> Iterable[Step]:
    before, dashes, after = _split(words)
    found = scan(before)
    rest = found.operands[1:] if found.operands[:1] == ["HEAD"] else found.operands
    hard = found.beyond("q", {"quiet", "mixed", "no-refresh", "refresh"})
    moves = any(not _looks_like_path(word) for word in rest)
    if hard is not None or moves or found.uncertain or (found.has("mixed") and (rest or after)):
        rule = _REWRITE if hard in {"soft", None} or "soft".startswith(hard) else _DISCARD
        yield Refuse(
            rule, "git reset moves the branch or throws work away; only unstaging (git reset HEAD PATH) is for you"
        )


def _split(words: list[str]) -> tuple[list[str], bool, list[str]]:
    if "--" in words:
        place = words.index("--")
        return words[:place], True, words[place + 1 :]
    return words, False, []


def _looks_like_path(word: str) -> bool:
    """Rather a file than a commit: a suffix or a directory of one, and nothing that only commits have."""
    return (
        known(word)
        and not re.search(r"[~^@:]", word)
        and (re.search(r"\.\w+$|/$", word) is not None or word in {".", "Makefile", "LICENSE"})
    )


def _add(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(
        words,
        long=listed(
            "update verbose dry-run intent-to-add refresh all force patch interactive edit chmod= pathspec-from-file="
        ),
    )
    if found.has("n", "dry-run"):
        return
    if found.beyond("vuN", {"verbose", "update", "intent-to-add"}) is not None or found.uncertain:
        yield Refuse("write-scope", "stage the files you changed by name: git add PATH")
    yield from (Stage(path) for path in found.operands)


def _commit(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(
        words,
        valued="mFct",
        optional="uS",
        long=listed("message= file= quiet verbose all signoff allow-empty dry-run no-status date= author="),
    )
    fine = {
        "message",
        "file",
        "quiet",
        "verbose",
        "all",
        "signoff",
        "allow-empty",
        "dry-run",
        "no-status",
        "date",
        "author",
        "no-gpg-sign",
    }
    beyond = found.beyond("mFqvas", fine)
    if beyond is not None:
        rule = _REWRITE if beyond and "amend".startswith(beyond) else _CONFIG
        yield Refuse(
            rule,
            f"only a plain commit is for you: git commit -m TEXT (not {'-' if len(beyond) == 1 else '--'}{readable(beyond)})",
        )
    elif not found.has("m", "F", "message", "file", "dry-run"):
        yield Refuse(_CONFIG, "git commit without -m opens an editor")
    yield from (Read(path) for path in found.values_of("F", "file"))
    yield from (Stage(path) for path in found.operands)
    if found.uncertain:
        yield Refuse("opaque-exec", "which options git commit gets cannot be known")


def _branch(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(
        words,
        optional="",
        long=listed(
            "list all remotes show-current verbose contains merged no-merged no-contains sort= format= points-at= "
            "column no-column color no-color ignore-case"
        ),
    )
    reading = {
        "list",
        "all",
        "remotes",
        "show-current",
        "verbose",
        "contains",
        "merged",
        "no-merged",
        "no-contains",
        "sort",
        "format",
        "points-at",
        "column",
        "no-column",
        "color",
        "no-color",
        "ignore-case",
    }
    beyond = found.beyond("larvqi", reading)
    if beyond is not None or found.uncertain:
        yield Refuse(_REWRITE, "git branch may only list branches or make a new one")


def _tag(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(
        words, valued="", optional="n", long=listed("list sort= format= contains merged no-merged points-at= column")
    )
    lists = found.has("l", "list", "n", "contains", "merged", "no-merged", "points-at", "sort") or not found.operands
    if (
        not lists
        or found.beyond("lni", {"list", "sort", "format", "contains", "merged", "no-merged", "points-at", "column"})
        is not None
    ):
        yield Refuse(_REWRITE, "git tag may only list tags")


def _reflog(words: list[str], run: Invocation) -> Iterable[Step]:
    if words and words[0] in {"expire", "delete", "drop", "write"}:
        yield Refuse(_REWRITE, f"git reflog {words[0]} makes commits unrecoverable")
    elif words and may_be_option(words[0]):
        yield Refuse(_REWRITE, "which git reflog command runs cannot be known")
    else:
        yield from _reading(words, run)


def _listing(first: str, rule: str) -> Subcommand:
    def table(words: list[str], run: Invocation) -> Iterable[Step]:
        if words[:1] != [first]:
            yield Refuse(rule, f"only git … {first} is for you")

    return table


def _symbolic_ref(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(words)
    if (
        len(found.operands) != 1
        or found.beyond("q", {"short", "quiet", "no-recurse", "recurse"}) is not None
        or found.uncertain
    ):
        yield Refuse(_REWRITE, "git symbolic-ref moves a ref")


def _apply(words: list[str], _run: Invocation) -> Iterable[Step]:
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


def _rm(words: list[str], _run: Invocation) -> Iterable[Step]:
    if not scan(words).has("n", "dry-run"):
        yield Refuse("delete-tracked", "git rm deletes tracked files")


def _archive(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(words, valued="o", long=listed("output= remote= exec= format= prefix= add-file= list"))
    if found.has("remote", "exec"):
        yield Refuse(_PUSH, "git archive --remote contacts another repository")
    yield from (Write(path) for path in found.values_of("o", "output"))


def _format_patch(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(words, valued="oN", long=listed("output-directory= stdout output="))
    if not found.has("stdout"):
        yield Write((found.values_of("o", "output-directory", "output") or ["."])[-1], below=True)


def _hash_object(words: list[str], _run: Invocation) -> Iterable[Step]:
    found = scan(words, valued="t", long=listed("stdin-paths path= stdin literally no-filters"))
    if found.has("w"):
        yield Refuse(_REWRITE, "git hash-object -w writes into git's own store")
    yield from (Read(path) for path in found.operands)


_READING = listed(
    "status log show blame annotate shortlog describe name-rev rev-parse rev-list merge-base ls-files ls-tree "
    "diff-tree diff-index diff-files for-each-ref show-ref show-branch cherry range-diff whatchanged cat-file "
    "check-ignore check-attr check-mailmap check-ref-format help count-objects verify-pack fsck column stripspace "
    "version patch-id get-tar-commit-id last-modified"
)

_SUBCOMMANDS: Mapping[str, Subcommand] = {
    **dict.fromkeys(_READING, _reading),
    **dict.fromkeys(("diff", "log", "show"), _diff),
    "grep": _grep,
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
    "worktree": _listing("list", _DISCARD),
    "notes": _listing("show", _REWRITE),
    "symbolic-ref": _symbolic_ref,
    "apply": _apply,
    "rm": _rm,
    "archive": _archive,
    "format-patch": _format_patch,
    "hash-object": _hash_object,
}


def _all(names: str, rule: str, reason: str) -> dict[str, tuple[str, str]]:
    return dict.fromkeys(names.split(), (rule, reason))


_REFUSED: Mapping[str, tuple[str, str]] = {
    **_all(
        "push fetch pull ls-remote remote clone submodule send-pack fetch-pack upload-pack receive-pack http-fetch http-push "
        "remote-http remote-https request-pull send-email imap-send svn p4 cvsimport lfs annex daemon upload-archive bundle",
        _PUSH,
        "only autofix touches the remote, after it has verified the fix",
    ),
    **_all("config var init update-server-info", _CONFIG, "git's configuration may hold a token and may make git run programs"),
    **_all("credential credential-store credential-cache credential-manager", "secrets", "it prints or stores credentials"),
    **_all("difftool mergetool bisect hook instaweb gui gitk citool web--browse sh-setup", _CONFIG, "it runs other programs"),
    **_all("restore read-tree checkout-index sparse-checkout", _DISCARD, "it throws changes away; edit the file instead"),
    **_all(
        "rebase filter-branch filter-repo update-ref replace prune gc repack pack-refs prune-packed maintenance commit-tree mktree "
        "mktag write-tree fast-import fast-export unpack-objects index-pack commit-graph multi-pack-index history replay refs",
        _REWRITE,
        "it rewrites history or refs; add a plain commit instead",
    ),
    **_all("am merge cherry-pick revert merge-file merge-index merge-one-file merge-tree rerere mv update-index quiltimport",
           "write-scope", "which files it changes is not visible in the command; use Edit"),
}  # fmt: skip

TABLE = {
    "git": _git,
    **dict.fromkeys(
        ("gh", "glab", "hub", "tea"),
        lambda run: [Refuse(_PUSH, f"{run.program} writes to the forge; only autofix does that")],
    ),
    **dict.fromkeys(
        ("git-push", "git-receive-pack", "git-upload-pack", "git-remote", "git-fetch", "git-pull", "git-lfs"),
        lambda run: [Refuse(_PUSH, "only autofix touches the remote")],
    ),
    **dict.fromkeys(("pre-commit", "husky", "lefthook", "lint-staged", "tig", "lazygit"),
                    lambda run: [Refuse(_CONFIG, f"{run.program} installs hooks or rewrites files; run the one tool you need")]),
}  # fmt: skip
