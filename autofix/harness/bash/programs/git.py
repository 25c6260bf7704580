"""git: a short list of subcommands with the options they may have; everything else is refused.

git can be made to run other programs by its configuration, its environment and many options, and it completes
abbreviated long options. So the subcommands that change something have a list of what is fine, not of what is bad;
those that read have a list of options that write or run something, matched with their abbreviations.
"""

from collections.abc import Callable, Iterable, Mapping

from autofix.harness.bash.deeds import Refuse, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.programs import git_changing, git_reading
from autofix.harness.bash.programs.git_refused import CONFIG, PUSH, REFUSED, UNKNOWN
from autofix.harness.bash.tables import listed
from autofix.harness.bash.values import known, readable

Subcommand = Callable[[list[str]], Iterable[Step]]


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


_SUBCOMMANDS: Mapping[str, Subcommand] = {**git_reading.SUBCOMMANDS, **git_changing.SUBCOMMANDS}


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
