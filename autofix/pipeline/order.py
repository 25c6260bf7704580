"""What a run is told (Order), and the doors it acts through (World). Values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from autofix.harness.denylist import DenyList
from autofix.harness.policy import Mode
from autofix.harness.settings_rules import RuleSet

if TYPE_CHECKING:  # names of types alone: they are imported while the baseline runs
    from autofix.checks.case_memory import CaseMemory
    from autofix.checks.ci_evidence import CiEvidence
    from autofix.checks.result import Check
    from autofix.delivery.deliver import Highest
    from autofix.delivery.patch import PatchLimits
    from autofix.delivery.rungs import PullDoors
    from autofix.harness.approval import Answer
    from autofix.harness.bash.syntax import BashParser
    from autofix.harness.hooks import Hooks
    from autofix.harness.redact import Redactor
    from autofix.harness.scope import Scope
    from autofix.harness.tools import Artifacts
    from autofix.intake.pull_request import PullRequest
    from autofix.loop.budget import Limits
    from autofix.loop.prices import Price
    from autofix.ports.clock import Clock
    from autofix.ports.forge import Forge
    from autofix.ports.git import Git
    from autofix.ports.model import Model
    from autofix.ports.sandbox import Room, SandboxSpec
    from autofix.ports.tree import WorkTrees

RESULT_FILE = "result.json"
COMMENT_FILE = "comment.md"
"""What every run leaves in its directory, by these names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOrder:
    """How calls are judged, besides the scope."""

    mode: Mode = Mode.ACCEPT_EDITS
    denylist: DenyList = field(default_factory=DenyList.built_in)
    rules: RuleSet = field(default_factory=RuleSet)
    tests_edit: Literal["deny", "ask", "allow"] = "ask"
    questions: timedelta | None = None
    """How long a question to a person may wait; None where nobody is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Everything that is decided before a run starts.

    Attributes:
        price: of the model; None where it is not known (then there is no limit of money).
        lifetime_usd: what is left of the money the pull request may cost over its life; None for no limit.
        price_basis: where the price comes from, for the report.
        delivery: the highest rung.
        answering: how a person answers a question: a line with `{word}` (approve, deny) and `{id}` in it.
        apply: one line for a terminal that applies the run's `{file}`; "" for `git apply` and its place.
        page: of the workflow run; "" outside Actions.
        trace: whether the run is traced, and with its contents; None for not.
        taught: what people with write access said to remember, the oldest first.
        findings: what people should know before they read on, such as what the token may not do.
        settings: the configuration without secrets, for the journal.
    """

    run_id: str
    run_directory: str
    pull_request: PullRequest
    scope: Scope
    checks: tuple[Check, ...]
    model: str
    max_output_tokens: int
    model_tries: int
    limits: Limits
    price: Price | None
    price_basis: str
    lifetime_usd: Decimal | None = None
    patience: int
    reruns: int
    fix_preexisting: bool
    patch_limits: PatchLimits
    sandbox: SandboxSpec
    gate: GateOrder
    delivery: Highest
    apply: str = ""
    page: str = ""
    answering: str = "{word} {id}"
    findings: tuple[str, ...] = ()
    taught: tuple[str, ...] = ()
    trace: Literal["spans", "content"] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The doors of one run.

    Attributes:
        parser: makes the reader of bash, whose grammars are loaded while the baseline runs.
        memory: keeps what a resumed run needs of what was done before; not the model's to read.
        keep: stores a file with the run and returns its place; the text is redacted before.
        on_text: hears the model's words as they come.
        pull: the doors to the pull request on GitHub; None where the forge is a plain git remote.
        refetch: brings the branch's present head into `git`; its commit. None where that cannot be done.
        answers: what people have said to this run's questions, by the question's id.
        park: puts the run where another process can find it, before it says that it waits; ForgeError, CannotPush
            where it cannot be kept.
        cases: what earlier runs found out about tests; None where nothing may be remembered.
        evidence: what CI showed; asked once, after the baseline. Does not raise.
        account: hears what the run has cost in USD; what its commit says of the money spent on the pull request.
    """

    git: Git
    trees: WorkTrees
    room: Room
    model: Model
    forge: Forge
    clock: Clock
    hooks: Hooks
    parser: Callable[[], BashParser]
    artifacts: Artifacts
    memory: Artifacts
    redactor: Redactor
    keep: Callable[[str, bytes], str]
    on_text: Callable[[str], None] = lambda _text: None
    pull: PullDoors | None = None
    refetch: Callable[[], str] | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    park: Callable[[], None] = lambda: None
    cases: CaseMemory | None = None
    evidence: Callable[[], CiEvidence | None] = lambda: None
    account: Callable[[Decimal], str] = lambda _usd: ""
