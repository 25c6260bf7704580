"""The gate: may this tool call go ahead?

    known -> mode -> denylist -> structure -> scope -> rules          (and, in the caller, the hooks)

Every layer is asked about every call, also after one has said no, so that the record shows how many controls stopped
it. The highest opinion wins: deny over ask over allow. Silence is deny, and so is a layer that fails. The gate decides
and does nothing: it runs no tool, opens no file, and knows neither the turn nor the budget.

The gate is not the security boundary; the sandbox is. It keeps the model useful and the record readable.
"""

from collections.abc import Callable, Mapping, Sequence

from autofix.harness.bash.syntax import BashParser
from autofix.harness.call import Decision, Ruling, ToolCall, Verdict
from autofix.harness.policy import Mode, Policy, Question, Sight, Tier, ToolContract
from autofix.harness.rules import denylist, known, mode, scope, settings, structure

__all__ = [
    "LAYERS",
    "BashParser",
    "Mode",
    "Policy",
    "Sight",
    "Tier",
    "ToolContract",
    "decide",
    "fold",
]

Layer = Callable[[Question], Verdict]

LAYERS: Mapping[str, Layer] = {
    "known": known.judge,
    "mode": mode.judge,
    "denylist": denylist.judge,
    "structure": structure.judge,
    "scope": scope.judge,
    "rules": settings.judge,
}
"""In the order in which they are asked; the cheap ones first."""


def decide(
    call: ToolCall, policy: Policy, sight: Sight, parser: BashParser, layers: Mapping[str, Layer] = LAYERS
) -> Ruling:
    """Ask every layer about `call`. Never raises, never acts."""
    question = Question(call, policy, sight, parser)
    opinions = tuple(_ask(name, layer, question) for name, layer in layers.items())
    return Ruling(fold(opinions), opinions)


def fold(opinions: Sequence[Verdict]) -> Verdict:
    """The opinion in force: the strictest, and among equals the one that was given first. Silence is deny."""
    if not opinions:
        return Verdict(Decision.DENY, "gate", "silence", "no layer had an opinion on this call")
    return max(opinions, key=lambda verdict: verdict.decision)


def _ask(name: str, layer: Layer, question: Question) -> Verdict:
    try:
        return layer(question)
    except Exception as error:  # noqa: BLE001 - a layer that fails must deny, whatever its failure
        return Verdict(
            Decision.DENY, name, "gate-error", f"this layer failed ({type(error).__name__}); nothing was run"
        )
