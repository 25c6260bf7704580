"""The one comment while a run goes on: where it stands, in four lines. Numbers and our own words only."""

from dataclasses import dataclass, field

from autofix.ports.model import JsonObject, JsonValue
from autofix.state.events import Kind
from autofix.state.journal import Event

_STAGES = {
    "setup": "preparing the sandbox",
    "baseline": "reproducing the failure",
    "loop": "working on a fix",
    "delivery": "delivering the fix",
}


@dataclass(slots=True)
class Standing:
    """What the events so far add up to."""

    run: str = ""
    head: str = ""
    stage: str = "starting"
    turns: int = 0
    denied: int = 0
    verifying: bool = False
    failing: list[int] = field(default_factory=list)

    def __call__(self, event: Event) -> bool:
        """Take an event in; whether there is something new to show."""
        before = self.text("")
        self._take(event.kind, event.data)
        return self.text("") != before

    def text(self, page: str) -> str:
        """The comment. `page` is the workflow run's URL, or ""."""
        lines = [
            "### ⏳ autofix is at work",
            "",
            f"It is {'verifying a fix' if self.verifying else _STAGES.get(self.stage, 'starting')}.",
        ]
        if self.failing:
            lines += ["", f"Failing tests per attempt: **{' → '.join(str(count) for count in self.failing[-20:])}**"]
        log = f" [Log]({page})." if page else ""
        denied = f", {_counted(self.denied, 'call')} denied" if self.denied else ""
        turns = _counted(self.turns, "turn")
        lines += ["", f"<sub>Run {self.run} on {self.head[:12]}: {turns}{denied}.{log}</sub>", ""]
        return "\n".join(lines)

    def _take(self, kind: Kind, data: JsonObject) -> None:
        match kind:
            case Kind.RUN_STARTED:
                self.run, self.head = str(data["run"]), str(data["head"])
            case Kind.STAGE:
                self.stage = str(data["name"])
            case Kind.BASELINE:
                self.failing = [_count(data["goal"])]
            case Kind.MODEL_REPLIED:
                self.turns += 1
                self.verifying = False
            case Kind.TOOL_CALLED:
                self.denied += data["decision"] != "allow"
            case Kind.VERIFICATION_STARTED:
                self.verifying = True
            case Kind.PROGRESS:
                self.failing.append(_int(data["failing"]))
            case _:
                pass


def _counted(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _count(items: JsonValue) -> int:
    return len(items) if isinstance(items, list) else 0


def _int(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0
