"""How autofix knows its own comments and commits, so that it never answers itself.

A marker alone proves nothing: anyone can write it. A comment is ours when it has the marker and one of our accounts
wrote it. A commit is ours when it has the trailer and our address, or that of the account for which GitHub made it;
whoever forges that only keeps autofix away.
"""

import re
from collections.abc import Collection

from autofix.ports.github import Comment, CommitSummary

MARKER = "<!-- autofix:comment -->"
"""First line of the one comment."""

RUN_TRAILER = "Autofix-Run"
SPENT_TRAILER = "Autofix-Spent"

AUTHOR_NAME = "autofix[bot]"
AUTHOR_EMAIL = "autofix@users.noreply.github.com"

WORKFLOW_ACCOUNT = "github-actions[bot]"
"""Whoever holds GITHUB_TOKEN. A team that changes to an App's token keeps its old comment."""

_OWN_ADDRESSES = "@users.noreply.github.com"
"""Ends our address, and that of an account for which GitHub makes and signs commits (`commits: api`)."""
_TRAILER = re.compile(r"([A-Za-z][A-Za-z-]*): (.*)")


def is_own_comment(comment: Comment, accounts: Collection[str]) -> bool:
    return comment.author.login in {*accounts, WORKFLOW_ACCOUNT} and comment.body.lstrip().startswith(MARKER)


def is_own_commit(commit: CommitSummary) -> bool:
    return commit.author_email.endswith(_OWN_ADDRESSES) and RUN_TRAILER in trailers(commit.message)


def trailers(message: str) -> dict[str, str]:
    """The trailers of a commit message: the lines of its last paragraph, where all of them are `Name: value`."""
    paragraphs = message.replace("\r\n", "\n").strip().split("\n\n")
    if len(paragraphs) < 2:  # noqa: PLR2004 - a subject is not a trailer
        return {}
    found = [_TRAILER.fullmatch(line.strip()) for line in paragraphs[-1].split("\n")]
    return {match[1]: match[2] for match in found if match} if all(found) else {}
