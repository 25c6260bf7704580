"""Markers that make linters, type checkers and coverage look away."""

import re
from collections.abc import Iterator

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import PatchFiles

_MARKER = re.compile(
    r"#\s*type:\s*ignore|#\s*noqa|#\s*pragma:\s*no\s*(cover|branch)|pylint:\s*disable|pyright:\s*(ignore|basic)"
    r"|#\s*mypy:\s*ignore|#\s*ruff:\s*noqa|#\s*flake8:\s*noqa|#\s*nosec|eslint-disable|@ts-(ignore|nocheck|expect-error)"
    r"|@SuppressWarnings|//\s*nolint|#!?\[allow\(|rubocop:disable|NOSONAR|(istanbul|c8|v8) ignore|NOLINT|phpcs:ignore"
    r"|@phpstan-ignore|#pragma warning disable",
    re.IGNORECASE,
)


def added_suppressions(patch: PatchFiles) -> Iterator[Finding]:
    """Nothing where the goal is tests alone: there a marker for a linter changes no verdict."""
    if patch.goal and all("::" in key.case for key in patch.goal):
        return
    for file in patch.files:
        for line, text in file.added_lines:
            match = _MARKER.search(text)
            if match:
                message = f"a checker is told to look away ({match[0]})"
                yield Finding("suppression-added", file.path, line, Severity.ASK, message)
