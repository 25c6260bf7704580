"""What a run is about: two commits, the paths between them, and where the head lives. Values only."""

from dataclasses import dataclass

from autofix.ports.git import Change, ChangeKind


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as the harness read it (for a local branch: the branch against its base).

    Attributes:
        base, head: commit ids; `merge_base` is where the scope starts.
        base_branch, branch: names without refs/heads/; `branch` is None for a detached head.
        changes: what merge_base..head changes.
        title: untrusted text.
    """

    base: str
    head: str
    merge_base: str
    base_branch: str
    branch: str | None
    changes: tuple[Change, ...]
    title: str = ""
    number: int | None = None

    @property
    def touched(self) -> tuple[str, ...]:
        """Every path that is another than at the merge base: what was moved away from a place touches it, too."""
        return (*(change.path for change in self.changes), *self.renamed.values())

    @property
    def renamed(self) -> dict[str, str]:
        """Path at the head -> path at the merge base, of files that moved."""
        return {
            change.path: change.old_path
            for change in self.changes
            if change.kind is ChangeKind.RENAMED and change.old_path is not None
        }
