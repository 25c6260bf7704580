"""GitHub's door over real HTTP, against a GitHub that checks every exchange against GitHub's own description."""

from datetime import UTC, datetime

import pytest

from autofix.errors import CannotPush, ForgeError, ForgeNotFound, ForgeUnavailable
from autofix.ports.github import Annotation, FileWrite, ReviewComment, TextEdits
from autofix.ports.github_checks import Artifact
from autofix.ports.github_names import Account, Permission, RepositoryName
from tests.fakes.clock import FakeClock
from tests.fakes.github_fixture import clock, door, github, opened, pull, repo
from tests.fakes.github_server import FakeGitHub
from tests.fakes.github_state import Repo
from tests.fakes.repositories import git

__all__ = ["clock", "door", "github", "pull", "repo"]


# --- reading --------------------------------------------------------------------------------------------------------


def test_the_repository_and_its_default_branch(door, repo):
    found = door.repository()
    assert (found.name, found.default_branch, found.private) == (RepositoryName(repo.id, "acme/widgets"), "main", False)


def test_a_pull_request_as_it_is_now(door, pull, repo):
    found = door.pull(7)
    assert (found.number, found.title, found.body, found.author) == (7, "Change things", "Please.", Account("ada"))
    assert (found.head, found.head_branch, found.base_branch) == (repo.head("feature/é"), "feature/é", "main")
    assert (found.open, found.draft, found.from_fork) == (True, False, False)


def test_a_pull_request_from_a_fork_and_one_whose_fork_is_gone(github, door, repo):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    github.state.commit(fork, "main", {"a.py": "x = 3\n"})
    state = github.state.add_pull(repo, "main", head=fork, author="eve")
    found = door.pull(state.number)
    assert found.from_fork
    assert found.head_repository == RepositoryName(fork.id, "eve/widgets")
    state.head = None
    assert door.pull(state.number).head_repository is None
    assert door.pull(state.number).from_fork


def test_a_pull_request_that_is_not_there_is_not_found(door):
    with pytest.raises(ForgeNotFound):
        door.pull(99)


def test_open_pull_requests_of_a_branch_are_those_of_its_owner_only(github, door, repo):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    for one in (repo, fork):
        github.state.commit(one, "same", {"a.py": f"{one.id}\n"}, start="main")
        github.state.add_pull(repo, "same", head=one)
    assert [one.number for one in door.open_pulls("eve", "same")] == [2]
    assert [one.number for one in door.open_pulls("acme", "same")] == [1]
    github.state.pulls["acme/widgets", 2].open = False
    assert door.open_pulls("eve", "same") == ()


def test_pull_requests_that_hold_a_commit(door, pull, repo):
    assert [one.number for one in door.pulls_with_commit(repo.head("feature/é"))] == [7]
    assert door.pulls_with_commit(repo.head("main")) == ()


