"""Routes of the fake GitHub: refs and trees, answered by the real repository."""

from typing import Any

from tests.fakes.github_route import Ask, ProblemError, Reply, Route
from tests.fakes.repositories import git


def _tree(ask: Ask) -> Reply:
    repo, sha = ask.repo, ask.params["tree_sha"]
    recursive = ["-r", "-t"] if ask.query.get("recursive") else []
    listed = git(repo.path, "ls-tree", "-z", *recursive, sha).decode().split("\0")
    entries: list[dict[str, Any]] = []
    for line in filter(None, listed):
        meta, path = line.split("\t", 1)
        mode, kind, object_id = meta.split()
        entries.append({"path": path, "mode": mode, "type": kind, "sha": object_id})
    tree = git(repo.path, "rev-parse", f"{sha}^{{tree}}").decode().strip()
    return Reply({"sha": tree, "tree": entries, "truncated": False})


def _ref(ask: Ask) -> Reply:
    name = f"refs/{ask.params['ref']}"
    found = git(ask.repo.path, "for-each-ref", "--format=%(objectname)", name).decode().strip()
    if not found:
        raise ProblemError(404, "Not Found")
    return Reply(_wire(name, found))


def _create_ref(ask: Ask) -> Reply:
    name, sha = ask.body["ref"], ask.body["sha"]
    if git(ask.repo.path, "for-each-ref", name):
        raise ProblemError(422, "Reference already exists")
    git(ask.repo.path, "update-ref", name, sha)
    return Reply(_wire(name, sha), 201)


def _delete_ref(ask: Ask) -> Reply:
    name = f"refs/{ask.params['ref']}"
    if not git(ask.repo.path, "for-each-ref", name):
        raise ProblemError(422, "Reference does not exist")
    git(ask.repo.path, "update-ref", "-d", name)
    return Reply(status=204)


def _wire(name: str, sha: str) -> dict[str, Any]:
    return {"ref": name, "object": {"type": "commit", "sha": sha}}


_REPO = "/repos/{owner}/{repo}"

ROUTES = [
    Route("GET", f"{_REPO}/git/trees/{{tree_sha}}", _tree, ("contents", "read")),
    Route("GET", f"{_REPO}/git/ref/{{ref}}", _ref, ("contents", "read")),
    Route("POST", f"{_REPO}/git/refs", _create_ref, ("contents", "write")),
    Route("DELETE", f"{_REPO}/git/refs/{{ref}}", _delete_ref, ("contents", "write")),
]
