"""Routes of the fake GitHub: repository, people, branches, pull requests."""

from typing import Any

from tests.fakes.github_contract import MOMENT
from tests.fakes.github_route import Ask, ProblemError, Reply, Route
from tests.fakes.github_state import PullState, Repo
from tests.fakes.repositories import git


def _repo(ask: Ask) -> Reply:
    return Reply(ask.repo.wire())


def _user(ask: Ask) -> Reply:
    if ask.token.installation:
        raise ProblemError(403, "Resource not accessible by integration")
    return Reply(ask.token.user.wire())


def _permission(ask: Ask) -> Reply:
    login = ask.params["username"]
    if login not in ask.state.users or login.endswith("[bot]"):
        raise ProblemError(404, f"{login} is not a user")
    given = ask.state.permissions.get(login, "read" if not ask.repo.private else "none")
    user = {**ask.state.users[login].wire(), "role_name": given}
    return Reply({"permission": given, "role_name": given, "user": user})


def _branch(ask: Ask) -> Reply:
    name = ask.params["branch"]
    sha = ask.repo.head(name)
    if sha is None:
        raise ProblemError(404, "Branch not found")
    return Reply({"name": name, "commit": {"sha": sha}, "protected": name in ask.repo.protected})


def pull_wire(pull: PullState) -> dict[str, Any]:
    head_repo = pull.head.wire() if pull.head is not None else None
    base = pull.base.full_name
    return {
        "id": pull.number + 5000,
        "number": pull.number,
        "state": "open" if pull.open else "closed",
        "title": pull.title,
        "body": pull.body or None,
        "user": pull.author.wire(),
        "draft": pull.draft,
        "html_url": f"https://github.example/{base}/pull/{pull.number}",
        "head": {
            "label": f"{pull.head_owner}:{pull.head_branch}",
            "ref": pull.head_branch,
            "sha": pull.head_sha,
            "repo": head_repo,
        },
        "base": {
            "label": f"{pull.base.owner}:{pull.base_branch}",
            "ref": pull.base_branch,
            "sha": pull.base_sha,
            "repo": pull.base.wire(),
        },
        "author_association": "NONE",
        "maintainer_can_modify": pull.maintainer_can_modify,
        "merge_commit_sha": None,
    }


def _pull(ask: Ask) -> Reply:
    return Reply(pull_wire(ask.pull))


def _in(ask: Ask) -> list[PullState]:
    return [pull for (name, _), pull in sorted(ask.state.pulls.items()) if name == ask.repo.full_name]


def _pulls(ask: Ask) -> Reply:
    state, head = ask.query.get("state", "open"), ask.query.get("head")
    found = [pull for pull in _in(ask) if state == "all" or pull.open == (state == "open")]
    if head is not None:
        found = [pull for pull in found if f"{pull.head_owner}:{pull.head_branch}" == head]
    return Reply([_simple(pull) for pull in found])


def _simple(pull: PullState) -> dict[str, Any]:
    return {key: value for key, value in pull_wire(pull).items() if key != "maintainer_can_modify"}


def _create_pull(ask: Ask) -> Reply:
    head, base = ask.body["head"], ask.body["base"]
    if ask.repo.head(head) is None or ask.repo.head(base) is None:
        raise ProblemError(422, "Validation Failed", [{"resource": "PullRequest", "code": "invalid", "field": "head"}])
    number = 1 + max((pull.number for pull in _in(ask)), default=0)
    login = ask.token.user.login
    made = ask.state.add_pull(
        ask.repo, head, number=number, base_branch=base, author=login, title=ask.body["title"], body=ask.body["body"]
    )
    return Reply(pull_wire(made), 201)


def _range(pull: PullState) -> tuple[str, str]:
    base = git(pull.base.path, "merge-base", pull.base_sha, pull.head_sha).decode().strip()
    return base, pull.head_sha


