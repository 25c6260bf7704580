"""The git door on real repositories: what it reads, what it writes, what it leaves alone."""

import subprocess

import pytest

from autofix.errors import GitError
from autofix.ports.git import CommitText, EntryType
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import ENVIRONMENT, Repository

TEXT = CommitText("Fix the parser", "Autofix-Run: r1", "autofix", "autofix@example.org")


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"src/a.py": "x = 1\n", "run.sh": "echo\n", "data.bin": b"\0\1"}, "Base")
    (repository.path / "run.sh").chmod(0o755)
    (repository.path / "link").symlink_to("src/a.py")
    repository.commit_all("Modes")
    return repository


@pytest.fixture
def git(repository, tmp_path):
    git = GitCli(repository.path, tmp_path / "run" / "repo.git")
    yield git
    git.close()


def test_entries_have_the_types_git_keeps(git):
    types = {entry.path: entry.type for entry in git.entries(git.resolve("main"))}
    assert types == {
        "data.bin": EntryType.FILE,
        "link": EntryType.SYMLINK,
        "run.sh": EntryType.EXECUTABLE,
        "src/a.py": EntryType.FILE,
    }


def test_read_gives_regular_files_alone(git):
    head = git.resolve("main")
    assert git.read(head, "src/a.py", 100) == b"x = 1\n"
    assert [git.read(head, path, 100) for path in ("link", "src", "nothing", "src/a.py/x")] == [None] * 4


def test_read_refuses_what_is_larger_than_the_limit(git):
    with pytest.raises(GitError, match="6 bytes"):
        git.read(git.resolve("main"), "src/a.py", 5)
    assert git.read(git.resolve("main"), "src/a.py", 6) == b"x = 1\n"


def test_many_blobs_come_in_the_order_asked_and_an_abandoned_answer_harms_nobody(repository, git):
    names = {f"many/{number}": f"{number}\n" * (number % 50) for number in range(1000)}
    repository.commit(names)
    entries = [entry for entry in git.entries(git.resolve("main")) if entry.path.startswith("many/")]
    ids = [entry.blob for entry in entries]
    abandoned = git.blobs(ids)
    next(abandoned)
    abandoned.close()
    assert [content for _, content in git.blobs(ids)] == [names[entry.path].encode() for entry in entries]
    one, other = git.blobs(ids), git.blobs(reversed(ids))
    assert next(one)[0] == ids[0]
    assert next(other)[0] == ids[-1]
    one.close()
    other.close()


def test_a_missing_blob_is_an_error_that_names_it(git):
    missing = "1" * 40
    with pytest.raises(GitError, match=missing):
        list(git.blobs([missing]))


def test_a_commit_differs_in_its_files_alone_and_keeps_modes(repository, git):
    parent = git.resolve("main")
    files = {"src/a.py": b"x = 2\r\n", "run.sh": b"exit\n", "data.bin": None, "new/file": b"n"}
    commit = git.commit(parent, files, TEXT)
    assert {(change.kind.value, change.path) for change in git.changes(parent, commit)} == {
        ("M", "src/a.py"), ("M", "run.sh"), ("D", "data.bin"), ("A", "new/file"),
    }  # fmt: skip
    types = {entry.path: entry.type for entry in git.entries(commit)}
    assert types["run.sh"] is EntryType.EXECUTABLE
    assert types["new/file"] is EntryType.FILE
    assert git.read(commit, "src/a.py", 100) == b"x = 2\r\n"


def test_a_commit_says_who_and_when_by_its_text_and_clock(repository, git, tmp_path):
    from datetime import UTC, datetime

    timed = GitCli(repository.path, tmp_path / "timed.git", now=lambda: datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC))
    commit = timed.commit(timed.resolve("main"), {"a": b"x"}, TEXT)
    shown = timed.process.output("cat-file", "commit", commit).decode()
    assert f"author autofix <autofix@example.org> {1798859045} +0000\n" in shown
    assert "committer autofix <autofix@example.org> 1798859045 +0000\n" in shown
    assert shown.endswith("\n\nFix the parser\n\nAutofix-Run: r1\n")
    timed.close()


