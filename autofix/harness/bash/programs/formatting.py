"""Formatters and fixers: over files in scope they are a way to edit, over anything else they are refused."""

import re
from collections.abc import Iterable

from autofix.harness.bash.deeds import Step, Write
from autofix.harness.bash.invocation import Invocation
from autofix.harness.bash.options import scan
from autofix.harness.bash.programs.writing_options import Table, has, outputs
from autofix.harness.bash.tables import listed

_REPORTS = listed("--output-file --output --report-file -o")


def _formatter(check: str, *, fix: str = "", valued: str = "", long: str = "") -> Table:
    """A formatter rewrites its operands unless told to check (with `fix`: only where told to fix)."""
    checking, fixing, names = listed(check), listed(fix), listed(long)

    def table(run: Invocation) -> Iterable[Step]:
        if has(run, "--version", "--help", "-h", "-V"):
            return
        if _given(run, checking) or (fixing and not _given(run, fixing)):
            yield from outputs(run, _REPORTS)
            return
        operands = scan(run.words, valued=valued, long=names).operands
        if operands != ["-"]:
            yield from (Write(path, below=True) for path in operands or ["."])

    return table


def _given(run: Invocation, options: tuple[str, ...]) -> bool:
    """Whether one of the options is given, also as a letter in a cluster (`-ri`)."""
    letters = "".join(option[1] for option in options if len(option) == 2)  # noqa: PLR2004 - a dash and a letter
    clusters = (word for word in run.words if re.fullmatch(r"-[a-zA-Z]{2,4}", word))
    return has(run, *options) or any(set(letters).intersection(cluster[1:]) for cluster in clusters)


_RUFF_FLAGS = frozenset(listed("--quiet -q --verbose -v --isolated --no-cache -n"))
_RUFF_VALUED = listed(
    "select= ignore= extend-select= config= line-length= target-version= output-format= exclude= output-file= "
    "cache-dir="
)


def _ruff(run: Invocation) -> Iterable[Step]:
    words = [word for word in run.words if word not in _RUFF_FLAGS]
    command = "".join(words[:1])
    yield from outputs(run, ("--output-file", "-o", "--cache-dir"))
    formats = command == "format" and not has(run, "--check")
    fixes = has(run, "--fix", "--fix-only", "--add-noqa")
    if (formats or fixes) and not has(run, "--diff"):
        operands = scan(words[1:] if command in {"check", "format"} else words, valued="o", long=_RUFF_VALUED).operands
        yield from (Write(path, below=True) for path in operands or ["."])
    if command in {"clean", "server"}:
        yield Write(".ruff_cache", below=True)


TABLE = {
    "ruff": _ruff,
    "black": _formatter(
        "--check --diff", valued="ltCxk", long="line-length= target-version= config= include= exclude= workers= code="
    ),
    "isort": _formatter(
        "--check --check-only -c --diff -d --show-files --show-config",
        valued="lpsm",
        long="line-length= profile= skip= settings-path=",
    ),
    **dict.fromkeys(
        listed("autopep8 yapf docformatter autoflake clang-format shfmt gofmt goimports stylua taplo buf"),
        _formatter(
            "--diff --check -d -l", fix="-i --in-place -w --write --inplace", long="max-line-length= style= select="
        ),
    ),
    **dict.fromkeys(
        listed(
            "rustfmt pyupgrade add-trailing-comma unify reorder-python-imports prettier_d dprint djlint pycln "
            "ssort tan blue nixfmt google-java-format ktfmt standardrb"
        ),
        _formatter("--check -c --diff --list-different"),
    ),
    "2to3": _formatter("--list-fixes -l", fix="-w --write", valued="fjx"),
    **dict.fromkeys(
        listed("prettier eslint stylelint tslint standard xo biome rubocop ktlint swiftlint sqlfluff oxlint"),
        _formatter(
            "--fix-dry-run",
            fix="--fix --write -w -i --in-place --autocorrect --autocorrect-all -a -A --apply",
            valued="cof",
            long="config= format= ext= rule= output-file= config-path=",
        ),
    ),
}
