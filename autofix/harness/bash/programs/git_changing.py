"""The commands of git that could change the tree, the index or the refs: of each, the forms that are for the agent."""

import re
from collections.abc import Callable, Iterable

from autofix.harness.bash.deeds import Read, Refuse, Stage, Step
from autofix.harness.bash.options import Scanned, scan
from autofix.harness.bash.programs.git_reading import reading
from autofix.harness.bash.programs.git_refused import CONFIG, DISCARD, REWRITE
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known, readable


def _stash(words: list[str]) -> Iterable[Step]:
    if words[:1] == ["list"] or words[:1] == ["show"]:
        yield from reading(words[1:])
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


def _listing(first: str, rule: str) -> Callable[[list[str]], Iterable[Step]]:
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


SUBCOMMANDS = {
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
    "worktree": _listing("list", DISCARD),
    "notes": _listing("show", REWRITE),
    "symbolic-ref": _symbolic_ref,
    "apply": _apply,
    "rm": _rm,
}