def test_when_title_and_body_were_edited(door, pull):
    assert door.text_edits(7) == TextEdits(None, None)
    pull.body_edited_at, pull.title_edited_at = "2026-01-03T00:00:00Z", "2026-01-04T00:00:00Z"
    assert door.text_edits(7) == TextEdits(datetime(2026, 1, 3, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    with pytest.raises(ForgeNotFound):
        door.text_edits(99)


def test_changed_files_with_their_hunks_over_several_pages(github, door, repo):
    files = {f"f{number:03}.py": "x\n" for number in range(230)}
    github.state.commit(repo, "wide", files, start="main")
    github.state.add_pull(repo, "wide")
    found = door.changed_files(1)
    assert [file.path for file in found.files] == sorted(files)
    assert found.complete
    assert found.files[0].patch == "@@ -0,0 +1 @@\n+x"
    assert len(github.asked("GET", "/files$")) == 3


def test_renamed_and_non_ascii_files_keep_their_names(github, door, repo):
    github.state.commit(repo, "names", {"b.py": None, "ü b.py": "y = 1\n"}, start="main")
    github.state.add_pull(repo, "names")
    (file,) = door.changed_files(1).files
    assert (file.path, file.previous_path, file.status, file.patch) == ("ü b.py", "b.py", "renamed", None)


def test_commits_with_author_and_message(github, door, repo, pull):
    message = "Fix\n\nAutofix-Run: r1"
    github.state.commit(repo, "feature/é", {"a.py": "x = 9\n"}, message, author=("autofix[bot]", "bot@x"))
    first, second = door.commits(7)
    assert (first.message, first.author_email) == ("Second", "ada@example.org")
    assert (second.message, second.author_name, second.author_email) == (message, "autofix[bot]", "bot@x")


def test_a_branch_whose_name_needs_quoting(door, pull, repo):
    assert door.branch("feature/é").sha == repo.head("feature/é")
    assert not door.branch("feature/é").protected
    repo.protected["main"] = ""
    assert door.branch("main").protected
    with pytest.raises(ForgeNotFound):
        door.branch("gone")


def test_permission_is_what_the_collaborator_api_says(github, door):
    github.state.permissions.update(ada="write", bob="admin")
    for login in ("ada", "bob", "eve"):
        github.state.user(login)
    github.state.user("greeter[bot]")
    asked = {login: door.permission(login) for login in ("ada", "bob", "eve", "nobody", "greeter[bot]")}
    assert asked == {
        "ada": Permission.WRITE,
        "bob": Permission.ADMIN,
        "eve": Permission.READ,
        "nobody": Permission.NONE,
        "greeter[bot]": Permission.NONE,
    }


@pytest.mark.parametrize("login", ["github-actions[bot]", "acme-fixer[bot]", "ada"])
def test_every_kind_of_token_knows_whose_it_is(github, clock, repo, login):
    github.state.add_token("other", login)
    assert opened(github, clock, "other").whoami() == login


# --- what CI did ----------------------------------------------------------------------------------------------------


def test_a_run_its_actors_and_its_fork(github, door, repo):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    made = github.state.add_run(
        repo, "a" * 40, branch="main", head_repository=fork, actor="eve", triggering_actor="ada", attempt=3
    )
    found = door.run(made["id"])
    assert (found.actor, found.triggering_actor) == (Account("eve"), Account("ada"))
    assert found.head_repository == RepositoryName(fork.id, "eve/widgets")
    assert (found.attempt, found.conclusion, found.event) == (3, "failure", "pull_request")
    assert [one.id for one in door.runs_of_suite(made["check_suite_id"])] == [made["id"]]
    assert door.runs_of_suite(1) == ()


def test_jobs_of_an_attempt_over_several_pages(github, door, repo):
    run = github.state.add_run(repo, "a" * 40)
    for number in range(150):
        github.state.add_job(run, f"test ({number})", attempt=1)
    github.state.add_job(run, "again", attempt=2)
    assert len(door.jobs(run["id"], 1)) == 150
    (latest,) = door.jobs(run["id"])
    assert latest.name == "again"
    assert latest.steps[0].name == "Run pytest"
    assert latest.steps[0].started_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_log_is_streamed_from_storage_without_the_token(github, door, repo):
    run = github.state.add_run(repo, "a" * 40)
    content = b"line\n" * 100_000
    job = github.state.add_job(run, "test", log=content)
    with door.log(job["id"]) as pieces:
        got = list(pieces)
    assert b"".join(got) == content
    assert max(map(len, got)) <= 64 * 1024
    assert github.storage_requests == [(f"/logs/{job['id']}", None)]


def test_a_log_that_is_gone_is_not_found(github, door, repo):
    run = github.state.add_run(repo, "a" * 40)
    job = github.state.add_job(run, "test")
    with pytest.raises(ForgeNotFound), door.log(job["id"]):
        pass
    github.state.logs[job["id"]] = b""
    expired = opened(github, FakeClock())
    where = expired._rest.location(f"/repos/acme/widgets/actions/jobs/{job['id']}/logs")
    del github.state.logs[job["id"]]
    with pytest.raises(ForgeNotFound), expired._storage.stream(where):
        pass


def test_a_log_that_breaks_off_is_unavailable_not_short(github, door, repo):
    run = github.state.add_run(repo, "a" * 40)
    job = github.state.add_job(run, "test", log=b"x" * 500_000)
    github.storage_cut = 100_000
    with pytest.raises(ForgeUnavailable, match="broke off"), door.log(job["id"]) as pieces:
        list(pieces)


def artifact(github: FakeGitHub, repo: Repo, content: bytes) -> Artifact:
    run = github.state.add_run(repo, "a" * 40)
    made = github.state.add_artifact(run, "junit", content)
    return Artifact(made["id"], "junit", len(content), expired=False)


def test_an_artifact_is_saved_whole_and_without_the_token(github, door, repo, tmp_path):
    one = artifact(github, repo, b"PK" * 1000)
    door.download(one, tmp_path / "zip", 2000)
    assert (tmp_path / "zip").read_bytes() == b"PK" * 1000
    assert [header for _, header in github.storage_requests] == [None]


def test_an_artifact_larger_than_it_may_be_leaves_nothing(github, door, repo, tmp_path):
    one = artifact(github, repo, b"x" * 2001)
    with pytest.raises(ForgeError, match="larger than 2000"):
        door.download(one, tmp_path / "zip", 2000)
    assert not (tmp_path / "zip").exists()


def test_an_artifact_that_breaks_off_leaves_nothing(github, door, repo, tmp_path):
    one = artifact(github, repo, b"x" * 200_000)
    github.storage_cut = 10
    with pytest.raises(ForgeUnavailable):
        door.download(one, tmp_path / "zip", 1_000_000)
    assert not (tmp_path / "zip").exists()


def test_artifacts_are_listed_with_their_size_and_whether_they_are_gone(github, door, repo):
    run = github.state.add_run(repo, "a" * 40)
    github.state.add_artifact(run, "junit", b"12345")
    github.state.add_artifact(run, "old", b"", expired=True)
    assert [(one.name, one.size, one.expired) for one in door.artifacts(run["id"])] == [
        ("junit", 5, False),
        ("old", 0, True),
    ]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://x/y", "/relative"])
def test_the_storages_address_can_only_be_http(github, door, repo, monkeypatch, address):
    run = github.state.add_run(repo, "a" * 40)
    job = github.state.add_job(run, "test", log=b"x")
    github.state.storage = address.removesuffix("/y")
    with pytest.raises(ForgeError, match="is no http"), door.log(job["id"]):
        pass


def test_check_runs_of_a_commit(github, door, repo):
    for number in range(120):
        github.state.add_check("a" * 40, f"check {number}", "success")
    github.state.add_check("a" * 40, "pending", None)
    github.state.add_check("b" * 40, "other", "failure", app="some-ci")
    assert len(door.checks("a" * 40)) == 121
    (one,) = door.checks("b" * 40)
    assert (one.name, one.app, one.failing) == ("other", "some-ci", True)


# --- writing --------------------------------------------------------------------------------------------------------


def test_a_comment_is_made_read_and_changed(door, pull):
    made = door.create_comment(7, "hello")
    assert door.update_comment(made.id, "changed").body == "changed"
    assert door.comment(made.id).body == "changed"
    assert [one.body for one in door.comments(7)] == ["changed"]
    assert made.author == Account("github-actions[bot]", is_bot=True)


def test_comments_come_complete_and_in_order(github, door, pull, repo):
    for number in range(250):
        github.state.add_comment(repo, 7, "eve", f"comment {number}")
    assert [one.body for one in door.comments(7)] == [f"comment {number}" for number in range(250)]


def test_a_comment_that_is_too_long_is_refused_on_create_and_on_update(door, pull):
    made = door.create_comment(7, "x" * 65_536)
    with pytest.raises(ForgeError, match="65536"):
        door.create_comment(7, "x" * 65_537)
    with pytest.raises(ForgeError, match="65536"):
        door.update_comment(made.id, "x" * 65_537)


def test_a_reaction_twice_is_one(github, door, pull):
    made = door.create_comment(7, "hello")
    door.react(made.id, "eyes")
    door.react(made.id, "eyes")
    assert [one["content"] for one in github.state.reactions[made.id]] == ["eyes"]


def test_a_review_with_suggestions_on_one_line_and_on_several(github, door, pull, repo):
    head = repo.head("feature/é")
    github.state.commit(repo, "feature/é", {"d.py": "1\n2\n3\n"})
    comments = [ReviewComment("d.py", 1, 3, "```suggestion\n4\n```"), ReviewComment("a.py", 1, 1, "```suggestion\n```")]
    assert door.review(7, head, "See these.", comments).endswith("#pullrequestreview-1")
    (posted,) = github.state.reviews[7]
    assert posted["state"] == "COMMENTED"
    assert posted["comments"][0] == {
        "path": "d.py",
        "start_line": 1,
        "start_side": "RIGHT",
        "line": 3,
        "side": "RIGHT",
        "body": "```suggestion\n4\n```",
    }
    assert "start_line" not in posted["comments"][1]


def test_one_line_outside_the_diff_refuses_the_whole_review(github, door, pull, repo):
    with pytest.raises(ForgeError, match="Line could not be resolved"):
        door.review(7, repo.head("feature/é"), "See.", [ReviewComment("b.py", 1, 1, "x")])
    assert not github.state.reviews


def test_more_than_fifty_annotations_go_in_several_calls(github, door, pull, repo):
    notes = [Annotation("a.py", line, line, "failure", f"m{line}", title="t") for line in range(1, 131)]
    door.annotate(repo.head("feature/é"), "autofix", "3 tests fail", notes)
    (check,) = github.state.check_runs.values()
    assert [one["message"] for one in check["kept_annotations"]] == [f"m{line}" for line in range(1, 131)]
    assert (check["conclusion"], check["status"]) == ("neutral", "completed")


def test_a_commit_through_the_api_lands_on_the_branch_and_in_git(github, door, pull, repo):
    head = repo.head("feature/é")
    made = door.commit_on_branch(
        "feature/é", head, "Fix é", "Autofix-Run: r1", [FileWrite("a.py", b"x = \xff\r\n"), FileWrite("c é.py", None)]
    )
    assert repo.head("feature/é") == made
    assert git(repo.path, "show", f"{made}:a.py") == b"x = \xff\r\n"
    assert git(repo.path, "ls-tree", "--name-only", made).decode().split() == ["a.py", "b.py"]
    assert git(repo.path, "show", "-s", "--format=%P %B", made).decode().strip() == f"{head} Fix é\n\nAutofix-Run: r1"


def test_a_commit_through_the_api_on_a_branch_that_moved_changes_nothing(github, door, pull, repo):
    expected = repo.head("feature/é")
    moved = github.state.commit(repo, "feature/é", {"a.py": "x = 5\n"})
    with pytest.raises(CannotPush) as caught:
        door.commit_on_branch("feature/é", expected, "Fix", "", [FileWrite("a.py", b"x = 6\n")])
    assert caught.value.moved
    assert repo.head("feature/é") == moved


def test_a_commit_through_the_api_that_a_rule_refuses_says_which(door, pull, repo):
    repo.protected["feature/é"] = "Changes must be made through a pull request."
    with pytest.raises(CannotPush, match="through a pull request only") as caught:
        door.commit_on_branch("feature/é", repo.head("feature/é"), "Fix", "", [FileWrite("a.py", b"")])
    assert not caught.value.moved


def test_a_stacked_pull_request_from_a_branch_of_our_own(door, pull, repo):
    head = repo.head("feature/é")
    door.create_branch("autofix/r1", head)
    made = door.create_pull(title="Fix", body="See.", head="autofix/r1", base="feature/é")
    assert (made.head_branch, made.base_branch, made.head) == ("autofix/r1", "feature/é", head)
    with pytest.raises(ForgeError, match="already exists"):
        door.create_branch("autofix/r1", head)
    door.delete_branch("autofix/r1")
    assert repo.head("autofix/r1") is None


def test_the_modes_of_a_tree(github, door, repo, pull):
    index = {"GIT_INDEX_FILE": str(repo.path / "index")}
    git(repo.path, "read-tree", "main", **index)
    blob = git(repo.path, "hash-object", "-w", "--stdin", stdin=b"b.py").decode().strip()
    for mode, path in (("100755", "bin/run"), ("120000", "link"), ("160000", "sub")):
        object_id = repo.head("main") if mode == "160000" else blob
        git(repo.path, "update-index", "--add", "--cacheinfo", f"{mode},{object_id},{path}", **index)
    tree = git(repo.path, "write-tree", **index).decode().strip()
    commit = git(repo.path, "commit-tree", tree, stdin=b"m").decode().strip()
    assert door.modes(commit) == {
        "a.py": "100644",
        "b.py": "100644",
        "bin/run": "100755",
        "link": "120000",
        "sub": "160000",
    }
