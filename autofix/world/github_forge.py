"""`ports.forge.Forge` over GitHub: one pull request's branch and its one comment.

The destination is what the API said of the pull request, never what anyone typed. After a push the branch is read
again: what counts is where it is, not what the push answered.
"""

from collections.abc import Collection

from autofix.errors import CannotComment, CannotPush, ForgeError, ForgeForbidden, ForgeNotFound, ForgeUnavailable
from autofix.intake.ledger import Ledger, encode
from autofix.intake.own_marks import MARKER, is_own_comment
from autofix.ports.forge import COMMENT_LIMIT, PostedComment, PushTarget
from autofix.ports.github import Comment, GitHub, Pull
from autofix.world.github_git import GitRemote


def own_comment(github: GitHub, number: int, accounts: Collection[str]) -> Comment | None:
    """The one comment, found by its marker and its author; the first, should there be two."""
    return next((one for one in github.comments(number) if is_own_comment(one, accounts)), None)


class GitHubForge:
    """One pull request.

    Args:
        github: the API's door.
        remote: the base repository's git remote.
        pull: as admitted.
        accounts: logins whose marked comments are our own.
        no_push: why nothing may be pushed (admission, preflight); "" where it may.
        ledger: what was spent so far, hidden in the comment.
    """

    def __init__(
        self,
        github: GitHub,
        remote: GitRemote,
        pull: Pull,
        *,
        accounts: Collection[str],
        no_push: str = "",
        ledger: Ledger | None = None,
    ) -> None:
        self._github = github
        self._remote = remote
        self._pull = pull
        self._accounts = accounts
        self._no_push = no_push
        self.ledger = ledger or Ledger()
        self._comment: Comment | None = None

    def target(self) -> PushTarget | None:
        return None if self.why_not() else PushTarget(self._remote.url, self._pull.head_branch)

    def why_not(self) -> str:
        if self._pull.from_fork:
            return "the pull request comes from a fork, and nothing is pushed to forks"
        return self._no_push

    def head(self) -> str | None:
        """Asked of the git remote, which knows of a push at once; for a fork, which has another remote, of the API."""
        if not self._pull.from_fork:
            return self._remote.head_of(self._pull.head_branch)
        if self._pull.head_repository is None:
            return None
        try:
            return self._github.branch(self._pull.head_branch, self._pull.head_repository.full_name).sha
        except ForgeNotFound:
            return None

    def push(self, commit: str, expected: str) -> None:
        if reason := self.why_not():
            raise CannotPush(reason)
        lost: ForgeUnavailable | None = None
        try:
            self._remote.push(commit, self._pull.head_branch, expected)
        except ForgeUnavailable as error:
            lost = error  # it may have arrived all the same
        head = self.head()
        if head == expected:
            raise CannotPush(f"nothing was pushed: {lost or 'the remote said yes, but the branch did not move'}")
        if lost is not None and head != commit:
            raise CannotPush("someone pushed to the branch meanwhile", moved=True)

    def comment(self, body: str) -> PostedComment:
        text = f"{MARKER}\n{encode(self.ledger)}\n{body}"
        if len(text) > COMMENT_LIMIT:
            raise CannotComment(f"the comment has {len(text)} characters; GitHub takes {COMMENT_LIMIT}")
        try:
            self._comment = self._upserted(text)
        except ForgeForbidden as error:
            raise CannotComment(
                f"this token may not comment ({error}): give the job `permissions: pull-requests: write`"
            ) from error
        except ForgeError as error:
            raise CannotComment(f"the comment could not be written: {error}") from error
        return PostedComment(self._comment.url)

    def own_comment(self) -> Comment | None:
        return own_comment(self._github, self._pull.number, self._accounts)

    def _upserted(self, text: str) -> Comment:
        known = self._comment or self.own_comment()
        if known is not None:
            try:
                return self._github.update_comment(known.id, text)
            except ForgeNotFound:  # someone deleted it meanwhile
                known = None
        try:
            return self._github.create_comment(self._pull.number, text)
        except ForgeUnavailable:
            written = self.own_comment()  # it may have arrived although the answer did not
            if written is None:
                return self._github.create_comment(self._pull.number, text)
            return self._github.update_comment(written.id, text)
