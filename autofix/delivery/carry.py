"""Carries a verified patch over to a newer head of its branch, where it means the same there.

It does where the newer commits touched none of its files and the pull request still changes each of them. Nothing is
merged: what a merge would make, nobody has seen pass.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from autofix.delivery.patch import Patch
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Change, Git


def carried(git: Git, patch: Patch, pull_request: PullRequest, head: str) -> Patch | str:
    """The patch on `head`, or why it cannot be there, in words.

    Args:
        git: holds both heads.
        patch: made on the pull request's head as the run knew it.
        pull_request: as the run knew it.
        head: where the branch is now.

    Raises:
        GitError: a commit cannot be read.
    """
    since = _paths(git.changes(patch.base, head))
    if both := sorted(since & patch.files.keys()):
        return f"the newer commits change {both[0]}, too"
    merge_base = git.merge_base(pull_request.base, head)
    if merge_base is None:
        return "the branch has no common history with its base any more"
    before = _paths(pull_request.changes)
    gone = sorted((patch.files.keys() & before) - _paths(git.changes(merge_base, head)))
    if gone:
        return f"the pull request does not change {gone[0]} any more"
    return replace(patch, base=head)


def _paths(changes: tuple[Change, ...]) -> AbstractSet[str]:
    return {path for change in changes for path in (change.path, change.old_path) if path is not None}
