"""The local forge against real bare remotes: compare-and-swap, never forced, never the wrong branch."""

import threading

import pytest

from autofix.errors import CannotComment, CannotPush
from autofix.intake.local import local_pull_request
from autofix.intake.own_marks import MARKER
from autofix.ports.forge import PushTarget
from autofix.ports.git import CommitText
from autofix.world.git_cli import GitCli
from autofix.world.local_forge import LocalForge
from tests.fakes.repositories import Repository, bare_remote, git, remote_head

TEXT = CommitText("Fix", "", "autofix", "autofix@example.org")


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"a.py": "x = 1\n"}, "Base")
    repository.branch("feature/x")
    repository.commit({"a.py": "x = 2\n"}, "Feature")
    return repository


@pytest.fixture
def remote(repository, tmp_path):
    return bare_remote(repository, tmp_path / "remote.git")


@pytest.fixture
def door(repository, tmp_path):
    door = GitCli(repository.path, tmp_path / "repo.git")
    yield door
    door.close()


def forge_of(door, tmp_path, base="main", head="HEAD", **options):
    return LocalForge(door, local_pull_request(door, base, head), comments=tmp_path / "comments", **options)


def fix(door, parent):
    return door.commit(parent, {"a.py": b"x = 3\n"}, TEXT)


