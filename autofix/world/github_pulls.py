"""`ports.github.PullRequests` over the REST API; the token's own login and edit times by GraphQL."""

from autofix.errors import ForgeNotFound
from autofix.ports.github import Branch, ChangedFiles, CommitSummary, Pull, Repository, TextEdits
from autofix.ports.github_names import Permission
from autofix.world import github_values as values
from autofix.world.github_rest import Rest, path

_FILES_LIMIT = 3000
"""GitHub lists no more files of a pull request: https://docs.github.com/rest/pulls/pulls#list-pull-requests-files."""

_VIEWER = "query { viewer { login } }"

_EDITS = """\
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      lastEditedAt
      timelineItems(itemTypes: [RENAMED_TITLE_EVENT], last: 1) { nodes { ... on RenamedTitleEvent { createdAt } } }
    }
  }
}"""


class Endpoints:
    """What the parts of the GitHub door share: one repository, one connection."""

    def __init__(self, rest: Rest, full_name: str) -> None:
        self._rest = rest
        self._full_name = full_name
        self._owner, _, self._name = full_name.partition("/")

    def _at(self, *parts: str | int, repository: str | None = None) -> str:
        """The path of something in this repository, or in another one."""
        owner, _, name = (repository or self._full_name).partition("/")
        return path("repos", owner, name, *parts)


class PullEndpoints(Endpoints):
    def repository(self) -> Repository:
        return values.repository(self._rest.get(self._at()))

    def pull(self, number: int) -> Pull:
        return values.pull(self._rest.get(self._at("pulls", number)))

    def open_pulls(self, owner: str, branch: str) -> tuple[Pull, ...]:
        listed = self._rest.pages(self._at("pulls"), {"state": "open", "head": f"{owner}:{branch}"})
        found = (values.pull(one) for one in listed)
        # An Enterprise server of an older kind ignores a filter it cannot read, and lists everything.
        return tuple(
            one
            for one in found
            if one.head_branch == branch and (one.head_repository is None or one.head_repository.owner == owner)
        )

    def pulls_with_commit(self, sha: str) -> tuple[Pull, ...]:
        return tuple(values.pull(one) for one in self._rest.pages(self._at("commits", sha, "pulls")))

    def text_edits(self, number: int) -> TextEdits:
        variables = {"owner": self._owner, "name": self._name, "number": number}
        data = self._rest.graphql(_EDITS, variables, repeatable=True)
        found = data.object("repository").object("pullRequest")
        renamed = [node.maybe_time("createdAt") for node in found.object("timelineItems").each("nodes")]
        return TextEdits(body=found.maybe_time("lastEditedAt"), title=renamed[-1] if renamed else None)

    def changed_files(self, number: int) -> ChangedFiles:
        files = tuple(values.changed_file(one) for one in self._rest.pages(self._at("pulls", number, "files")))
        return ChangedFiles(files, complete=len(files) < _FILES_LIMIT)

    def commits(self, number: int) -> tuple[CommitSummary, ...]:
        return tuple(values.commit(one) for one in self._rest.pages(self._at("pulls", number, "commits")))

    def branch(self, name: str, repository: str | None = None) -> Branch:
        return values.branch(self._rest.get(self._at("branches", name, repository=repository)))

    def permission(self, login: str) -> Permission:
        try:
            found = self._rest.get(self._at("collaborators", login, "permission")).text("permission")
        except ForgeNotFound:
            return Permission.NONE
        return next((one for one in Permission if one.value == found), Permission.NONE)

    def whoami(self) -> str:
        return self._rest.graphql(_VIEWER, {}, repeatable=True).object("viewer").text("login")
