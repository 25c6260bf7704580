"""G4: a prompt holds only words that were there when the run was asked for, and comments of people who may write."""

from dataclasses import replace
from datetime import timedelta

import pytest

from autofix.intake.own_marks import MARKER
from autofix.intake.spoken_text import spoken_text
from autofix.ports.github import Comment, TextEdits
from autofix.ports.github_names import Account, Permission
from tests.fakes.pulls import NOW, pull

BEFORE, AFTER = NOW - timedelta(minutes=5), NOW + timedelta(minutes=5)
NEVER = TextEdits(None, None)
PULL = pull(title="Fix the parser", body="It drops the last line.")
PERMISSIONS = {"ada": Permission.WRITE, "eve": Permission.READ}
SAID = Comment(1, Account("ada"), "Mind the empty file.", BEFORE, BEFORE, "https://github.example/1")


def test_words_that_were_there_are_used():
    found = spoken_text(PULL, TextEdits(BEFORE, BEFORE), [SAID], PERMISSIONS, NOW)
    assert (found.title, found.body, found.comments, found.left_out) == (PULL.title, PULL.body, (SAID,), ())


EDITS = [
    ("the title, edited after the trigger", {"edits": TextEdits(None, AFTER)}, {"title": ""}),
    ("the description, edited after the trigger", {"edits": TextEdits(AFTER, None)}, {"body": ""}),
    ("the description, edited in the very second", {"edits": TextEdits(NOW, None)}, {"body": ""}),
    ("a comment, edited after the trigger", {"comments": [replace(SAID, updated_at=AFTER)]}, {"comments": ()}),
    (
        "a comment, written after the trigger",
        {"comments": [replace(SAID, created_at=AFTER, updated_at=AFTER)]},
        {"comments": ()},
    ),
    ("everything, where the time of the trigger is not known", {"at": None}, {"title": "", "body": "", "comments": ()}),
]


@pytest.mark.parametrize(("given", "gone"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_words_that_changed_later_are_left_out(given, gone):
    asked = {"edits": NEVER, "comments": [SAID], "at": NOW, **given}
    found = spoken_text(PULL, asked["edits"], asked["comments"], PERMISSIONS, asked["at"])
    assert {name: getattr(found, name) for name in ("title", "body", "comments")} == {
        "title": PULL.title,
        "body": PULL.body,
        "comments": (SAID,),
        **gone,
    }
    assert found.left_out


@pytest.mark.parametrize("author", [Account("eve"), Account("nobody"), Account("ada", is_bot=True)])
def test_comments_of_people_who_may_not_write_are_left_out(author):
    found = spoken_text(PULL, NEVER, [replace(SAID, author=author)], PERMISSIONS, NOW)
    assert found.comments == ()
    assert "no write access" in found.left_out[0]


def test_our_own_comment_is_not_read_back():
    own = replace(SAID, body=f"{MARKER}\nAn earlier report.")
    assert spoken_text(PULL, NEVER, [own], PERMISSIONS, NOW).comments == ()
