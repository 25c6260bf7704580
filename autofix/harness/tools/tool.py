"""What a tool is, what it acts on, and what comes of a call. The tools are the other files here.

Each tool's module docstring is its contract: tier, side effects, whether it is repeated, how its result is cut. Its
`TOOL` holds the schema, the description the model reads and the figures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from autofix.harness.cut import HEAD_SHARE
from autofix.harness.policy import Tier
from autofix.harness.redact import Redactor
from autofix.harness.scope import Scope
from autofix.harness.tool_input import ToolInput

if TYPE_CHECKING:
    from autofix.ports.model import ToolSpec
    from autofix.ports.sandbox import CommandResult, Sandbox
    from autofix.ports.tree import WorkTree

SHOWN_BYTES = 4096
"""What the model gets of a result where a tool names nothing else: everything shown is paid for again each turn."""


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a shell command ended; `exit_code` is meaningless when it timed out."""

    exit_code: int
    timed_out: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class ScopeRequest:
    """The model asks to change a path that is not in scope."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuledOutEntry:
    """A hypothesis the model gave up, and what speaks against it; kept word for word through compaction."""

    hypothesis: str
    evidence: str


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call did.

    Attributes:
        text: for the model.
        changed: paths this call wrote.
    """

    text: str
    is_error: bool = False
    changed: tuple[str, ...] = ()
    command: CommandEnd | None = None
    scope_request: ScopeRequest | None = None
    ruled_out: RuledOutEntry | None = None


class Artifacts(Protocol):
    """Where whole results are kept when the model gets only a part. What is kept is redacted already."""

    def keep(self, kind: str, content: bytes) -> str:
        """Store a result; the name under which `read` (and the model, as `artifact:NAME`) finds it.

        Equal content gets an equal name, so that a repeated call with a repeated result can be told to be one.
        """
        ...

    def read(self, name: str) -> bytes | None: ...


def no_variables() -> Mapping[str, str]:
    return {}


def nobody_listens(command: str, ran: "CommandResult") -> None:
    """What a command said is for the model alone."""


@dataclass(slots=True)
class Workshop:
    """What the tools of one attempt act on.

    Attributes:
        run_checks: check name or None for all, test ids -> the report as text for the model.
        bash_environment: variables that each Bash command gets (the injected test report ...).
        after_bash: hears each Bash command and how it ended.
        seen: path -> token of the file as it was when the model last read or wrote it.
    """

    tree: "WorkTree"
    sandbox: "Sandbox"
    scope: Scope
    artifacts: Artifacts
    run_checks: Callable[[str | None, tuple[str, ...]], str]
    redactor: Redactor = field(default_factory=Redactor)
    bash_environment: Callable[[], Mapping[str, str]] = no_variables
    after_bash: Callable[[str, "CommandResult"], None] = nobody_listens
    seen: dict[str, str] = field(default_factory=dict)


Input = TypeVar("Input", bound=ToolInput)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Input]):
    """A tool's contract.

    Attributes:
        description: what the model reads; every byte is paid for in each run.
        timeout: seconds a call may take: enforced by the sandbox where a program runs, kept to by what the tool is
            willing to read elsewhere.
        shown: bytes of UTF-8 the model gets at most; the rest is kept as an artifact.
        head_share: how much of that is the result's beginning; the rest is its end.
    """

    name: str
    description: str
    input: type[Input]
    tier: Tier
    act: Callable[[Input, Workshop], ToolOutcome]
    timeout: float = 30.0
    shown: int = SHOWN_BYTES
    head_share: float = HEAD_SHARE

    def spec(self) -> "ToolSpec":
        from autofix.ports.model import ToolSpec  # late: start-up time

        return ToolSpec(self.name, self.description, self.input.schema())
