"""Import errors that no edit can mend: the module is neither installed nor the repository's own."""

import re
import shlex

from autofix.checks.result import CheckResult, Outcome
from autofix.ports.sandbox import Sandbox, ShellCommand

_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([A-Za-z_]\w*)[\w.]*'")
_INSTALLED = ("site-packages", ".venv", "venv", ".git", "node_modules", ".tox", ".nox")
"""Directories of a tree that hold what others wrote."""
_LOOK_TIMEOUT = 60.0
"""Seconds for walking the tree by name."""


def missing_modules(result: CheckResult, sandbox: Sandbox) -> tuple[str, ...]:
    """The modules that failing imports lack, where **every** failing case is such an import error; else empty.

    A module that the repository has somewhere under its name is the pull request's own trouble, not the machine's.
    """
    names = set()
    for id_ in result.failing:
        case = result.cases[id_]
        match = _NO_MODULE.search(case.message) or _NO_MODULE.search(case.trace)
        if case.outcome is not Outcome.ERROR or match is None:
            return ()
        names.add(match[1])
    return () if names & _in_tree(names, sandbox) else tuple(sorted(names))


def _in_tree(names: set[str], sandbox: Sandbox) -> set[str]:
    pruned = " -o ".join(f"-name {name}" for name in _INSTALLED)
    wanted = " -o ".join(f"-name {shlex.quote(name + suffix)}" for name in sorted(names) for suffix in ("", ".py"))
    script = f"find . \\( {pruned} \\) -prune -o \\( {wanted} \\) -print | head -n 1000"
    lines = sandbox.run(ShellCommand(script, _LOOK_TIMEOUT)).text.splitlines()
    return {line.rpartition("/")[2].removesuffix(".py") for line in lines}
