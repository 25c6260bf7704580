"""A pull request read from a local repository: one branch against its base. It knows no forge and no event."""

from autofix.errors import GitError, UsageError
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Git


def local_pull_request(git: Git, base: str, head: str) -> PullRequest:
    """What `head` changes since it left `base`; both are branches, tags or commit ids of the source.

    Raises:
        UsageError: one of them names no commit, or they have no common history.
    """
    base_commit, head_commit = _named(git, base, "base"), _named(git, head, "head")
    merge_base = git.merge_base(base_commit, head_commit)
    if merge_base is None:
        raise UsageError(
            f"{head!a} and {base!a} have no common commit here: "
            "fetch more history (git fetch --unshallow) or name another base"
        )
    return PullRequest(
        base=base_commit,
        head=head_commit,
        merge_base=merge_base,
        base_branch=git.branch_of(base) or base,
        branch=git.branch_of(head),
        changes=git.changes(merge_base, head_commit),
    )


def _named(git: Git, ref: str, role: str) -> str:
    try:
        return git.resolve(ref)
    except GitError as error:
        raise UsageError(f"--{role}: {error}") from error
