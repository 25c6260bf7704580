"""Layer 5: edits only inside the scope, reading only inside the work tree, after `..` and links are resolved."""

import unicodedata

from autofix.errors import TreeError
from autofix.harness.call import Decision, Verdict
from autofix.harness.paths import OutsideTree, inside
from autofix.harness.policy import Question, Tier
from autofix.harness.secret_places import in_git, refusal

LAYER = "scope"
_PATH_FIELDS = ("file_path", "path")


def judge(question: Question) -> Verdict:
    """RequestScope only talks about a path, and Bash's paths are the structure layer's."""
    if question.tier not in {Tier.READ, Tier.EDIT} or question.call.input is None:
        return Verdict(Decision.ALLOW, LAYER, "no-path")
    given = [question.call.input[name] for name in _PATH_FIELDS if question.call.input.get(name) is not None]
    if not given:
        return Verdict(Decision.ALLOW, LAYER, "no-path")
    if not isinstance(given[0], str):
        return Verdict(Decision.DENY, LAYER, "not-a-path", "a path must be text")
    return _judge_path(question, given[0])


def _judge_path(question: Question, given: str) -> Verdict:
    if any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in given):
        return Verdict(Decision.DENY, LAYER, "control-character", "the path holds control or invisible characters")
    path = inside(given, question.policy)
    if isinstance(path, OutsideTree):
        return Verdict(Decision.DENY, LAYER, "outside-tree", f"{given} is outside the work tree; use a path below it")
    try:
        real = question.sight.real_path(_relative(given, path)) if path else ""
    except TreeError as error:
        return Verdict(Decision.DENY, LAYER, "outside-tree", f"{given} cannot be used: {error}")
    if any(in_git(name) or refusal(name) for name in (path, real)):
        return Verdict(
            Decision.DENY, LAYER, "git-internals", f"{given} may hold a credential; git's own files stay closed"
        )
    if question.tier is Tier.READ:
        return Verdict(Decision.ALLOW, LAYER, "in-tree")
    return _judge_edit(question, path, real)


def _relative(given: str, path: str) -> str:
    """The path as it was given where it is relative, so that `link/..` is resolved by the tree and not by its text."""
    return path if given.startswith("/") else given


def _judge_edit(question: Question, path: str, real: str) -> Verdict:
    policy = question.policy
    for name in (path, real):
        if name not in policy.scope:
            hint = "Ask with RequestScope(path, reason) if the fix needs it."
            return Verdict(Decision.DENY, LAYER, "out-of-scope", f"{policy.scope.why_not(name)}. {hint}")
    reason = policy.protected(real)
    if reason is not None:
        return Verdict(Decision.ASK, LAYER, "protected", f"{real} is in scope but protected: {reason}")
    if policy.is_test(real) and policy.tests_edit != "allow":
        decision = Decision.DENY if policy.tests_edit == "deny" else Decision.ASK
        return Verdict(
            decision, LAYER, "test-file", f"{real} is a test; whether a test is wrong is for a person to say"
        )
    return Verdict(Decision.ALLOW, LAYER, "in-scope")
