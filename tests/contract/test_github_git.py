"""A pull request's commits over git's smart HTTP, with the real `git http-backend` on the other side."""

import base64
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from autofix.errors import CannotPush, ForgeUnavailable, GitError
from autofix.ports.git import CommitText
from autofix.world.git_cli import GitCli
from autofix.world.github_git import GitRemote
from tests.fakes.github_fixture import github
from tests.fakes.github_server import FakeGitHub
from tests.fakes.github_state import PullState, Repo
from tests.fakes.repositories import git

__all__ = ["github"]

TOKEN = "ghs_canaryCanaryCanary1234567890"
TEXT = CommitText("Fix", "Autofix-Run: r1", "autofix[bot]", "autofix@example.org")


@pytest.fixture
def repo(github: FakeGitHub) -> Repo:
    github.state.add_token(TOKEN)
    repo = github.state.add_repo("acme/widgets")
    github.state.commit(repo, "main", {"a.py": "x = 1\n"}, "First")
    return repo


@pytest.fixture
def pull(github: FakeGitHub, repo: Repo) -> PullState:
    github.state.commit(repo, "feature", {"a.py": "x = 2\n"}, "Second", start="main")
    return github.state.add_pull(repo, "feature", number=7)


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Callable[[Path], GitCli]]:
    made: list[GitCli] = []

    def open_door(source: Path) -> GitCli:
        made.append(GitCli(source, tmp_path / f"repo-{len(made)}.git"))
        return made[-1]

    yield open_door
    for door in made:
        door.close()


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A workspace that nothing was checked out into."""
    path = tmp_path / "empty"
    path.mkdir()
    git(path, "init", "-q", "--bare")
    return path


@pytest.fixture
def door(doors: Callable[[Path], GitCli], empty: Path) -> GitCli:
    return doors(empty)


def remote_of(github: FakeGitHub, repo: Repo, door: GitCli, token: str = TOKEN) -> GitRemote:
    return GitRemote(door.process, github.clone_url(repo), token)


def clone(repo: Repo, path: Path, *options: str) -> Path:
    git(path.parent, "clone", "-q", "--no-local", *options, f"file://{repo.path}", str(path))
    return path


def refs(repo: Repo) -> dict[str, str]:
    lines = git(repo.path, "for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return dict(line.split() for line in lines)


# --- fetching -------------------------------------------------------------------------------------------------------


def test_a_pull_request_is_fetched_where_nothing_was_checked_out(github, repo, pull, door):
    head, base = remote_of(github, repo, door).fetch_pull(7, "main")
    assert (head, base) == (repo.head("feature"), repo.head("main"))
    assert door.merge_base(base, head) == base
    assert door.read(head, "a.py", 100) == b"x = 2\n"


def test_a_forks_branch_called_main_touches_no_branch_of_ours(github, repo, door):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    theirs = github.state.commit(fork, "main", {"a.py": "x = 3\n"})
    github.state.add_pull(repo, "main", number=8, head=fork, author="eve")
    assert remote_of(github, repo, door).fetch_pull(8, "main") == (theirs, repo.head("main"))
    names = door.process.output("for-each-ref", "--format=%(refname)").decode().split()
    assert names == ["refs/autofix/base", "refs/autofix/head"]


def test_history_is_deepened_until_head_and_base_meet(github, repo, door):
    start = repo.head("main")
    for number in range(80):
        github.state.commit(repo, "feature", {"a.py": f"{number}\n"}, start=start)
    for number in range(70):
        github.state.commit(repo, "main", {"b.py": f"{number}\n"})
    github.state.add_pull(repo, "feature", number=7)
    head, base = remote_of(github, repo, door).fetch_pull(7, "main")
    assert door.merge_base(base, head) == start


def test_branches_without_a_common_commit_are_fetched_whole_and_still_have_none(github, repo, door):
    for number in range(60):
        github.state.commit(repo, "orphan", {"z.py": f"{number}\n"})
    github.state.add_pull(repo, "orphan", number=7)
    head, base = remote_of(github, repo, door).fetch_pull(7, "main")
    assert door.merge_base(base, head) is None
    assert door.process.output("rev-list", "--count", head).strip() == b"60"


def test_a_full_clone_is_never_made_shallow_and_gets_only_what_it_lacks(github, repo, doors, tmp_path):
    for number in range(60):
        github.state.commit(repo, "main", {"b.py": f"{number}\n"})
    workspace = clone(repo, tmp_path / "full", "--single-branch")
    github.state.commit(repo, "late", {"a.py": "x = 4\n"}, start="main")
    github.state.add_pull(repo, "late", number=8)
    door = doors(workspace)
    have = door.resolve("HEAD")
    head, base = remote_of(github, repo, door).fetch_pull(8, "main", have=[have])
    assert (head, base) == (repo.head("late"), repo.head("main"))
    assert door.process.output("rev-parse", "--is-shallow-repository").strip() == b"false"
    assert door.process.output("rev-list", "--count", head).strip() == b"62"
    assert not (workspace / ".git" / "shallow").exists()
    own = door.process.output("count-objects", "-v").decode()
    counted = dict(line.split(": ") for line in own.splitlines() if ": " in line)
    assert int(counted["count"]) + int(counted["in-pack"]) <= 3


def test_a_shallow_checkout_is_deepened_in_our_copy_and_left_alone_itself(github, repo, pull, doors, tmp_path):
    for number in range(10):
        github.state.commit(repo, "main", {"b.py": f"{number}\n"})
    workspace = clone(repo, tmp_path / "shallow", "--depth=1")
    before = (workspace / ".git" / "shallow").read_bytes()
    door = doors(workspace)
    head, base = remote_of(github, repo, door).fetch_pull(7, "main", have=[door.resolve("HEAD")])
    assert door.merge_base(base, head) is not None
    assert (workspace / ".git" / "shallow").read_bytes() == before


def test_a_pull_request_that_is_not_there_is_an_error_of_one_line(github, repo, door):
    with pytest.raises(GitError, match="cannot be fetched") as caught:
        remote_of(github, repo, door).fetch_pull(99, "main")
    assert "\n" not in str(caught.value)


def test_a_server_that_is_down_is_unavailable(github, repo, pull, door):
    github.git.down = True
    with pytest.raises(ForgeUnavailable, match="cannot be reached"):
        remote_of(github, repo, door).fetch_pull(7, "main")


def test_nothing_listening_is_unavailable(door):
    with pytest.raises(ForgeUnavailable):
        GitRemote(door.process, "http://127.0.0.1:9/acme/widgets.git", TOKEN).fetch_pull(7, "main")


def test_a_token_that_is_not_known_is_refused_without_asking_anyone(github, repo, pull, door):
    with pytest.raises(GitError, match="cannot be fetched"):
        remote_of(github, repo, door, "wrong").fetch_pull(7, "main")


def test_what_the_workspaces_configuration_says_of_urls_and_headers_is_not_used(github, repo, pull, doors, tmp_path):
    workspace = clone(repo, tmp_path / "work")
    git(workspace, "config", "url.http://127.0.0.1:9/.insteadOf", github.git.url)
    git(workspace, "config", f"http.{github.git.url}/.extraheader", "AUTHORIZATION: basic eDpvbGQ=")
    git(workspace, "config", "http.proxy", "http://127.0.0.1:9")
    door = doors(workspace)
    head, _ = remote_of(github, repo, door).fetch_pull(7, "main")
    assert head == repo.head("feature")


@pytest.mark.parametrize("name", ["-x", "a..b", "a b\n", "main:refs/heads/x", "@{1}", "", "x*"])
def test_a_base_that_is_no_branch_name_is_refused_before_git_sees_it(github, repo, pull, door, name):
    with pytest.raises(Exception, match="cannot be the name"):
        remote_of(github, repo, door).fetch_pull(7, name)
    assert not github.git.requests


# --- pushing --------------------------------------------------------------------------------------------------------


@pytest.fixture
def fetched(github: FakeGitHub, repo: Repo, pull: PullState, door: GitCli) -> GitRemote:
    remote = remote_of(github, repo, door)
    remote.fetch_pull(7, "main")
    return remote


def fixed(door: GitCli, parent: str, content: bytes = b"x = 9\n") -> str:
    return door.commit(parent, {"a.py": content}, TEXT)


def test_a_fix_moves_the_head_branch_and_nothing_else(repo, door, fetched):
    before = refs(repo)
    head = repo.head("feature")
    commit = fixed(door, head)
    fetched.push(commit, "feature", head)
    assert refs(repo) == {**before, "refs/heads/feature": commit}
    assert fetched.head_of("feature") == commit


def test_a_branch_that_moved_forward_is_not_pushed_to(github, repo, door, fetched):
    head = repo.head("feature")
    moved = github.state.commit(repo, "feature", {"b.py": "1\n"})
    with pytest.raises(CannotPush, match="meanwhile") as caught:
        fetched.push(fixed(door, head), "feature", head)
    assert caught.value.moved
    assert repo.head("feature") == moved


def test_a_branch_that_was_set_back_is_not_moved_forward_again(repo, door, fetched):
    head = repo.head("feature")
    git(repo.path, "update-ref", "refs/heads/feature", repo.head("main"))
    with pytest.raises(CannotPush) as caught:
        fetched.push(fixed(door, head), "feature", head)
    assert caught.value.moved
    assert repo.head("feature") == repo.head("main")


def test_a_branch_that_is_gone_is_not_made_again(repo, door, fetched):
    head = repo.head("feature")
    git(repo.path, "update-ref", "-d", "refs/heads/feature")
    with pytest.raises(CannotPush) as caught:
        fetched.push(fixed(door, head), "feature", head)
    assert caught.value.moved
    assert fetched.head_of("feature") is None


def test_a_commit_that_does_not_build_on_the_head_never_leaves(github, repo, door, fetched):
    head, base = repo.head("feature"), repo.head("main")
    asked = len(github.git.requests)
    for commit, expected in ((base, head), (fixed(door, base), head), ("HEAD", head), (head, "feature"), ("-f", head)):
        with pytest.raises(CannotPush, match="does not build"):
            fetched.push(commit, "feature", expected)
    assert len(github.git.requests) == asked


GH006 = "error: GH006: Protected branch update failed for refs/heads/feature."
REFUSALS = [
    ([GH006, "error: Changes must be made through a pull request."], "through a pull request only"),
    ([GH006, "error: Commits must have verified signatures."], "signed commits only"),
    (
        [
            (
                "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without "
                "`workflows` permission"
            )
        ],
        "update the branch from its base",
    ),
    (["our policy says no"], "a hook of the server"),
]


@pytest.mark.parametrize(("lines", "reason"), REFUSALS)
def test_a_rule_of_the_remote_is_recognised_from_a_real_refusal(repo, door, fetched, lines, reason):
    repo.refuse_pushes(*lines)
    head = repo.head("feature")
    with pytest.raises(CannotPush, match=reason) as caught:
        fetched.push(fixed(door, head), "feature", head)
    assert not caught.value.moved
    assert repo.head("feature") == head


def test_a_token_that_may_only_read_cannot_push_and_the_probe_knew(github, repo, door, fetched):
    github.state.add_token("ro", contents="read")
    reader = remote_of(github, repo, door, "ro")
    assert reader.push_refusal() == "the remote answered 403"
    assert fetched.push_refusal() is None
    head = repo.head("feature")
    with pytest.raises(CannotPush, match="contents: write"):
        reader.push(fixed(door, head), "feature", head)
    assert repo.head("feature") == head


def test_a_server_that_is_down_leaves_open_whether_the_push_arrived(github, repo, door, fetched):
    head = repo.head("feature")
    commit = fixed(door, head)
    github.git.down = True
    with pytest.raises(ForgeUnavailable):
        fetched.push(commit, "feature", head)


def test_two_pushes_at_once_and_one_of_them_wins(repo, door, fetched):
    head = repo.head("feature")
    commits = [fixed(door, head, f"x = {number}\n".encode()) for number in range(2)]
    ends: list[str] = []

    def push(commit: str) -> None:
        try:
            fetched.push(commit, "feature", head)
            ends.append("pushed")
        except CannotPush as error:
            ends.append("moved" if error.moved else "refused")

    threads = [threading.Thread(target=push, args=(commit,)) for commit in commits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["moved", "pushed"]
    assert repo.head("feature") in commits


def test_a_branch_of_our_own_is_made_once_and_never_moved(github, repo, door, fetched):
    commit = fixed(door, repo.head("feature"))
    fetched.push_new(commit, "autofix/r1")
    fetched.push_new(commit, "autofix/r1")
    assert repo.head("autofix/r1") == commit
    with pytest.raises(CannotPush, match="exists already") as caught:
        fetched.push_new(fixed(door, repo.head("feature"), b"other\n"), "autofix/r1")
    assert not caught.value.moved
    assert repo.head("autofix/r1") == commit


def test_a_new_branch_that_a_rule_refuses_says_which(repo, door, fetched):
    repo.refuse_pushes("our policy says no")
    with pytest.raises(CannotPush, match="a hook of the server"):
        fetched.push_new(fixed(door, repo.head("feature")), "autofix/r1")


def test_a_remote_that_cannot_be_read_has_no_known_head(github, repo, door):
    with pytest.raises(ForgeUnavailable, match="cannot be read"):
        remote_of(github, repo, door, "wrong").head_of("feature")


def test_a_probe_that_reaches_nobody_claims_nothing(door):
    assert GitRemote(door.process, "http://127.0.0.1:9/acme/widgets.git", TOKEN).push_refusal() is None


# --- the token ------------------------------------------------------------------------------------------------------


def test_the_token_is_in_no_argument_of_any_process_and_in_no_file(github, repo, pull, door, tmp_path):
    """G8: looked for in every process's arguments all the while, and in every file of the repository after."""
    secrets = [TOKEN.encode(), base64.b64encode(f"x-access-token:{TOKEN}".encode())]
    hook = repo.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nsleep 0.3\n", encoding="utf-8")
    hook.chmod(0o755)
    seen: list[bytes] = []
    transports: set[bytes] = set()
    stop = threading.Event()

    def sample() -> None:
        while not stop.is_set():
            for arguments in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = arguments.read_bytes()
                except OSError:
                    continue
                if github.git.url.encode() in line:
                    transports.add(line.split(b"\0")[0])
                seen.extend(secret for secret in secrets if secret in line)

    sampler = threading.Thread(target=sample)
    sampler.start()
    try:
        remote = remote_of(github, repo, door)
        head, _ = remote.fetch_pull(7, "main")
        remote.push(fixed(door, head), "feature", head)
    finally:
        stop.set()
        sampler.join()
    assert transports, "the sampler saw no git at work"
    assert seen == []
    kept = b"".join(path.read_bytes() for path in door.process.git_dir.rglob("*") if path.is_file())
    assert not any(secret in kept for secret in secrets)
    assert remote.url == f"{github.git.url}/acme/widgets.git"
    assert all(request.token for request in github.git.requests)


def test_a_redirect_does_not_take_the_token_along(door):
    asked: list[str | None] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers.get("Authorization"))
            self.send_error(404)

        def log_message(self, *_) -> None:
            pass

    class Redirects(Elsewhere):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{stranger.server_address[1]}/x")
            self.send_header("Content-Length", "0")
            self.end_headers()

    stranger, server = (ThreadingHTTPServer(("127.0.0.1", 0), handler) for handler in (Elsewhere, Redirects))
    for one in (stranger, server):
        threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    remote = GitRemote(door.process, f"http://127.0.0.1:{server.server_address[1]}/acme/widgets.git", TOKEN)
    try:
        assert remote.push_refusal() is None
        with pytest.raises(GitError):
            remote.fetch_pull(7, "main")
    finally:
        for one in (stranger, server):
            one.shutdown()
            one.server_close()
    assert asked == []
