"""Layer 3: the deny-list over the literal text of a command."""

from autofix.harness.call import Decision, Verdict
from autofix.harness.policy import Question

LAYER = "denylist"


def judge(question: Question) -> Verdict:
    if question.command is None:
        return Verdict(Decision.ALLOW, LAYER, "no-command")
    entry = question.policy.denylist.first_match(question.command)
    if entry is not None:
        return Verdict(Decision.DENY, LAYER, entry.id, entry.reason)
    return Verdict(Decision.ALLOW, LAYER, "no-match")
