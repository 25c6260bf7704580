"""Layer 6: the allow, ask and deny lists of the repository's settings, and what holds where no rule speaks.

Without a rule: reading and in-scope edits are left to the other layers; a Bash call that nothing objects to goes ahead
in a sandbox and asks on the host; any other tool that runs something asks.
"""

from autofix.harness.bash.syntax import Unparsed
from autofix.harness.call import Decision, Verdict
from autofix.harness.paths import OutsideTree, inside
from autofix.harness.policy import Mode, Question, Tier
from autofix.harness.settings_rules import Rule

LAYER = "rules"
_VERB = {Decision.ALLOW: "allows", Decision.ASK: "wants a person asked about", Decision.DENY: "denies"}


def judge(question: Question) -> Verdict:
    rule = rule_for(question)
    if rule is not None:
        return Verdict(
            rule.decision, LAYER, rule.text, f"a rule of this repository {_VERB[rule.decision]} it: {rule.text}"
        )
    return _without_a_rule(question)


def rule_for(question: Question) -> Rule | None:
    """The rule that speaks about this call; None where none does."""
    rules, name = question.policy.rules, question.call.name
    if not rules.rules:
        return None
    if question.command is not None:
        analysis = question.analysis
        return rules.about_tool(name) if isinstance(analysis, Unparsed) else rules.about_command(analysis.parts)
    target = (question.call.input or {}).get("file_path", (question.call.input or {}).get("path"))
    if isinstance(target, str):
        path = inside(target, question.policy)
        return rules.about_path(name, target if isinstance(path, OutsideTree) else path)
    return rules.about_tool(name)


def _without_a_rule(question: Question) -> Verdict:
    tier = question.tier
    if tier in {Tier.READ, Tier.EDIT, Tier.TALK}:
        return Verdict(Decision.ALLOW, LAYER, "no-rule")
    own = question.command is not None or question.call.name == "RunChecks"
    if (own and question.policy.sandboxed) or question.policy.mode is Mode.BYPASS:
        return Verdict(Decision.ALLOW, LAYER, "no-rule")
    where = "on this machine itself, outside a sandbox" if own else "outside the sandbox"
    return Verdict(Decision.ASK, LAYER, "no-rule", f"it would run {where} and no rule allows it, so a person is asked")