def test_a_fix_is_pushed_to_the_branch_alone(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    head = repository.head()
    assert forge.target() == PushTarget("origin", "feature/x")
    assert forge.why_not() == ""
    assert forge.head() == head
    commit = fix(door, head)
    before = git(remote, "for-each-ref", "--format=%(refname) %(objectname)")
    forge.push(commit, head)
    after = git(remote, "for-each-ref", "--format=%(refname) %(objectname)")
    assert after == before.replace(head.encode(), commit.encode())
    assert forge.head() == commit


def test_a_branch_that_moved_is_not_pushed_to(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    head = repository.head()
    moved = repository.commit({"b.py": "b\n"}, "Meanwhile")
    repository.git("push", "-q", "origin", "feature/x")
    with pytest.raises(CannotPush, match="no longer at") as caught:
        forge.push(fix(door, head), head)
    assert caught.value.moved
    assert remote_head(remote, "feature/x") == moved


def test_a_branch_that_is_gone_is_not_made_again(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    head = repository.head()
    repository.git("push", "-q", "origin", "--delete", "feature/x")
    assert forge.head() is None
    with pytest.raises(CannotPush, match="gone") as caught:
        forge.push(fix(door, head), head)
    assert caught.value.moved


def test_a_branch_moved_back_to_an_ancestor_is_not_pushed_to(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    head = repository.head()
    repository.git("push", "-q", "--force", "origin", "main:feature/x")
    with pytest.raises(CannotPush) as caught:
        forge.push(fix(door, head), head)
    assert caught.value.moved
    assert remote_head(remote, "feature/x") == repository.head("main")


def test_a_commit_that_would_drop_history_is_not_pushed_whatever_the_lease_says(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    head = repository.head()
    with pytest.raises(CannotPush, match="does not descend"):
        forge.push(fix(door, repository.head("main")), head)
    assert remote_head(remote, "feature/x") == head


def test_of_two_runs_that_push_at_once_one_wins(repository, remote, tmp_path):
    head = repository.head()
    ends = []

    def push(number):
        door = GitCli(repository.path, tmp_path / f"run{number}.git")
        commit = door.commit(head, {"a.py": b"x = %d\n" % (number + 10)}, TEXT)
        try:
            forge_of(door, tmp_path).push(commit, head)
            ends.append(commit)
        except CannotPush as error:
            ends.append(error)
        door.close()

    threads = [threading.Thread(target=push, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [end for end in ends if isinstance(end, str)]
    assert remote_head(remote, "feature/x") == winner
    assert all(end.moved for end in ends if isinstance(end, CannotPush))


def test_the_default_branch_is_no_target(repository, remote, door, tmp_path):
    git(remote, "symbolic-ref", "HEAD", "refs/heads/feature/x")
    forge = forge_of(door, tmp_path)
    assert forge.target() is None
    assert "default branch" in forge.why_not()
    with pytest.raises(CannotPush):
        forge.push(fix(door, repository.head()), repository.head())


def test_a_branch_that_became_the_default_meanwhile_is_not_pushed_to(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    assert forge.target() is not None
    git(remote, "symbolic-ref", "HEAD", "refs/heads/feature/x")
    with pytest.raises(CannotPush, match="default branch"):
        forge.push(fix(door, repository.head()), repository.head())


@pytest.mark.parametrize("base", ["feature/x", "origin/feature/x"])
def test_the_base_branch_is_no_target(repository, remote, door, tmp_path, base):
    repository.commit({"c.py": "c\n"})
    forge = forge_of(door, tmp_path, base=base)
    assert forge.target() is None
    assert "base branch" in forge.why_not()


def test_main_is_guarded_where_the_remote_does_not_say_its_default(repository, remote, door, tmp_path):
    repository.git("branch", "stable")
    git(remote, "symbolic-ref", "HEAD", "refs/heads/nowhere")
    forge = forge_of(door, tmp_path, base="stable", head="main")
    assert forge.target() is None
    assert "does not say" in forge.why_not()


def test_a_detached_head_and_a_missing_remote_are_said(repository, door, tmp_path):
    assert "no remote" in forge_of(door, tmp_path).why_not()
    assert "no branch" in forge_of(door, tmp_path, head=repository.head()).why_not()
    assert "does not know it" in forge_of(door, tmp_path, remote="elsewhere").why_not()
    assert forge_of(door, tmp_path, remote="-x").target() is None


def test_the_branchs_own_remote_goes_before_origin(repository, remote, door, tmp_path):
    fork = bare_remote(repository, tmp_path / "fork.git", name="fork")
    repository.git("config", "branch.feature/x.remote", "fork")
    forge = forge_of(door, tmp_path)
    assert forge.target() == PushTarget("fork", "feature/x")
    commit = fix(door, repository.head())
    forge.push(commit, repository.head())
    assert remote_head(fork, "feature/x") == commit
    assert remote_head(remote, "feature/x") == repository.head()


def test_a_relative_url_is_meant_from_the_checkout(repository, remote, door, tmp_path):
    repository.git("remote", "set-url", "origin", "../remote.git")
    assert forge_of(door, tmp_path).head() == repository.head()


def test_a_remote_that_is_away_for_a_while_is_asked_again(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    remote.rename(tmp_path / "away")
    assert "cannot be reached" in forge.why_not()
    (tmp_path / "away").rename(remote)
    assert forge.target() is not None


@pytest.mark.parametrize(
    ("hook", "script", "said"),
    [
        ("pre-receive", "#!/bin/sh\necho 'policy says no' >&2\nexit 1\n", "hook"),
        ("update", "#!/bin/sh\nexit 1\n", "hook"),
        ("pre-receive", "#!/bin/sh\necho 'error: GH006: Protected branch update failed' >&2\nexit 1\n", "protection"),
    ],
)
def test_a_refusal_of_the_remote_is_one_clear_line(repository, remote, door, tmp_path, hook, script, said):  # noqa: PLR0917 - fixtures and a row
    (remote / "hooks").mkdir(exist_ok=True)
    (remote / "hooks" / hook).write_text(script)
    (remote / "hooks" / hook).chmod(0o755)
    with pytest.raises(CannotPush, match=said) as caught:
        forge_of(door, tmp_path).push(fix(door, repository.head()), repository.head())
    assert not caught.value.moved
    assert "\n" not in str(caught.value)
    assert remote_head(remote, "feature/x") == repository.head()


def test_a_branch_checked_out_in_the_remote_is_said(repository, door, tmp_path):
    other = tmp_path / "other"
    repository.git("clone", "-q", str(repository.path), str(other))
    git(other, "checkout", "-q", "-b", "elsewhere")
    git(other, "symbolic-ref", "HEAD", "refs/heads/feature/x")
    repository.git("remote", "add", "origin", str(other))
    forge = forge_of(door, tmp_path)
    assert forge.target() is None  # what is checked out is what HEAD names: the default, to a push
    assert "default branch" in forge.why_not()


def test_a_comment_is_one_file_updated_in_place(repository, remote, door, tmp_path):
    forge = forge_of(door, tmp_path)
    first = forge.comment("one")
    second = forge.comment("two ü")
    assert first == second
    (found,) = (tmp_path / "comments").iterdir()
    assert str(found) == second.location
    assert found.name.startswith("work-feature-x-")
    assert found.read_text(encoding="utf-8") == f"{MARKER}\ntwo ü"


def test_comments_of_branches_that_read_alike_lie_apart(repository, remote, door, tmp_path):
    repository.git("branch", "feature-x")
    assert forge_of(door, tmp_path).comment("a") != forge_of(door, tmp_path, head="feature-x").comment("b")


def test_a_comment_that_cannot_be_written_is_said(repository, remote, door, tmp_path):
    (tmp_path / "comments").write_text("a file is in the way")
    with pytest.raises(CannotComment):
        forge_of(door, tmp_path).comment("x")
