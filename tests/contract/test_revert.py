"""A revert of our last commit, made by real git on real history."""

import pytest

from autofix.delivery.commit_text import commit_text
from autofix.delivery.revert import NothingToRevert, revert
from autofix.intake.own_marks import is_own_commit
from autofix.ports.github import CommitSummary
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import Repository, git


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"}, "Base")
    repository.branch("feature")
    repository.commit({"a.py": "a = 2\n"}, "Feature")
    return repository


@pytest.fixture
def door(repository, tmp_path):
    door = GitCli(repository.path, tmp_path / "repo.git")
    yield door
    door.close()


def ours(repository: Repository, door: GitCli, files: dict[str, bytes | None], run: str = "r1") -> str:
    text = commit_text(run, before=1, after=0, files=len(files))
    made = door.commit(repository.head(), files, text)
    git(repository.path, "fetch", "-q", str(door.process.git_dir), made)
    git(repository.path, "reset", "-q", "--hard", made)
    return made


def commits(repository: Repository) -> list[CommitSummary]:
    shown = git(repository.path, "log", "--reverse", "-z", "--format=%H%n%an%n%ae%n%B", "main..HEAD").decode()
    rows = [record.split("\n", 3) for record in shown.split("\0") if record]
    return [CommitSummary(sha, message.strip(), name, email, None) for sha, name, email, message in rows]


def reverted(repository: Repository, door: GitCli, run: str = "r2") -> str:
    made = revert(door, commits(repository), repository.head(), run)
    assert isinstance(made, str), made
    git(repository.path, "fetch", "-q", str(door.process.git_dir), made)
    git(repository.path, "reset", "-q", "--hard", made)
    return made


def tree(repository: Repository, commit: str) -> bytes:
    return git(repository.path, "ls-tree", "-r", commit)


def test_the_last_commit_is_taken_back_by_a_new_one(repository, door):
    before = repository.head()
    fix = ours(repository, door, {"a.py": b"a = 3\n", "new.py": b"n\n", "c.py": None})
    made = reverted(repository, door)
    assert tree(repository, made) == tree(repository, before)
    assert git(repository.path, "rev-parse", f"{made}~1").decode().strip() == fix
    assert is_own_commit(commits(repository)[-1])


def test_what_others_did_since_stays(repository, door):
    ours(repository, door, {"a.py": b"a = 3\n"})
    repository.commit({"b.py": "b = 9\n"}, "By hand")
    made = reverted(repository, door)
    assert git(repository.path, "show", f"{made}:a.py") == b"a = 2\n"
    assert git(repository.path, "show", f"{made}:b.py") == b"b = 9\n"


def test_a_file_that_someone_changed_since_is_not_touched_and_nothing_is_reverted(repository, door):
    ours(repository, door, {"a.py": b"a = 3\n", "b.py": b"b = 3\n"})
    repository.commit({"b.py": "b = 9\n"}, "By hand")
    found = revert(door, commits(repository), repository.head(), "r2")
    assert isinstance(found, NothingToRevert)
    assert "b.py was changed since" in found.reason


def test_a_second_revert_takes_back_the_commit_before(repository, door):
    start = repository.head()
    ours(repository, door, {"a.py": b"a = 3\n"}, "r1")
    ours(repository, door, {"b.py": b"b = 3\n"}, "r2")
    reverted(repository, door, "r3")
    made = reverted(repository, door, "r4")
    assert tree(repository, made) == tree(repository, start)
    assert isinstance(revert(door, commits(repository), made, "r5"), NothingToRevert)


def test_without_a_commit_of_ours_there_is_nothing_to_revert(repository, door):
    found = revert(door, commits(repository), repository.head(), "r2")
    assert found == NothingToRevert("no commit of autofix is on this pull request")
