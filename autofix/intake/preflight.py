"""What this run's token can and cannot do, found out before anything is spent, in words for the comment.

A finding never stops a run by itself: a fix that cannot be pushed can still be suggested. What it costs people when
nobody tells them (a pushed commit whose required checks wait for ever) is why it is said at the start.
"""

from dataclasses import dataclass
from enum import Enum

from autofix.intake.own_marks import WORKFLOW_ACCOUNT
from autofix.ports.github import Branch, Pull


class Limit(Enum):
    """What a finding takes away."""

    PUSH = "push"
    CI_AFTER_PUSH = "ci after push"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line for people, and what to do about it."""

    limit: Limit
    text: str


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What was asked of GitHub with the token.

    Attributes:
        login: the account it acts as.
        push_refusal: what the git remote answered when asked whether this token may push; None where it may.
        branch: the head branch as the API gives it; None where it could not be read.
    """

    login: str
    push_refusal: str | None
    branch: Branch | None


def preflight(facts: TokenFacts, pull: Pull) -> tuple[Finding, ...]:
    """The findings, gravest first."""
    found: list[Finding] = []
    if pull.from_fork:
        return ()  # nothing will be pushed, so nothing about pushing matters
    if facts.push_refusal is not None:
        found.append(
            Finding(
                Limit.PUSH,
                f"this token cannot push ({facts.push_refusal}): give the job `permissions: contents: write`",
            )
        )
    elif facts.branch is None:
        found.append(Finding(Limit.PUSH, f"the branch {pull.head_branch} is gone or cannot be read by this token"))
    if facts.branch is not None and facts.branch.protected:
        found.append(
            Finding(
                Limit.NOTHING,
                f"{pull.head_branch} is protected: a push may be refused, and then the fix comes as suggestions",
            )
        )
    if facts.push_refusal is None and facts.login == WORKFLOW_ACCOUNT:
        found.append(
            Finding(
                Limit.CI_AFTER_PUSH,
                "this token's push will not start CI: GitHub starts no workflow for commits made with GITHUB_TOKEN. "
                "Use an App's token or a fine-grained personal access token, or start the checks by hand",
            )
        )
    return tuple(found)
