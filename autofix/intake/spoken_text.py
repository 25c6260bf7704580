"""What people said of a pull request, as far as it may reach a prompt: words as they were when the run was asked for.

Whoever edits a title, a description or a comment after a maintainer looked at it and triggered a run could put words in
front of the model that nobody approved. So what changed later is left out, and so is every comment whose author cannot
write to the repository (G4). All of it stays untrusted text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from autofix.intake.own_marks import MARKER
from autofix.ports.github import Comment, Pull, TextEdits
from autofix.ports.github_names import Permission


@dataclass(frozen=True, slots=True)
class SpokenText:
    """`left_out` says what is missing and why, for the record; "" stands for a title or body that is not used."""

    title: str
    body: str
    comments: tuple[Comment, ...]
    left_out: tuple[str, ...] = ()


def spoken_text(
    pull: Pull,
    edits: TextEdits,
    comments: Iterable[Comment],
    permissions: Mapping[str, Permission],
    at: datetime | None,
) -> SpokenText:
    """The words that existed at `at`.

    Args:
        pull: as read now.
        edits: when its words last changed.
        comments: of its conversation.
        permissions: by login; a missing login has none, and so has every bot.
        at: when the run was triggered; None trusts no word, because nobody knows what came later.
    """
    left_out: list[str] = []
    title = pull.title if _unchanged(edits.title, at) else ""
    body = pull.body if _unchanged(edits.body, at) else ""
    left_out += ["the title was changed after the trigger"] * (pull.title != title)
    left_out += ["the description was changed after the trigger"] * (pull.body != body)
    kept: list[Comment] = []
    for comment in comments:
        if MARKER in comment.body:
            continue
        if reason := _unfit(comment, permissions, at):
            left_out.append(f"a comment by {comment.author.login}: {reason}")
        else:
            kept.append(comment)
    return SpokenText(title, body, tuple(kept), tuple(left_out))


def _unchanged(edited: datetime | None, at: datetime | None) -> bool:
    return at is not None and (edited is None or edited < at)


def _unfit(comment: Comment, permissions: Mapping[str, Permission], at: datetime | None) -> str:
    if at is None or comment.created_at > at:
        return "written after the trigger"
    if comment.updated_at > at:
        return "edited after the trigger"
    if comment.author.is_bot or not permissions.get(comment.author.login, Permission.NONE).can_write:
        return "its author has no write access"
    return ""
