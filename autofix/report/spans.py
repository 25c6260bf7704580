"""A run as a trace: run > task > turn > model call or tool call, in the words of OpenTelemetry's GenAI conventions.

Made from the journal's events alone, as they come. Ids follow from the run's name and the event that opened the span,
so that a run that is resumed tells the same spans again under the same ids.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from autofix.ports.model import JsonValue
from autofix.state.events import Kind
from autofix.state.journal import Event

Attribute = str | int | float | bool | tuple[str, ...]
CONTENT_LIMIT = 16 * 1024
"""Characters of a content attribute; backends refuse or cut longer ones."""
_USAGE = ("input", "output", "cache_read", "cache_creation")


@dataclass(frozen=True, slots=True)
class Span:
    """A span that has ended. `parent` is None for the run's own; `client` marks a call to the model's service."""

    id: int
    parent: int | None
    name: str
    start: datetime
    end: datetime
    attributes: Mapping[str, Attribute]
    client: bool = False
    error: str = ""


@dataclass(slots=True)
class _Open:
    id: int
    parent: int | None
    name: str
    start: datetime
    attributes: dict[str, Attribute]
    client: bool = False


def trace_id(run_id: str) -> int:
    """128 bits, the same whenever the run is told."""
    return int.from_bytes(hashlib.sha256(f"autofix trace {run_id}".encode()).digest()[:16]) or 1


def trace_hex(run_id: str) -> str:
    return f"{trace_id(run_id):032x}"


@dataclass(slots=True, kw_only=True)
class Spans:
    """A watcher of the journal.

    Attributes:
        keep: takes each span when it has ended.
        content: whether words and inputs go out, too; they can hold code of the repository.
    """

    keep: Callable[[Span], None]
    content: bool = False
    _run: str = ""
    _turns: int = 0
    _open: dict[str, _Open] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        told = _TOLD.get(event.kind)
        if told is not None:
            told(self, event)

    def started(self, event: Event) -> None:
        data = event.data
        self._run = str(data["run"])
        self._begin(
            event,
            "run",
            "invoke_agent autofix",
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "autofix",
                "gen_ai.conversation.id": self._run,
                "gen_ai.request.model": str(data["model"]),
                "vcs.ref.head.name": str(data["branch"]),
                "vcs.ref.head.revision": str(data["head"]),
                "autofix.sandbox": str(data["sandbox"]),
            },
        )

    def check_started(self, event: Event) -> None:
        why = str(event.data["why"])
        self._begin(
            event, "check", f"check {event.data['check']}", {"autofix.check.why": why}, ("verification", "task", "run")
        )

    def check_ran(self, event: Event) -> None:
        failing = event.data["failing"]
        counts: dict[str, Attribute] = {"autofix.check.failing": len(failing) if isinstance(failing, list) else 0}
        self._end(event, "check", counts, str(event.data["not_run"] or ""))

    def task_started(self, event: Event) -> None:
        self._begin(
            event, "task", f"task {event.data['task']}", {"autofix.task.kind": str(event.data["kind"])}, ("run",)
        )

    def task_ended(self, event: Event) -> None:
        self._end(event, "task", {"autofix.task.end": str(event.data["end"])})

    def model_called(self, event: Event) -> None:
        self._end(event, "turn")
        self._turns += 1
        self._begin(event, "turn", f"turn {self._turns}", {"autofix.turn": self._turns}, ("task", "run"))
        model = str(event.data["model"])
        attributes: dict[str, Attribute] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "anthropic",
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": self._run,
        }
        self._begin(event, "model", f"chat {model}", attributes, ("turn",), client=True)

    def model_retried(self, _event: Event) -> None:
        if model := self._open.get("model"):
            before = model.attributes.get("autofix.retries", 0)
            model.attributes["autofix.retries"] = (before if isinstance(before, int) else 0) + 1

    def model_replied(self, event: Event) -> None:
        data = event.data
        used = [one if isinstance(one, int) else 0 for one in _list(data["usage"])]
        fresh, output, read, written = (*used, 0, 0, 0, 0)[:4]
        attributes: dict[str, Attribute] = {
            "gen_ai.response.finish_reasons": (str(data["stop_reason"]),),
            "gen_ai.usage.input_tokens": fresh + read + written,
            "gen_ai.usage.output_tokens": output,
            "gen_ai.usage.cache_read.input_tokens": read,
            "gen_ai.usage.cache_creation.input_tokens": written,
        }
        if data.get("request_id"):
            attributes["gen_ai.response.id"] = str(data["request_id"])
        if self.content and data["text"]:
            words = [{"role": "assistant", "parts": [{"type": "text", "content": str(data["text"])[:CONTENT_LIMIT]}]}]
            attributes["gen_ai.output.messages"] = json.dumps(words)
        self._end(event, "model", attributes)

    def tool_called(self, event: Event) -> None:
        data = event.data
        attributes: dict[str, Attribute] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": str(data["tool"]),
            "gen_ai.tool.call.id": str(data["id"]),
            "gen_ai.tool.type": "function",
            "autofix.gate.decision": str(data["decision"]),
            "autofix.gate.layer": str(data["layer"]),
            "autofix.gate.rule": str(data["rule"]),
        }
        if self.content:
            attributes["gen_ai.tool.call.arguments"] = json.dumps(data["input"])[:CONTENT_LIMIT]
        self._begin(event, "tool", f"execute_tool {data['tool']}", attributes, ("turn", "task", "run"))

    def tool_ended(self, event: Event) -> None:
        attributes: dict[str, Attribute] = {}
        if self.content:
            attributes["gen_ai.tool.call.result"] = str(event.data["result"])[:CONTENT_LIMIT]
        self._end(event, "tool", attributes, "the call failed" if event.data["error"] else "")

    def verification_started(self, event: Event) -> None:
        self._begin(event, "verification", "verification", {}, ("turn", "task", "run"))

    def verified(self, event: Event) -> None:
        self._end(event, "verification", {"autofix.verdict": str(event.data["verdict"])})

    def delivery_started(self, event: Event) -> None:
        self._begin(event, "delivery", "delivery", {}, ("task", "run"))

    def delivered(self, event: Event) -> None:
        self._end(event, "delivery", {"autofix.delivery": str(event.data["rung"])})

    def paused(self, event: Event) -> None:
        self._end(event, "run", {"autofix.outcome": "awaiting_approval"})

    def ended(self, event: Event) -> None:
        data = event.data
        error = str(data["reason"]) if data["phase"] == "failed" and data["outcome"] == "error" else ""
        self._end(event, "run", {"autofix.outcome": str(data["outcome"]), "autofix.turns": self._turns}, error)

    def _begin(
        self,
        event: Event,
        key: str,
        name: str,
        attributes: dict[str, Attribute],
        under: tuple[str, ...] = (),
        *,
        client: bool = False,
    ) -> None:
        parent = next((self._open[one].id for one in under if one in self._open), None)
        told = hashlib.sha256(f"{self._run} {event.number} {key}".encode()).digest()
        id_ = int.from_bytes(told[:8]) or 1
        self._open[key] = _Open(id_, parent, name, event.at, attributes, client)

    def _end(self, event: Event, key: str, attributes: Mapping[str, Attribute] | None = None, error: str = "") -> None:
        """End a span, and what was left open below it."""
        if key not in self._open:
            return
        for child in [name for name, one in self._open.items() if one.parent == self._open[key].id]:
            self._end(event, child)
        one = self._open.pop(key)
        self.keep(
            Span(
                one.id,
                one.parent,
                one.name,
                one.start,
                max(one.start, event.at),
                {**one.attributes, **(attributes or {})},
                one.client,
                error,
            )
        )


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


_TOLD: Mapping[Kind, Callable[[Spans, Event], None]] = {
    Kind.RUN_STARTED: Spans.started,
    Kind.CHECK_STARTED: Spans.check_started,
    Kind.CHECK_RAN: Spans.check_ran,
    Kind.TASK_STARTED: Spans.task_started,
    Kind.TASK_ENDED: Spans.task_ended,
    Kind.MODEL_CALLED: Spans.model_called,
    Kind.MODEL_RETRIED: Spans.model_retried,
    Kind.MODEL_REPLIED: Spans.model_replied,
    Kind.TOOL_CALLED: Spans.tool_called,
    Kind.TOOL_ENDED: Spans.tool_ended,
    Kind.VERIFICATION_STARTED: Spans.verification_started,
    Kind.VERIFIED: Spans.verified,
    Kind.DELIVERY_STARTED: Spans.delivery_started,
    Kind.DELIVERED: Spans.delivered,
    Kind.PAUSED: Spans.paused,
    Kind.RUN_ENDED: Spans.ended,
}
