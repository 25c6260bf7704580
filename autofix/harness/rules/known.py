"""Layer 1: the tool exists, is loaded, and its input fits its schema; a misfit names the field, so it can be mended."""

from autofix.harness.call import Decision, Verdict
from autofix.harness.policy import Question
from autofix.harness.tool_input import Misfit

LAYER = "known"
_FIELDS_NAMED = 3  # a repair message that lists everything is not read


def judge(question: Question) -> Verdict:
    call = question.call
    contract = question.policy.tools.get(call.name)
    if contract is None:
        loaded = ", ".join(sorted(question.policy.tools)) or "none"
        return Verdict(Decision.DENY, LAYER, "unknown-tool", f"there is no tool {call.name!r}; loaded are: {loaded}")
    if call.input is None:
        return Verdict(Decision.DENY, LAYER, "no-object", "the input of a tool call must be one JSON object")
    try:
        contract.input.read(call.input)
    except Misfit as misfit:
        named = "; ".join(misfit.faults[:_FIELDS_NAMED])
        return Verdict(Decision.DENY, LAYER, "schema", f"the input does not fit {call.name}: {named}")
    return Verdict(Decision.ALLOW, LAYER, "fits")
