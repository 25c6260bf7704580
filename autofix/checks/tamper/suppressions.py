"""Markers that make linters, type checkers and coverage look away."""

import re
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.result import CaseKey
from autofix.checks.tamper.patch import PatchFiles

_MARKER = re.compile(
    r"#\s*type:\s*ignore|#\s*noqa|#\s*pragma:\s*no\s*(cover|branch)|pylint:\s*disable|pyright:\s*(ignore|basic)"
    r"|#\s*mypy:\s*ignore|#\s*ruff:\s*noqa|#\s*flake8:\s*noqa|#\s*nosec|eslint-disable|@ts-(ignore|nocheck|expect-error)"
    r"|@SuppressWarnings|//\s*nolint|#!?\[allow\(|rubocop:disable|NOSONAR|(istanbul|c8|v8) ignore|NOLINT|phpcs:ignore"
    r"|@phpstan-ignore|#pragma warning disable",
    re.IGNORECASE,
)
_BLANKET = re.compile(
    r"#\s*type:\s*ignore(?!\[)|#\s*noqa(?!:\s*[A-Z])|#\s*mypy:\s*ignore-errors|#\s*(ruff|flake8):\s*noqa(?!:\s*[A-Z])"
    r"|pylint:\s*disable=all|pylint:\s*skip-file|#\s*nosec(?!\s+B\d)|pyright:\s*ignore(?!\[)|pyright:\s*basic"
    r"|eslint-disable(-next-line|-line)?\s*(\*/|$|--)|@ts-(ignore|nocheck)|//\s*nolint(?!:)|\bNOLINT(NEXTLINE)?(?!\()"
    r"|@SuppressWarnings\(\s*\{?\s*\"all\"|#!?\[allow\((warnings|clippy::all)\)|rubocop:disable\s+all|NOSONAR"
    r"|phpcs:ignoreFile|@phpstan-ignore-(line|next-line)|#pragma warning disable\s*$",
    re.IGNORECASE,
)
"""Markers that name no rule: they hide what nobody has seen yet, too."""
_WHOLE_FILE = re.compile(
    r"#\s*mypy:\s*ignore-errors|#\s*(ruff|flake8):\s*noqa|pylint:\s*(disable=all|skip-file)|@ts-nocheck|pyright:\s*basic"
    r"|/\*\s*eslint-disable\s*(\*/|--)|phpcs:ignoreFile",
    re.IGNORECASE,
)


def added_suppressions(patch: PatchFiles) -> Iterator[Finding]:
    """A blanket marker where a checker's complaint is to be mended is no mending; elsewhere a person is asked.

    Where the goal is tests alone, a marker on one line changes no verdict and is let pass.
    """
    complaints = any(_is_complaint(key) for key in patch.goal)
    tests_alone = bool(patch.goal) and not complaints
    for file in patch.files:
        for line, text in file.added_lines:
            match = _MARKER.search(text)
            blanket = (_WHOLE_FILE if tests_alone else _BLANKET).search(text)
            if blanket:
                severity = Severity.TAMPERING if complaints else Severity.ASK
                message = f"a checker is told to look away from everything ({blanket[0].strip()})"
                yield Finding("suppression-added", file.path, line, severity, message)
            elif match and not tests_alone:
                message = f"a checker is told to look away ({match[0]})"
                yield Finding("suppression-added", file.path, line, Severity.ASK, message)


def _is_complaint(key: CaseKey) -> bool:
    """Whether a case is a linter's: `path: rule: words` or, of a check without a report, the check itself."""
    return key.case == key.check or (": " in key.case and "::" not in key.case and " > " not in key.case)
