"""What a tampering rule says of a patch: a value, shared by the rules, the verdict and the report."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

TestsEdit = Literal["deny", "ask", "allow"]
"""What the policy says of a fix that changes tests."""


class Severity(Enum):
    """How sure a rule is."""

    ASK = "ask"
    """It touches the measure or looks odd; a person says whether that is right."""
    TAMPERING = "tampering"
    """There is no honest reading: the measure was made weaker, or the code behaves otherwise under test."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule's finding.

    Attributes:
        rule: the rule's id, such as "skip-added".
        line: 1-based, in the patched file (in the head's where the line is gone); None for the whole file.
        message: one line that says what and why it matters; may quote untrusted names.
    """

    rule: str
    path: str
    line: int | None
    severity: Severity
    message: str

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message} [{self.rule}]"
