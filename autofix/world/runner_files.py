"""The files by which a step speaks to the runner: its outputs and its summary. Only the harness's own keys get there.

A value of several lines ends at a delimiter; it is random, so that no value can end early and set another key.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

SUMMARY_LIMIT = 1024 * 1024
"""Bytes; the runner drops a longer summary whole."""


@dataclass(frozen=True, slots=True)
class RunnerFiles:
    """Where the runner looks; None where it did not say (a run outside Actions)."""

    output: Path | None
    summary: Path | None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        def path(name: str) -> Path | None:
            return Path(environ[name]) if environ.get(name) else None

        return cls(path("GITHUB_OUTPUT"), path("GITHUB_STEP_SUMMARY"))

    def set_outputs(self, values: Mapping[str, str]) -> None:
        """Add outputs; of two values of one key the later counts.

        Raises:
            OSError: the file cannot be written.
        """
        if self.output is not None:
            _append(self.output, "".join(_block(name, value) for name, value in values.items()))

    def add_summary(self, markdown: str) -> None:
        """Raises OSError where the file cannot be written."""
        if self.summary is not None:
            _append(self.summary, f"{markdown}\n")


def _block(name: str, value: str) -> str:
    delimiter = f"autofix-{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8", errors="replace", newline="") as stream:
        stream.write(text)
