"""What a run has learnt so far: complete enough for a report at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # names of types alone: they are imported while the baseline runs
    from autofix.checks.baseline import Baseline
    from autofix.checks.ci_evidence import CiEvidence
    from autofix.delivery.deliver import Delivered
    from autofix.harness.approval import Waiting
    from autofix.loop.outcome import Stopped
    from autofix.pipeline.attempt import Attempt

PhaseEnd = Literal["completed", "failed", "cancelled"]


@dataclass(slots=True)
class Found:
    """What the stages hand on, and how the run ends."""

    started: float
    baseline: Baseline | None = None
    evidence: CiEvidence | None = None
    attempt: Attempt | None = None
    delivered: Delivered | None = None
    waiting: Waiting | None = None
    """What a person has to answer before the run can go on."""
    ended: Stopped | None = None
    phase: PhaseEnd = "completed"

    def end(self, ended: Stopped, phase: PhaseEnd = "completed") -> None:
        """The first end stands, unless the run itself breaks."""
        if self.ended is None or phase != "completed":
            self.ended, self.phase = ended, phase
