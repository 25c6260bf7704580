"""`ports.github.Commits`: commits that GitHub itself makes and signs, branches, and pull requests of our own."""

import base64
from collections.abc import Mapping, Sequence

from autofix.delivery.refusals import read_refusal
from autofix.errors import CannotPush, ForgeError, ForgeUnavailable
from autofix.ports.github import FileWrite, Pull
from autofix.world import github_values as values
from autofix.world.github_pulls import Endpoints

_COMMIT = """\
mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


class CommitEndpoints(Endpoints):
    def commit_on_branch(self, branch: str, expected: str, subject: str, body: str, files: Sequence[FileWrite]) -> str:
        additions = [
            {"path": one.path, "contents": base64.b64encode(one.content).decode("ascii")}
            for one in files
            if one.content is not None
        ]
        deletions = [{"path": one.path} for one in files if one.content is None]
        wanted = {
            "branch": {"repositoryNameWithOwner": self._full_name, "branchName": branch},
            "expectedHeadOid": expected,
            "message": {"headline": subject, "body": body},
            "fileChanges": {"additions": additions, "deletions": deletions},
        }
        try:
            # Not repeated: after a fault nobody knows whether the branch moved, and a second try would say "moved".
            data = self._rest.graphql(_COMMIT, {"input": wanted}, repeatable=False)
        except ForgeUnavailable:
            raise
        except ForgeError as error:
            refusal = read_refusal(str(error))
            raise CannotPush(refusal.reason, moved=refusal.moved) from error
        return data.object("createCommitOnBranch").object("commit").text("oid")

    def create_branch(self, name: str, sha: str) -> None:
        self._rest.send("POST", self._at("git", "refs"), {"ref": f"refs/heads/{name}", "sha": sha})

    def delete_branch(self, name: str) -> None:
        self._rest.send("DELETE", self._at("git", "refs", f"heads/{name}"), None, repeatable=True)

    def create_pull(self, *, title: str, body: str, head: str, base: str) -> Pull:
        wire = {"title": title, "body": body, "head": head, "base": base}
        return values.pull(self._rest.send("POST", self._at("pulls"), wire))

    def modes(self, commit: str) -> Mapping[str, str]:
        tree = self._rest.get(self._at("git", "trees", commit), {"recursive": "1"})
        if tree.flag("truncated"):
            raise ForgeError("the tree is too large for GitHub to list whole")
        return {entry.text("path"): entry.text("mode") for entry in tree.each("tree") if entry.text("type") != "tree"}
