"""What a remote's refusal means: git's or the API's words -> the rule behind them, and what a person can do.

The texts are GitHub's, from pushes over HTTP, the REST API and GraphQL. Words nobody has met yet are `UNKNOWN` and
shown as they are.
"""

import re
from dataclasses import dataclass
from enum import Enum


class RefusalRule(Enum):
    MOVED = "moved"
    WORKFLOWS = "workflows"
    SIGNATURES = "signatures"
    PULL_REQUEST_ONLY = "pull request only"
    STATUS_CHECKS = "status checks"
    PROTECTED = "protected"
    SECRETS = "secrets"
    LARGE_FILE = "large file"
    ARCHIVED = "archived"
    PERMISSION = "permission"
    HOOK = "hook"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`reason` is one line for people: why, and what to do. It holds none of the remote's own words but UNKNOWN's."""

    rule: RefusalRule
    reason: str

    @property
    def moved(self) -> bool:
        return self.rule is RefusalRule.MOVED


_SIGNS: tuple[tuple[RefusalRule, re.Pattern[str], str], ...] = (
    (
        RefusalRule.WORKFLOWS,
        re.compile(
            r"refusing to allow an? .{1,60} to create or update workflow"
            r"|without [`'\"]?workflows?[`'\"]? (?:permission|scope)"
        ),
        "the token may not push what brings workflow files: update the branch from its base (a fix changes none)",
    ),
    (
        RefusalRule.SIGNATURES,
        re.compile(r"must have verified signatures|commits? must be signed|required signatures"),
        "the branch takes signed commits only: use `commits: api`, whose commits GitHub signs",
    ),
    (
        RefusalRule.SECRETS,
        re.compile(r"push cannot contain secrets|gh009|push protection"),
        "GitHub found what looks like a secret in the commit",
    ),
    (
        RefusalRule.LARGE_FILE,
        re.compile(r"gh001|exceeds github's file size limit|large files detected"),
        "a file is larger than GitHub takes",
    ),
    (
        RefusalRule.PULL_REQUEST_ONLY,
        re.compile(r"changes must be made through a pull request|merge queue"),
        "the branch is protected: changes reach it through a pull request only",
    ),
    (
        RefusalRule.STATUS_CHECKS,
        re.compile(r"required status checks? .{0,200}(?:expected|pending|failing)|\d+ of \d+ required status checks"),
        "the branch is protected: required checks must pass before a commit reaches it",
    ),
    (
        RefusalRule.PROTECTED,
        re.compile(
            r"gh006|gh013|protected branch|protected ref|repository rule violations"
            r"|not authorized to push|branch is read-only|branch was locked"
        ),
        "a protection rule of the branch refused the push",
    ),
    (
        RefusalRule.ARCHIVED,
        re.compile(r"was archived|is archived|archived so is read-only"),
        "the repository is archived",
    ),
    (
        RefusalRule.MOVED,
        re.compile(
            r"non-fast-forward|fetch first|stale info|not a fast.?forward|remote contains work"
            r"|is at [0-9a-f]{40,64} but expected|expected branch to point to|reference already exists"
            r"|failed to update ref|cannot lock ref"
        ),
        "someone pushed to the branch meanwhile",
    ),
    (
        RefusalRule.PERMISSION,
        re.compile(
            r"permission to .{1,200} denied|write access to repository not granted|returned error: 40[13]"
            r"|resource not accessible by|must have push access|authentication failed|could not read username"
            r"|requires authentication|must have admin rights"
        ),
        "this token may not write to the repository: give the job `permissions: contents: write`",
    ),
    (
        RefusalRule.HOOK,
        re.compile(r"pre-receive hook declined|hook declined"),
        "a hook of the server refused the push",
    ),
)
"""In this order: the particular before the general, for one answer often holds several of these lines."""

_SHOWN = 200
"""Characters of the remote's own words in an unknown refusal."""


def read_refusal(message: str) -> Refusal:
    """The rule behind a refused push."""
    words = message.casefold()
    for rule, sign, reason in _SIGNS:
        if sign.search(words):
            return Refusal(rule, reason)
    line = next((line.strip() for line in message.splitlines() if line.strip()), "the remote gave no reason")
    shown = "".join(character if character.isprintable() else " " for character in line)[:_SHOWN]
    return Refusal(RefusalRule.UNKNOWN, f"the remote refused: {shown}")