@pytest.mark.parametrize(
    "path", [".git/hooks/pre-commit", "a/.GIT/config", "../up", "/etc/passwd", "a/../b", ".git\u200c/x"]
)
def test_a_commit_refuses_names_that_would_harm_a_checkout(git, path):
    with pytest.raises(GitError):
        git.commit(git.resolve("main"), {path: b"x"}, TEXT)


def test_a_commit_refuses_to_write_through_a_link(git):
    with pytest.raises(GitError, match="symlink"):
        git.commit(git.resolve("main"), {"link": b"x"}, TEXT)


def test_new_objects_stay_out_of_the_users_repository(repository, git):
    commit = git.commit(git.resolve("main"), {"src/a.py": b"x = 9\n"}, TEXT)
    with pytest.raises(AssertionError):
        repository.git("cat-file", "-e", commit)


def test_a_diff_stops_at_its_limit_and_holds_the_named_paths_alone(repository, git):
    base = git.resolve("main")
    repository.commit({"src/a.py": "y\n" * 100_000, "run.sh": "exit\n"})
    head = git.resolve("main")
    assert len(git.diff(base, head, ["src/a.py"], 1000)) == 1000
    small = git.diff(base, head, ["run.sh"], 100_000)
    assert b"run.sh" in small
    assert b"a.py" not in small
    assert git.diff(base, head, [], 1000) == b""


def test_an_exported_history_is_whole_cut_at_the_merge_base_and_knows_no_remote(repository, git, tmp_path):
    repository.commit({"old": "x"}, "Before")
    base = repository.commit({"base": "x"}, "The base")
    repository.branch("topic")
    repository.commit({"one": "x"}, "One")
    head = repository.commit({"two": "x"}, "Two")
    repository.checkout("main")
    repository.commit({"later": "x"}, "Later on main")
    destination = tmp_path / "history"
    git.export_history(base, head, destination, "topic")

    def plain(*arguments):
        command = ["git", f"--git-dir={destination}", *arguments]
        return subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True, text=True).stdout

    assert plain("log", "--format=%s", "topic").split("\n")[:-1] == ["Two", "One", "The base"]
    assert plain("fsck", "--full", "--strict") == ""
    assert plain("remote") == ""
    assert plain("for-each-ref", "--format=%(refname)") == "refs/heads/topic\n"
    assert not (destination / "objects" / "info" / "alternates").exists()
    assert not (destination / "hooks").exists()
    assert str(tmp_path) not in (destination / "config").read_text()


def test_an_exported_history_is_whole_where_the_branch_merged_its_base(repository, git, tmp_path):
    base = repository.commit({"base": "x"}, "The base")
    repository.branch("topic")
    repository.commit({"one": "x"}, "One")
    repository.checkout("main")
    repository.commit({"later": "x"}, "Later on main")
    repository.checkout("topic")
    repository.git("merge", "-q", "--no-edit", "main")
    head = repository.head()
    destination = tmp_path / "history"
    git.export_history(base, head, destination, "topic")
    command = ["git", f"--git-dir={destination}", "fsck", "--full", "--strict"]
    subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=True)


def test_a_repository_that_is_reopened_still_has_the_runs_commits(repository, git, tmp_path):
    commit = git.commit(git.resolve("main"), {"src/a.py": b"x = 9\n"}, TEXT)
    again = GitCli(repository.path, tmp_path / "run" / "repo.git")
    assert again.read(commit, "src/a.py", 100) == b"x = 9\n"
    again.close()


def test_a_branch_wins_over_a_tag_of_its_name_and_steps_lead_to_ancestors(repository, git):
    first = repository.head("HEAD~1")
    repository.git("tag", "main", first)
    assert git.resolve("main") == repository.head("HEAD")
    assert git.resolve("main~1") == git.resolve("HEAD^") == first
    assert git.resolve("refs/tags/main") == first
    assert (git.branch_of("main"), git.branch_of("HEAD~1"), git.branch_of("refs/tags/main")) == ("main", None, None)
    repository.git("checkout", "-q", "--detach")
    assert git.branch_of("HEAD") is None
    assert git.resolve(first[:10]) == first
