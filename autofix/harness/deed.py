"""What became of a call, and how it is read from the journal again when its run is resumed. Values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autofix.checks.kept import unpack_results
from autofix.checks.result import CheckResult
from autofix.harness.call import Decision, Ruling, Verdict
from autofix.harness.tools import Artifacts, ScopeRequest, ToolOutcome
from autofix.ports.model import JsonValue
from autofix.state.journal import Event


@dataclass(frozen=True, slots=True)
class Deed:
    """What became of a call.

    Attributes:
        text: for the model, redacted.
        undone: paths that were put back.
        files: what it changed in the tree, as `TreeMemory` keeps it.
        seen: paths the model has seen by it.
    """

    outcome: ToolOutcome
    text: str
    undone: tuple[str, ...] = ()
    reports: tuple[CheckResult, ...] = ()
    files: Mapping[str, JsonValue] = field(default_factory=dict)
    seen: tuple[str, ...] = ()


STOPPED_MEANWHILE = (
    "autofix was stopped while this call ran, and goes on now. The call's outcome is unknown; whatever it did is gone:"
    " the files are as they were before it. Call it again if you still need it."
)
UNKNOWN = Deed(ToolOutcome(STOPPED_MEANWHILE, is_error=True), STOPPED_MEANWHILE)


def ruling_of(announced: Event) -> Ruling:
    """The ruling as it was; the layers and hooks are not asked a second time."""
    data, opinions = announced.data, announced.data["opinions"]
    said = [one for one in opinions if isinstance(one, list)] if isinstance(opinions, list) else []
    verdict = _verdict(data["layer"], data["rule"], data["decision"], data["reason"])
    return Ruling(verdict, tuple(_verdict(*one) for one in said))


def _verdict(layer: JsonValue, rule: JsonValue, decision: JsonValue, reason: JsonValue) -> Verdict:
    return Verdict(Decision[str(decision).upper()], str(layer), str(rule), str(reason))


def deed_of(ended: Event, store: Artifacts) -> Deed:
    """The deed as it was reported. Raises JournalDamaged where its reports were not kept whole."""
    data = ended.data
    asked, reports, files = data["scope_request"], str(data["reports"]), data["files"]
    text = str(data["result"])
    outcome = ToolOutcome(
        text,
        is_error=bool(data["error"]),
        changed=_words(data["changed"]),
        scope_request=ScopeRequest(*map(str, asked)) if isinstance(asked, list) else None,
    )
    return Deed(
        outcome,
        text,
        _words(data["undone"]),
        unpack_results(store.read(reports) or b"") if reports else (),
        files if isinstance(files, dict) else {},
        _words(data["seen"]),
    )


def _words(items: JsonValue) -> tuple[str, ...]:
    return tuple(str(item) for item in items) if isinstance(items, list) else ()
