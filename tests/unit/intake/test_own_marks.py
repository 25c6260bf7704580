"""Our own comments and commits are known by mark and author together."""

import pytest

from autofix.intake.own_marks import AUTHOR_EMAIL, MARKER, is_own_comment, is_own_commit, trailers
from autofix.ports.github import Comment, CommitSummary
from autofix.ports.github_names import Account
from tests.fakes.pulls import NOW


def comment(body: str, login: str) -> Comment:
    return Comment(1, Account(login), body, NOW, NOW, "https://github.example/c")


@pytest.mark.parametrize(
    ("body", "login", "ours"),
    [
        (f"{MARKER}\nhello", "acme-fixer[bot]", True),
        (f"\n{MARKER}\nhello", "acme-fixer[bot]", True),
        (f"{MARKER}\nhello", "github-actions[bot]", True),
        (f"{MARKER}\nhello", "eve", False),
        (f"{MARKER}\nhello", "Acme-Fixer[bot]", False),
        ("hello", "acme-fixer[bot]", False),
        (f"> {MARKER}\nquoted", "acme-fixer[bot]", False),
    ],
)
def test_a_comment_is_ours_by_marker_and_author(body, login, ours):
    assert is_own_comment(comment(body, login), {"acme-fixer[bot]"}) == ours


@pytest.mark.parametrize(
    ("message", "email", "ours"),
    [
        ("Fix x\n\nAutofix-Run: 1", AUTHOR_EMAIL, True),
        ("Fix x\n\nbody\n\nAutofix-Run: 1\nAutofix-Failing: 3 -> 0\n", AUTHOR_EMAIL, True),
        ("Fix x\n\nAutofix-Run: 1", "ada@example.org", False),
        ("Fix x", AUTHOR_EMAIL, False),
        ("Autofix-Run: 1", AUTHOR_EMAIL, False),
        ("Fix x\n\nAutofix-Run: 1\n\nSome more words.", AUTHOR_EMAIL, False),
        ("Fix x\n\nsee Autofix-Run: 1\nfor more", AUTHOR_EMAIL, False),
    ],
)
def test_a_commit_is_ours_by_trailer_and_address(message, email, ours):
    assert is_own_commit(CommitSummary("a" * 40, message, "someone", email, NOW)) == ours


def test_trailers_are_read_with_either_line_end():
    assert trailers("s\r\n\r\nA: 1\r\nB-c: 2 3") == {"A": "1", "B-c": "2 3"}
