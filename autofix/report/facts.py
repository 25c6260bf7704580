"""Everything a report may say of a run, in plain fields. Values only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autofix.checks.baseline import Baseline
from autofix.checks.ci_evidence import CiEvidence
from autofix.checks.verify import Verification
from autofix.delivery.deliver import Delivered
from autofix.delivery.patch import Patch
from autofix.harness.approval import Waiting
from autofix.intake.pull_request import PullRequest
from autofix.ports.model import Usage
from autofix.report.tally import Answered, Attempt, Denial, RuledOut
from autofix.state.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Cost:
    """What the model calls used. `usd` is None where the model's price is not known."""

    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    usd: Decimal | None = None
    basis: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run, told.

    Attributes:
        reason: one line that explains the outcome; may quote untrusted text.
        evidence: what CI itself showed, where that was looked at.
        failing_after: what failed at the last look; None where nothing was looked at after the baseline.
        put_back: path -> how often a program changed it out of scope and it was restored.
        last_words: the model's last text (untrusted).
        waiting: what a person is asked; None where the run does not wait.
        answering: how a question is answered: a line with `{word}` (approve, deny) and `{id}` in it.
        answers: what people have said in this run.
        findings: what people should know before they read on, such as what the token may not do.
        sandbox: the room's name.
        run_directory: where the journal, the transcript and the artifacts lie.
        trace: id of the run's trace in hexadecimal digits; "" where it was not traced.
        page: of the workflow run with the log; "" outside Actions.
        take_over: one line for a terminal that applies a patch nobody delivered; "" where there is none.
        bundled: delivered by a job that ran nothing, from what another job had found.
    """

    run_id: str
    outcome: Outcome
    reason: str
    model: str
    sandbox: str
    run_directory: str
    pull_request: PullRequest | None = None
    checks: tuple[str, ...] = ()
    baseline: Baseline | None = None
    evidence: CiEvidence | None = None
    failing_after: tuple[str, ...] | None = None
    attempts: tuple[Attempt, ...] = ()
    patch: Patch | None = None
    verification: Verification | None = None
    delivered: Delivered | None = None
    denials: tuple[Denial, ...] = ()
    denials_by_layer: Mapping[str, int] = field(default_factory=dict)
    put_back: Mapping[str, int] = field(default_factory=dict)
    ruled_out: tuple[RuledOut, ...] = ()
    plans: tuple[int, ...] = ()
    cost: Cost = field(default_factory=Cost)
    tool_calls: int = 0
    retries: int = 0
    seconds: float = 0.0
    last_words: str = ""
    notes: tuple[str, ...] = ()
    waiting: Waiting | None = None
    answering: str = "{word} {id}"
    answers: tuple[Answered, ...] = ()
    findings: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    trace: str = ""
    page: str = ""
    take_over: str = ""
    bundled: bool = False

    def noting(self, notes: Sequence[str]) -> "RunReport":
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes)) if notes else self
