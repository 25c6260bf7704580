"""What a fix task is put together from."""

from dataclasses import dataclass

from autofix.checks.baseline import Baseline
from autofix.checks.ci_evidence import CiEvidence
from autofix.harness.fence import Fence
from autofix.pipeline.order import Order, World
from autofix.pipeline.workspace import Workplace, Workspace
from autofix.state.recorder import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a fix task is put together from: the run, and the workplace that is this attempt's own."""

    order: Order
    world: World
    workspace: Workspace
    workplace: Workplace
    baseline: Baseline
    recorder: Recorder
    started: float
    """When the run started, by the clock."""
    fence: Fence
    evidence: CiEvidence | None = None
