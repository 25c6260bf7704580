"""What a tool is, what it acts on, and what comes of a call. The tools are the other files here.

Each tool's module docstring is its contract: tier, side effects, whether it is repeated, how its result is cut. Its
`TOOL` holds the schema, the description the model reads and the figures.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, field_validator

from autofix.harness.cut import HEAD_SHARE
from autofix.harness.policy import Tier
from autofix.harness.redact import Redactor
from autofix.harness.scope import Scope
from autofix.ports.model import JsonValue, ToolSpec
from autofix.ports.sandbox import Sandbox
from autofix.ports.tree import WorkTree

SHOWN_BYTES = 4096
"""What the model gets of a result where a tool names nothing else: everything shown is paid for again each turn."""


_SURROGATES = re.compile("[\ud800-\udfff]")


class ToolInput(BaseModel):
    """Base of all inputs: strict types, no unknown field, no text that could not be written down."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    @field_validator("*")
    @classmethod
    def _is_unicode(cls, value: object) -> object:
        """JSON can spell half of a surrogate pair, which neither a path nor a script can hold."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and _SURROGATES.search(text):
                raise ValueError("holds half of a surrogate pair, which is no character")
        return value


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


@dataclass(slots=True)
class Workshop:
    """What the tools of one attempt act on.

    Attributes:
        run_checks: check name or None for all, test ids -> the report as text for the model.
        bash_environment: variables that each Bash command gets (the injected test report ...).
        seen: path -> token of the file as it was when the model last read or wrote it.
    """

    tree: WorkTree
    sandbox: Sandbox
    scope: Scope
    artifacts: Artifacts
    run_checks: Callable[[str | None, tuple[str, ...]], str]
    redactor: Redactor = field(default_factory=Redactor)
    bash_environment: Callable[[], Mapping[str, str]] = no_variables
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

    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, lean_schema(self.input))


def lean_schema(model: type[BaseModel]) -> dict[str, JsonValue]:
    """The input's JSON Schema without what a model has no use for (titles, null defaults, null alternatives)."""
    schema = model.model_json_schema(by_alias=True)
    lean: dict[str, JsonValue] = {
        "type": "object",
        "properties": {name: _lean_field(prop) for name, prop in schema["properties"].items()},
    }
    if required := schema.get("required"):
        lean["required"] = required
    return lean


def _lean_field(prop: dict[str, Any]) -> dict[str, JsonValue]:
    variants = [variant for variant in prop.get("anyOf", ()) if variant.get("type") != "null"]
    merged = {**prop, **variants[0]} if len(variants) == 1 else prop
    noise = {"title", "anyOf"} if merged.get("default", ...) is not None else {"title", "anyOf", "default"}
    return {key: value for key, value in merged.items() if key not in noise}
