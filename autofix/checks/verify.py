"""Baseline + what the patched tree shows + findings -> Verification: the only place that says "fixed"."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding
from autofix.checks.result import CaseKey, CheckResult

TestsEdit = Literal["deny", "ask", "allow"]


class VerificationVerdict(Enum):
    """From worst to best, but for the last."""

    NOT_RUN = "not run"
    """A check gave no picture: nothing may be called fixed."""
    TAMPERING = "tampering"
    STILL_FAILING = "still failing"
    NEWLY_FAILING = "newly failing"
    NEEDS_APPROVAL = "needs approval"
    """The failing tests pass, but the patch touches the measure: a person decides."""
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Verification:
    """What verification saw.

    Attributes:
        fixed, still_failing: the goal, split.
        newly_failing: failing now, neither in the goal nor known as flaky or pre-existing.
        lost: cases of the head's picture that no longer ran.
        newly_skipped: cases that ran at the head and are skipped or expected to fail now.
        findings: what the tampering rules found.
        notes: what was odd, in plain words.
    """

    verdict: VerificationVerdict
    fixed: tuple[CaseKey, ...] = ()
    still_failing: tuple[CaseKey, ...] = ()
    newly_failing: tuple[CaseKey, ...] = ()
    lost: tuple[CaseKey, ...] = ()
    newly_skipped: tuple[CaseKey, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def evidence(self) -> str:
        """Short text for the model: what is not right yet, with the failing cases' messages."""
        raise NotImplementedError


def verify(
    baseline: Baseline,
    measured: Sequence[CheckResult],
    findings: Sequence[Finding] = (),
    *,
    patched: Sequence[CheckResult] | None = None,
    tests_edit: TestsEdit = "ask",
) -> Verification:
    """Judge a patch by I5.

    Args:
        measured: every check on head + the patch's code with the head's own measure (`restore_measure`).
        patched: every check on head + the whole patch; None where the patch leaves the measure alone (then `measured`
            is the whole patch).
    """
    raise NotImplementedError
