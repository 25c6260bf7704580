"""Package and project managers: asking and running local scripts is fine, installing is the network's business."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Invoke, Refuse, Starter, Step
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.programs.writing_options import Table
from autofix.harness.bash.tables import listed

_WHY = "there is no network in the sandbox; use what the repository and the image hold"
_SYSTEM = listed(
    "apt apt-get aptitude apk dnf yum zypper pacman emerge dpkg rpm conda mamba micromamba pipx easy_install corepack"
)
_SYSTEM_ASKS = frozenset(listed("--version -V list show policy info -l -L -s -q -qa -W --list -ql"))
_PIP_ASKS = frozenset(listed("list show freeze check help inspect debug"))
_INFORMS = frozenset(listed("--version -v --help -V"))
_ASKS = "--version -v -V --help -h help version list ls ll why explain root bin prefix"
_VALUED = frozenset(listed("-C --prefix --dir --directory --project -w --workspace --filter --cwd"))
_FETCHES = frozenset(listed("-y --yes -c --call --package -p --with --from"))


_PROGRAMS = (
    "vitest jest mocha ava tap c8 nyc tsc eslint prettier biome stylelint playwright cypress vite webpack turbo nx tsx"
)
"""Of the project, which yarn and pnpm start by their bare name."""


def _refusal(run: Invocation, what: str) -> Refuse:
    return Refuse("network", f"{run.program} {what} uses the network or changes what is installed: {_WHY}")


def _system(run: Invocation) -> Iterable[Step]:
    if run.words and run.words[0] not in _SYSTEM_ASKS:
        yield _refusal(run, run.words[0])


def _pip(run: Invocation) -> Iterable[Step]:
    command = next((word for word in run.words if not word.startswith("-")), "")
    if not command or "--help" in run.words or "-h" in run.words:
        return
    if command == "config":
        yield Refuse("secrets", "pip's configuration may hold a token")
    elif command not in _PIP_ASKS:
        yield _refusal(run, command)


def _manager(local: str, *, runs: str = "", alone: bool = True, programs: str = "") -> Table:
    """A project manager: `local` commands stay on the machine, `runs` start the program that follows.

    `alone` says whether the manager without a command is harmless; `programs` can be named without `runs`.
    """
    fine, running, started = map(frozenset, map(listed, (local, runs, programs)))

    def table(run: Invocation) -> Iterable[Step]:
        words = _after_options(list(run.words))
        if not words:
            if not alone:
                yield _refusal(run, "alone")
        elif words[0] in running:
            yield from _started(run, words[1:])
        elif words[0] in started:
            yield from _started(run, words)
        elif words[0] not in fine:
            yield _refusal(run, words[0])
        elif words[0] == "version" and len(words) > 1:
            yield Refuse("write-scope", f"{run.program} version NUMBER rewrites the project's manifest")
        elif words[:2] in (["run", "env"], ["run-script", "env"]):
            yield Refuse("secrets", f"{run.program} run env prints the whole environment")

    return table


def _after_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-") and words[0] not in _INFORMS:
        if words.pop(0) in _VALUED:
            del words[:1]
    return words


def _started(run: Invocation, words: list[str]) -> Iterable[Step]:
    """The program that `npm exec`, `poetry run` or `npx` starts, without their own options."""
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in _FETCHES or re.match(r"--(package|call|with|from)=", option):
            yield _refusal(run, option)
        if option == "--":
            break
    if words:
        yield Invoke(tuple(words), starter=Starter.PROGRAM)


def _npx(run: Invocation) -> Iterable[Step]:
    yield from _started(run, list(run.words))


def _fetcher(run: Invocation) -> Iterable[Step]:
    yield _refusal(run, "always")


TABLE = {
    **dict.fromkeys(_SYSTEM, _system),
    "pip": _pip,
    "npm": _manager(f"{_ASKS} test t tst run run-script start build", runs="exec x"),
    "yarn": _manager(
        f"{_ASKS} test run start build lint check typecheck format:check", runs="exec", alone=False, programs=_PROGRAMS
    ),
    "pnpm": _manager(f"{_ASKS} test t run start build lint typecheck", runs="exec", programs=_PROGRAMS),
    "bun": _manager(f"{_ASKS} test run build", runs="x"),
    **dict.fromkeys(("npx", "bunx"), _npx),
    "poetry": _manager("--version -V show check env version list about", runs="run"),
    "pipenv": _manager("--version --venv --where graph", runs="run"),
    "pdm": _manager("--version -V list show info", runs="run"),
    "hatch": _manager("--version version env test status", runs="run"),
    "uv": _manager("--version version tree", runs="run"),
    "rye": _manager("--version show list test lint", runs="run"),
    "bundle": _manager("--version -v show list info check", runs="exec", alone=False),
    "gem": _manager("--version -v list environment which contents specification"),
    "composer": _manager("--version -V show validate test run-script", runs="exec"),
    **dict.fromkeys(listed("uvx twine nix nuget"), _fetcher),
}