def _files(ask: Ask) -> Reply:
    base, head = _range(ask.pull)
    repo = ask.repo
    between = ("-r", "-M", "--full-index", base, head)
    raw = iter(git(repo.path, "diff-tree", "--raw", "-z", *between).decode().split("\0"))
    patches = git(repo.path, "diff-tree", "-p", *between).decode(errors="replace").split("diff --git ")[1:]
    files = []
    for patch, fields in zip(patches, raw, strict=False):
        _, _, old_blob, new_blob, status = fields.split()
        old = next(raw)
        new = next(raw) if status[0] == "R" else old
        files.append(_file(patch, status[0], (old, new), old_blob if status == "D" else new_blob))
    return Reply(files)


_STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}


def _file(patch: str, status: str, names: tuple[str, str], blob: str) -> dict[str, Any]:
    hunks = patch.find("\n@@ ") + 1
    file: dict[str, Any] = {
        "sha": blob,
        "filename": names[1],
        "status": _STATUS[status],
        "additions": patch.count("\n+") - patch.count("\n+++"),
        "deletions": patch.count("\n-") - patch.count("\n---"),
        "changes": 0,
    }
    if status == "R":
        file["previous_filename"] = names[0]
    if hunks:
        file["patch"] = patch[hunks:].removesuffix("\n")
    return file


def commit_wire(repo: Repo, sha: str) -> dict[str, Any]:
    form = "%an%x00%ae%x00%cn%x00%ce%x00%T%x00%P%x00%B"
    shown = git(repo.path, "show", "-s", f"--format={form}", sha).decode().split("\0")
    name, email, committer, committer_email, tree, parents, message = shown
    return {
        "sha": sha,
        "commit": {
            "author": {"name": name, "email": email, "date": MOMENT},
            "committer": {"name": committer, "email": committer_email, "date": MOMENT},
            "message": message.rstrip("\n"),
            "tree": {"sha": tree},
        },
        "author": {},
        "committer": {},
        "parents": [{"sha": parent} for parent in parents.split()],
    }


def _commits(ask: Ask) -> Reply:
    base, head = _range(ask.pull)
    shas = git(ask.repo.path, "rev-list", "--reverse", "--max-count=250", f"{base}..{head}").decode().split()
    return Reply([commit_wire(ask.repo, sha) for sha in shas])


def _pulls_of_commit(ask: Ask) -> Reply:
    sha = ask.params["commit_sha"]
    if not git(ask.repo.path, "cat-file", "--batch-check", stdin=sha.encode()).endswith(b"\n"):
        raise ProblemError(404, "Not Found")
    found = []
    for pull in _in(ask):
        base, head = _range(pull)
        if sha in git(ask.repo.path, "rev-list", f"{base}..{head}").decode().split():
            found.append(_simple(pull))
    return Reply(found)


def _rate_limit(_: Ask) -> Reply:
    core = {"limit": 5000, "remaining": 4999, "reset": 2_000_000_000, "used": 1}
    return Reply({"resources": {"core": core, "search": core}, "rate": core})


_REPO = "/repos/{owner}/{repo}"
_READ = ("pull_requests", "read")

ROUTES = [
    Route("GET", "/rate_limit", _rate_limit),
    Route("GET", "/user", _user),
    Route("GET", _REPO, _repo),
    Route("GET", f"{_REPO}/collaborators/{{username}}/permission", _permission),
    Route("GET", f"{_REPO}/branches/{{branch}}", _branch, ("contents", "read")),
    Route("GET", f"{_REPO}/pulls", _pulls, _READ),
    Route("POST", f"{_REPO}/pulls", _create_pull, ("pull_requests", "write")),
    Route("GET", f"{_REPO}/pulls/{{pull_number}}", _pull, _READ),
    Route("GET", f"{_REPO}/pulls/{{pull_number}}/files", _files, _READ),
    Route("GET", f"{_REPO}/pulls/{{pull_number}}/commits", _commits, _READ),
    Route("GET", f"{_REPO}/commits/{{commit_sha}}/pulls", _pulls_of_commit, _READ),
]
