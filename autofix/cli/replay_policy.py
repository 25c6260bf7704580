"""A recorded run's calls through another policy: which verdicts would change.

Only the layers of the gate are asked: hooks are programs with effects, and what they said is on the record. The tree is
the untouched head, so a path that the run itself made is judged as one that is not there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autofix.cli.composing import Composed
from autofix.errors import ModelError, UsageError
from autofix.harness.call import ToolCall, Verdict
from autofix.harness.deed import ruling_of
from autofix.harness.denylist import DenyList
from autofix.harness.gate import Mode, decide, fold
from autofix.harness.settings_rules import RuleSet
from autofix.pipeline.gatekeeping import TreeSight, policy_of
from autofix.pipeline.order import GateOrder
from autofix.pipeline.workspace import TimedSandbox, Workplace
from autofix.ports.model import JsonObject, ToolUseBlock
from autofix.ports.transcript import read_line
from autofix.settings import parse_settings
from autofix.state.events import Kind
from autofix.state.journal import Event

SHOWN = 120
"""Characters of a call's input: a line of a terminal."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A call that would be judged otherwise."""

    call: ToolCall
    before: Verdict
    now: Verdict

    def __str__(self) -> str:
        return (
            f"{self.call.name} {_shown(self.call)}: {self.before.decision.name.lower()} -> "
            f"{self.now.decision.name.lower()} ({self.now.layer}/{self.now.rule})"
        )


def gate_of(file: Path, gate: GateOrder) -> GateOrder:
    """The gate as a file says: an `autofix.toml`, or a settings file with rules (`.json`).

    Raises:
        UsageError: it cannot be read, or holds a mistake.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"--policy: cannot read {file}: {error.strerror}") from error
    if file.suffix == ".json":
        return replace(gate, rules=RuleSet.from_settings(content.decode("utf-8", "replace"), str(file)))
    settings = parse_settings(content, {}, str(file))
    return replace(
        gate,
        mode=Mode(settings.gate.mode),
        denylist=DenyList.build([told.pattern for told in settings.gate.deny], off=settings.gate.off),
        tests_edit=settings.tests.edit,
    )


def changes(
    composed: Composed, gate: GateOrder, events: Sequence[Event], transcript: Sequence[str]
) -> Iterator[Changed]:
    """The recorded calls that `gate` judges otherwise than they were judged, in order."""
    order, world = replace(composed.order, gate=gate), composed.world
    head = order.pull_request.head
    tree = world.trees.open(head, "policy")
    workplace = Workplace(tree, TimedSandbox(world.room.open(order.sandbox, tree.path), lambda: 0.0))
    policy = policy_of(order, workplace, sandboxed=world.room.name != "host")
    sight = TreeSight.of(tree, frozenset(entry.path for entry in world.git.entries(head)))
    parser, inputs = world.parser(), _inputs(transcript)
    for event in events:
        if event.kind is Kind.TOOL_CALLED:
            call = ToolCall(str(event.data["id"]), str(event.data["tool"]), inputs.get(str(event.data["id"])))
            before = fold(tuple(one for one in ruling_of(event).opinions if one.layer != "hook"))
            now = decide(call, policy, sight, parser).verdict
            if now.decision is not before.decision:
                yield Changed(call, before, now)


def _inputs(transcript: Sequence[str]) -> dict[str, JsonObject | None]:
    """Each call's whole input, by its id: the journal keeps the beginning only."""
    found: dict[str, JsonObject | None] = {}
    for number, line in enumerate(transcript, 1):
        outcome = read_line(line, number).outcome
        if not isinstance(outcome, ModelError):
            uses = (block for block in outcome.blocks if isinstance(block, ToolUseBlock))
            found.update({use.id: use.input for use in uses})
    return found


def _shown(call: ToolCall) -> str:
    telling = next((str(value) for value in (call.input or {}).values()), "")
    return ascii(telling if len(telling) <= SHOWN else f"{telling[: SHOWN - 3]}...")
