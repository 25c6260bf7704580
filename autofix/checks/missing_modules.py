"""Import errors at collection: a dependency that this machine lacks, or an import that the pull request broke?

A module that the repository has somewhere under its name is the pull request's own trouble. One that it has not is the
machine's where the merge base lacks it, too, or where the pull request asks for other dependencies than its base (then
they were not installed); else the pull request imports what nobody declares.
"""

import re
import shlex

from autofix.checks.result import Check, CheckResult, Outcome
from autofix.checks.runs import Runs
from autofix.ports.sandbox import Sandbox, ShellCommand

_NO_MODULE = re.compile(
    r"ModuleNotFoundError: No module named '([A-Za-z_]\w*)[\w.]*'"
    r"|Cannot find (?:module|package) '((?:@[\w.-]+/)?\w[\w.-]*)(?:/[^']*)?'"
    r"|Failed to resolve import \"((?:@[\w.-]+/)?\w[\w.-]*)(?:/[^\"]*)?\""
    r"|cannot load such file -- (\w[\w-]*)"
)
"""As Python, Node (whose relative paths begin with a dot), Vite and Ruby say it."""
_INSTALLED = ("site-packages", ".venv", "venv", ".git", "node_modules", ".tox", ".nox", "vendor")
"""Directories of a tree that hold what others wrote."""
_MANIFESTS = (
    *("requirements*", "constraints*", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile*", "*.lock"),
    *("environment*.yml", "tox.ini", "package.json", "package-lock.json", "pnpm-lock.yaml", "Gemfile*", "*.gemspec"),
)
"""Files in which projects say what they need, as `find -name` takes them."""
_LOOK_TIMEOUT = 60.0
"""Seconds for walking the tree by name."""


def missing_modules(check: Check, result: CheckResult, runs: Runs) -> tuple[str, ...]:
    """The modules that the machine lacks, where **every** failing case is such an import error; else empty."""
    names = _missing(result)
    if not names or names & _in_tree(names, runs.head):
        return ()
    if runs.has_base and not _missing_at_base(check, runs) and _manifests(runs.head) == _manifests(runs.base):
        return ()
    return tuple(sorted(names))


def _missing(result: CheckResult) -> set[str]:
    names = set()
    for id_ in result.failing:
        case = result.cases[id_]
        match = _NO_MODULE.search(case.message) or _NO_MODULE.search(case.trace)
        if case.outcome is not Outcome.ERROR or match is None:
            return set()
        names.add(next(name for name in match.groups() if name))
    return names


def _missing_at_base(check: Check, runs: Runs) -> bool:
    """Whether the base has no picture either, or one of nothing but missing modules."""
    result = runs.at_base(check)
    return result.not_run is not None or bool(_missing(result))


def _in_tree(names: set[str], sandbox: Sandbox) -> set[str]:
    last = {name.rpartition("/")[2]: name for name in names}
    endings = ("", ".py", ".rb", ".js", ".ts")
    lines = _found(sandbox, [f"{name}{ending}" for name in sorted(last) for ending in endings], "-print | head -n 1000")
    stems = (re.sub(r"\.(?:py|rb|js|ts)$", "", line.rpartition("/")[2]) for line in lines)
    return {last[stem] for stem in stems if stem in last}


def _manifests(sandbox: Sandbox) -> list[str]:
    """A line for each manifest: its checksum, its size, its path."""
    return _found(sandbox, _MANIFESTS, "-type f -exec cksum {} + | LC_ALL=C sort")


def _found(sandbox: Sandbox, wanted: list[str] | tuple[str, ...], deed: str) -> list[str]:
    pruned = " -o ".join(f"-name {name}" for name in _INSTALLED)
    names = " -o ".join(f"-name {shlex.quote(name)}" for name in wanted)
    script = f"find . \\( {pruned} \\) -prune -o \\( {names} \\) {deed}"
    return sandbox.run(ShellCommand(script, _LOOK_TIMEOUT)).text.splitlines()
