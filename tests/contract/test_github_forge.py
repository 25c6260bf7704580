"""`ports.forge.Forge` on GitHub: one comment, one branch, whatever the token and whatever breaks."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from autofix.errors import CannotComment, CannotPush, ForgeUnavailable
from autofix.intake.ledger import Ledger, RunRecord, decode
from autofix.intake.own_marks import MARKER
from autofix.ports.forge import COMMENT_LIMIT, Forge, PushTarget
from autofix.ports.git import CommitText
from autofix.world.git_cli import GitCli
from autofix.world.github_api import GitHubApi, open_github
from autofix.world.github_forge import GitHubForge
from autofix.world.github_git import GitRemote
from tests.fakes.clock import FakeClock
from tests.fakes.github_fixture import github
from tests.fakes.github_server import FakeGitHub
from tests.fakes.github_state import Repo
from tests.fakes.repositories import git

__all__ = ["github"]

TOKEN = "ghs_secret"
TEXT = CommitText("Fix", "Autofix-Run: r1", "autofix[bot]", "autofix@example.org")


@pytest.fixture
def repo(github: FakeGitHub) -> Repo:
    github.state.add_token(TOKEN)
    repo = github.state.add_repo("acme/widgets")
    github.state.commit(repo, "main", {"a.py": "x = 1\n"}, "First")
    github.state.commit(repo, "feature", {"a.py": "x = 2\n"}, "Second", start="main")
    github.state.add_pull(repo, "feature", number=7)
    return repo


@pytest.fixture
def git_door(github, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q", "--bare")
    door = GitCli(empty, tmp_path / "repo.git")
    yield door
    door.close()


def api(github: FakeGitHub, token: str = TOKEN) -> GitHubApi:
    return open_github("acme/widgets", token, FakeClock(), api_url=github.api_url, seconds_between_writes=None)


def forge_of(github: FakeGitHub, git_door: GitCli, token: str = TOKEN, number: int = 7, **more) -> GitHubForge:
    door = api(github, token)
    remote = GitRemote(git_door.process, github.clone_url(github.state.repos["acme/widgets"]), token)
    remote.fetch_pull(number, "main")
    return GitHubForge(door, remote, door.pull(number), accounts={door.whoami()}, **more)


def bodies(github: FakeGitHub) -> list[str]:
    return [comment["body"] for comment in github.state.comments.values()]


def fix(git_door: GitCli, parent: str) -> str:
    return git_door.commit(parent, {"a.py": b"x = 3\n"}, TEXT)


# --- the comment ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("login", ["github-actions[bot]", "acme-fixer[bot]", "ada"])
def test_there_is_one_comment_updated_in_place_by_every_run_with_any_token(github, repo, git_door, login):
    github.state.add_token("other", login)
    github.state.add_comment(repo, 7, "eve", "please fix")
    first = forge_of(github, git_door, "other").comment("run 1")
    again = forge_of(github, git_door, "other")
    assert again.comment("run 2") == first
    assert again.comment("run 2, done") == first
    assert len(bodies(github)) == 2
    assert bodies(github)[1].startswith(MARKER)
    assert bodies(github)[1].endswith("run 2, done")


def test_a_team_that_changes_to_an_apps_token_keeps_its_comment(github, repo, git_door):
    github.state.add_token("app", "acme-fixer[bot]")
    first = forge_of(github, git_door).comment("by the workflow's token")
    assert forge_of(github, git_door, "app").comment("by the app's") == first


def test_someone_elses_comment_with_our_marker_is_not_ours(github, repo, git_door):
    forged = f"{MARKER}\nall is well"
    github.state.add_comment(repo, 7, "eve", forged)
    forge = forge_of(github, git_door)
    assert forge.own_comment() is None
    forge.comment("the truth")
    assert bodies(github)[0] == forged
    assert len(bodies(github)) == 2


def test_a_comment_that_someone_deleted_is_written_anew(github, repo, git_door):
    forge = forge_of(github, git_door)
    forge.comment("one")
    github.state.comments.clear()
    forge.comment("two")
    assert [body.endswith("two") for body in bodies(github)] == [True]


@pytest.mark.parametrize("status", [0, 502])
def test_a_comment_whose_answer_was_lost_is_not_written_twice(github, repo, git_door, status):
    forge = forge_of(github, git_door)
    github.fail("POST .*/comments", status, after=True)
    forge.comment("once")
    assert len(bodies(github)) == 1


@pytest.mark.parametrize("status", [0, 502])
def test_a_comment_that_did_not_arrive_is_written_again(github, repo, git_door, status):
    forge = forge_of(github, git_door)
    github.fail("POST .*/comments", status)
    forge.comment("once")
    assert len(bodies(github)) == 1


def test_a_comment_longer_than_github_takes_is_refused_on_create_and_on_update(github, repo, git_door):
    forge = forge_of(github, git_door)
    room = COMMENT_LIMIT - len(MARKER) - 200
    forge.comment("x" * room)
    for body in ("x" * COMMENT_LIMIT, "x" * (COMMENT_LIMIT - len(MARKER))):
        with pytest.raises(CannotComment, match="GitHub takes 65536"):
            forge.comment(body)
    assert len(bodies(github)) == 1


def test_a_token_that_may_not_comment_says_which_permission_is_missing(github, repo, git_door):
    github.state.add_token("ro", pull_requests="read")
    with pytest.raises(CannotComment, match="pull-requests: write"):
        forge_of(github, git_door, "ro").comment("x")


def test_a_comment_github_refuses_is_told_with_its_words(github, repo, git_door):
    github.fail("POST .*/comments", 422, "Validation Failed")
    with pytest.raises(CannotComment, match="Validation Failed"):
        forge_of(github, git_door).comment("x")


def test_what_was_spent_travels_hidden_in_the_comment(github, repo, git_door):
    spent = Ledger().with_run(RunRecord("r1", "a" * 40, datetime(2026, 1, 2, tzinfo=UTC), Decimal("0.5")))
    forge_of(github, git_door, ledger=spent).comment("done")
    found = forge_of(github, git_door).own_comment()
    assert found is not None
    assert decode(found.body) == spent


# --- the branch -----------------------------------------------------------------------------------------------------


def test_a_fix_is_pushed_to_the_branch_the_api_named(github, repo, git_door):
    forge: Forge = forge_of(github, git_door)
    head = repo.head("feature")
    assert forge.why_not() == ""
    assert forge.target() == PushTarget(github.clone_url(repo), "feature")
    assert forge.head() == head
    commit = fix(git_door, head)
    forge.push(commit, head)
    assert (repo.head("feature"), forge.head()) == (commit, commit)
    assert api(github).pull(7).head == commit


def test_a_head_that_moved_is_moved(github, repo, git_door):
    forge = forge_of(github, git_door)
    head = repo.head("feature")
    moved = github.state.commit(repo, "feature", {"b.py": "1\n"})
    with pytest.raises(CannotPush) as caught:
        forge.push(fix(git_door, head), head)
    assert caught.value.moved
    assert (repo.head("feature"), forge.head()) == (moved, moved)


def test_a_forks_pull_request_has_no_target_and_a_push_never_leaves(github, repo, git_door):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    head = github.state.commit(fork, "patch", {"a.py": "x = 5\n"}, start="main")
    github.state.add_pull(repo, "patch", number=8, head=fork, author="eve")
    forge = forge_of(github, git_door, number=8)
    assert forge.target() is None
    assert "fork" in forge.why_not()
    assert forge.head() == head
    with pytest.raises(CannotPush, match="fork"):
        forge.push(fix(git_door, head), head)
    assert not [request for request in github.git.requests if request.push]


def test_a_forks_branch_that_is_gone_has_no_head(github, repo, git_door):
    fork = github.state.add_repo("eve/widgets", fork_of=repo)
    github.state.commit(fork, "patch", {"a.py": "x = 5\n"}, start="main")
    github.state.add_pull(repo, "patch", number=8, head=fork, author="eve")
    forge = forge_of(github, git_door, number=8)
    git(fork.path, "update-ref", "-d", "refs/heads/patch")
    assert forge.head() is None
    gone = GitHubForge(api(github), forge._remote, replace(forge._pull, head_repository=None), accounts=())
    assert gone.head() is None


def test_what_admission_forbade_is_not_pushed(github, repo, git_door):
    forge = forge_of(github, git_door, no_push="the head branch, main, is the default branch")
    head = repo.head("feature")
    with pytest.raises(CannotPush, match="default branch"):
        forge.push(fix(git_door, head), head)
    assert repo.head("feature") == head


class LosesAnswers(GitRemote):
    """A remote whose connection breaks after (or before) the push took effect."""

    arrives = True

    def push(self, commit: str, branch: str, expected: str) -> None:
        if self.arrives:
            super().push(commit, branch, expected)
        raise ForgeUnavailable("the connection broke")


@pytest.mark.parametrize("arrives", [True, False])
def test_a_push_whose_answer_was_lost_is_judged_by_where_the_branch_is(github, repo, git_door, arrives):
    door = api(github)
    remote = LosesAnswers(git_door.process, github.clone_url(repo), TOKEN)
    remote.arrives = arrives
    remote.fetch_pull(7, "main")
    forge = GitHubForge(door, remote, door.pull(7), accounts=())
    head = repo.head("feature")
    commit = fix(git_door, head)
    if arrives:
        forge.push(commit, head)
        assert repo.head("feature") == commit
    else:
        with pytest.raises(CannotPush, match="nothing was pushed: the connection broke") as caught:
            forge.push(commit, head)
        assert not caught.value.moved


def test_a_push_whose_answer_was_lost_under_someone_elses_push_is_moved(github, repo, git_door):
    door = api(github)
    remote = LosesAnswers(git_door.process, github.clone_url(repo), TOKEN)
    remote.arrives = False
    remote.fetch_pull(7, "main")
    forge = GitHubForge(door, remote, door.pull(7), accounts=())
    head = repo.head("feature")
    github.state.commit(repo, "feature", {"b.py": "1\n"})
    with pytest.raises(CannotPush) as caught:
        forge.push(fix(git_door, head), head)
    assert caught.value.moved


class SaysYes(GitRemote):
    """A remote that claims success and does nothing."""

    def push(self, commit: str, branch: str, expected: str) -> None:
        pass


def test_a_push_that_only_claims_to_have_worked_is_found_out(github, repo, git_door):
    door = api(github)
    remote = SaysYes(git_door.process, github.clone_url(repo), TOKEN)
    remote.fetch_pull(7, "main")
    forge = GitHubForge(door, remote, door.pull(7), accounts=())
    head = repo.head("feature")
    with pytest.raises(CannotPush, match="the branch did not move"):
        forge.push(fix(git_door, head), head)
