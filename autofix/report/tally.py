"""What a run's events add up to: denials, attempts, hypotheses ruled out, what was put back.

A watcher of the journal, so that a report says nothing the journal does not.
"""

from collections import Counter
from dataclasses import dataclass, field

from autofix.ports.model import JsonObject, JsonValue
from autofix.state.events import Kind
from autofix.state.journal import Event


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was stopped. `layers` are all that objected; `input` is untrusted text."""

    tool: str
    input: str
    layer: str
    rule: str
    reason: str
    layers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One measured attempt, as the progress detector saw it."""

    number: int
    failing: int
    best: int


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A hypothesis the model gave up, in its own words (untrusted)."""

    hypothesis: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A question a person has answered. `wanted` and `why` are untrusted text."""

    id: str
    wanted: str
    approved: bool
    by: str
    why: str


@dataclass(slots=True)
class Tally:
    """Counts as events come; ask when the run has ended."""

    denials: list[Denial] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    ruled_out: list[RuledOut] = field(default_factory=list)
    put_back: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    tool_calls: int = 0
    plans: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    _wanted: str = ""

    def __call__(self, event: Event) -> None:
        data = event.data
        match event.kind:
            case Kind.TOOL_CALLED:
                self._called(data)
            case Kind.TOOL_ENDED:
                self._ended(data)
            case Kind.APPROVAL_ASKED:
                self._wanted = str(data["wanted"])
            case Kind.APPROVAL_ANSWERED:
                self.answers.append(
                    Answered(str(data["id"]), self._wanted, bool(data["approved"]), str(data["by"]), str(data["why"]))
                )
            case Kind.PROGRESS:
                self.attempts.append(Attempt(_int(data["attempt"]), _int(data["failing"]), _int(data["best"])))
            case Kind.MODEL_RETRIED:
                self.retries += 1
            case Kind.PLAN:
                self.plans.append(_int(data["version"]))
            case Kind.NOTE:
                self.notes.append(str(data["text"]))
            case _:
                pass

    @property
    def denials_by_layer(self) -> dict[str, int]:
        """How often each layer objected; a call stopped twice counts for both."""
        return dict(sorted(Counter(layer for denial in self.denials for layer in denial.layers).items()))

    def _called(self, data: JsonObject) -> None:
        self.tool_calls += 1
        if data["decision"] == "allow":
            return
        opinions = data["opinions"] if isinstance(data["opinions"], list) else []
        objecting = tuple(str(one[0]) for one in opinions if isinstance(one, list) and one[2] != "allow")
        self.denials.append(
            Denial(
                str(data["tool"]),
                _shown(data["input"]),
                str(data["layer"]),
                str(data["rule"]),
                str(data["reason"]),
                tuple(dict.fromkeys(objecting)),
            )
        )

    def _ended(self, data: JsonObject) -> None:
        undone = data["undone"]
        if isinstance(undone, list):
            self.put_back.update(str(path) for path in undone)
        ledger = data["ruled_out"]
        if isinstance(ledger, list):
            self.ruled_out.append(RuledOut(str(ledger[0]), str(ledger[1])))


def _shown(input_: JsonValue) -> str:
    """The telling field of a call's input: a command, a path, else the first."""
    if not isinstance(input_, dict) or not input_:
        return ""
    for name in ("command", "file_path", "path", "pattern"):
        if name in input_:
            return str(input_[name])
    return str(next(iter(input_.values())))


def _int(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
