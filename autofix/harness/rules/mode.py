"""Layer 2: what the mode lets go ahead without a person. It lifts nothing that another layer says."""

from autofix.harness.call import Decision, Verdict
from autofix.harness.policy import Mode, Question, Tier
from autofix.harness.rules import settings

LAYER = "mode"


def judge(question: Question) -> Verdict:
    mode, tier = question.policy.mode, question.tier
    if tier is None:
        return Verdict(Decision.DENY, LAYER, "unknown-tool", "a tool without a contract has no tier")
    if mode is Mode.PLAN and tier not in {Tier.READ, Tier.TALK}:
        reason = "plan mode changes nothing and runs nothing; read, and end with a diagnosis"
        return Verdict(Decision.DENY, LAYER, mode.value, reason)
    if mode is Mode.DEFAULT and tier is Tier.EDIT:
        rule = settings.rule_for(question)
        if rule is None or rule.decision is not Decision.ALLOW:
            return Verdict(Decision.ASK, LAYER, mode.value, "no rule allows this edit, so a person is asked")
    return Verdict(Decision.ALLOW, LAYER, mode.value)
