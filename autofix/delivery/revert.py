"""`/autofix revert`: a commit that takes our last one back, on top of whatever came after it.

History stays: nothing is reset or forced. A file that someone changed since is left alone, and then nothing is reverted
at all, because half a revert helps nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from autofix.errors import GitError
from autofix.intake.own_marks import AUTHOR_EMAIL, AUTHOR_NAME, RUN_TRAILER, is_own_commit, trailers
from autofix.ports.git import CommitText, Git
from autofix.ports.github import CommitSummary

REVERTS_TRAILER = "Autofix-Reverts"

_FILE_LIMIT = 16 * 1024 * 1024
"""Bytes of one file; a fix is at most 100 KiB, the file it is in may be larger."""


@dataclass(frozen=True, slots=True)
class NothingToRevert:
    """Why there is no revert commit, in one line."""

    reason: str


def revert(git: Git, commits: Sequence[CommitSummary], head: str, run_id: str) -> str | NothingToRevert:
    """A commit on `head` that undoes our latest commit not yet reverted; its id.

    Args:
        git: the harness's repository, with the pull request in it.
        commits: of the pull request, oldest first.
        head: its head now.
        run_id: of the run that reverts.
    """
    ours = _latest(commits)
    if ours is None:
        return NothingToRevert("no commit of autofix is on this pull request")
    try:
        changes = git.changes(git.resolve(f"{ours.sha}~1"), ours.sha)
        files: dict[str, bytes | None] = {}
        for change in changes:
            for path in {change.path, change.old_path or change.path}:
                if git.read(head, path, _FILE_LIMIT) != git.read(ours.sha, path, _FILE_LIMIT):
                    return NothingToRevert(f"{path} was changed since: revert {ours.sha[:8]} by hand")
                files[path] = git.read(f"{ours.sha}~1", path, _FILE_LIMIT)
        return git.commit(head, files, _text(ours, run_id))
    except GitError as error:
        return NothingToRevert(f"{ours.sha[:8]} cannot be reverted: {error}")


def _latest(commits: Sequence[CommitSummary]) -> CommitSummary | None:
    """Our newest commit that neither is a revert nor was reverted."""
    undone = {trailers(commit.message).get(REVERTS_TRAILER) for commit in commits if is_own_commit(commit)}
    for commit in reversed(commits):
        if is_own_commit(commit) and commit.sha not in undone and REVERTS_TRAILER not in trailers(commit.message):
            return commit
    return None


def _text(ours: CommitSummary, run_id: str) -> CommitText:
    body = f"Asked for on the pull request.\n\n{RUN_TRAILER}: {run_id}\n{REVERTS_TRAILER}: {ours.sha}\n"
    return CommitText("Revert the last commit of autofix", body, AUTHOR_NAME, AUTHOR_EMAIL)
