"""The scope as it comes out of real repositories: every kind of change git knows, and names git has to quote."""

import os

import pytest

from autofix.errors import UsageError
from autofix.harness.scope import scope_of
from autofix.intake.local import local_pull_request
from autofix.ports.git import ChangeKind, EntryType
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import Repository

TEXT = "".join(f"line {number} of a file long enough to be recognised\n" for number in range(30))


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"src/a.py": TEXT, "old.py": TEXT.upper(), "gone.py": "x\n", "run.sh": "echo\n"}, "Base")
    repository.branch("feature")
    return repository


def read(repository, tmp_path, head="feature", base="main"):
    git = GitCli(repository.path, tmp_path / "repo.git")
    pull_request = local_pull_request(git, base, head)
    git.close()
    return pull_request, scope_of(pull_request)


def test_added_and_modified_files_are_in_scope(repository, tmp_path):
    repository.commit({"src/a.py": TEXT + "more\n", "src/new.py": "y\n"})
    pull_request, scope = read(repository, tmp_path)
    assert scope.paths == {"src/a.py", "src/new.py"}
    assert {change.path: change.kind for change in pull_request.changes} == {
        "src/a.py": ChangeKind.MODIFIED,
        "src/new.py": ChangeKind.ADDED,
    }


def test_a_renamed_file_is_in_scope_under_its_new_name_alone(repository, tmp_path):
    repository.git("mv", "old.py", "new.py")
    repository.commit({"new.py": TEXT.upper() + "MORE\n"})
    pull_request, scope = read(repository, tmp_path)
    (change,) = pull_request.changes
    assert (change.kind, change.path, change.old_path) == (ChangeKind.RENAMED, "new.py", "old.py")
    assert scope.paths == {"new.py"}
    assert "renames it to new.py" in scope.why_not("old.py")


def test_a_copied_file_is_in_scope_and_its_source_is_not(repository, tmp_path):
    repository.commit({"copy.py": TEXT + "a\n", "src/a.py": TEXT + "b\n"})
    pull_request, scope = read(repository, tmp_path)
    copied = next(change for change in pull_request.changes if change.path == "copy.py")
    assert (copied.kind, copied.old_path) == (ChangeKind.COPIED, "src/a.py")
    assert scope.paths == {"copy.py", "src/a.py"}


def test_a_deleted_file_is_not_in_scope_and_the_reason_says_so(repository, tmp_path):
    repository.commit({"gone.py": None})
    _, scope = read(repository, tmp_path)
    assert scope.paths == frozenset()
    assert scope.why_not("gone.py") == "gone.py is not in scope: the pull request deletes it"


def test_a_binary_file_is_in_scope(repository, tmp_path):
    repository.commit({"image.png": b"\x89PNG\0\xff\xfe"})
    _, scope = read(repository, tmp_path)
    assert scope.paths == {"image.png"}


def test_a_change_of_mode_alone_is_in_scope(repository, tmp_path):
    (repository.path / "run.sh").chmod(0o755)
    repository.commit_all()
    pull_request, scope = read(repository, tmp_path)
    (change,) = pull_request.changes
    assert (change.old_type, change.new_type) == (EntryType.FILE, EntryType.EXECUTABLE)
    assert scope.paths == {"run.sh"}


def test_a_submodule_is_not_in_scope(repository, tmp_path):
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.head()},vendor/lib")
    repository.git("commit", "-q", "-m", "Submodule")
    _, scope = read(repository, tmp_path)
    assert scope.paths == frozenset()
    assert scope.excluded == {"vendor/lib": "it is a submodule"}


def test_a_link_and_a_file_that_became_one_are_not_in_scope(repository, tmp_path):
    (repository.path / "link").symlink_to("/etc/passwd")
    (repository.path / "gone.py").unlink()
    (repository.path / "gone.py").symlink_to("src/a.py")
    repository.commit_all()
    pull_request, scope = read(repository, tmp_path)
    assert scope.paths == frozenset()
    assert set(scope.excluded) == {"link", "gone.py"}
    assert {change.path: change.kind for change in pull_request.changes}["gone.py"] is ChangeKind.TYPE_CHANGED


@pytest.mark.parametrize(
    "name",
    [
        "src/grün.py",
        'src/"quoted".py',
        "src/back\\slash.py",
        "src/new\nline.py",
        "src/tab\t.py",
        " leading space",
        "-rf",
        ":(glob)**",
        "src/*.py",
        "ende\r",
    ],
)
def test_names_git_has_to_quote_come_out_as_they_are(repository, tmp_path, name):
    repository.commit({name: "x\n"})
    pull_request, scope = read(repository, tmp_path)
    assert scope.paths == {name}
    git = GitCli(repository.path, tmp_path / "repo.git")
    assert git.read(pull_request.head, name, 10) == b"x\n"
    diff = git.diff(pull_request.merge_base, pull_request.head, [name], 10_000)
    assert diff.count(b"diff --git") == 1
    assert diff.endswith(b"+x\n")
    git.close()


def test_a_name_that_is_not_utf8_survives_as_its_bytes(repository, tmp_path):
    name = os.fsdecode(b"src/caf\xe9.py")
    repository.commit({name: "x\n"})
    pull_request, scope = read(repository, tmp_path)
    assert scope.paths == {name}
    assert os.fsencode(next(iter(scope.paths))) == b"src/caf\xe9.py"
    git = GitCli(repository.path, tmp_path / "repo.git")
    assert git.read(pull_request.head, name, 10) == b"x\n"
    git.close()


def test_a_rename_of_case_alone_is_a_rename(repository, tmp_path):
    repository.git("mv", "src/a.py", "src/A.py")
    repository.commit_all()
    pull_request, scope = read(repository, tmp_path)
    (change,) = pull_request.changes
    assert (change.kind, change.old_path, change.path) == (ChangeKind.RENAMED, "src/a.py", "src/A.py")
    assert scope.paths == {"src/A.py"}
    assert "src/a.py" not in scope


def test_workflows_and_agents_instructions_are_not_in_scope(repository, tmp_path):
    names = (".github/workflows/ci.yml", ".gitattributes", "docs/CLAUDE.md", ".claude/settings.json", ".mcp.json")
    repository.commit({**dict.fromkeys(names, "x\n"), "src/b.py": "x\n"})
    _, scope = read(repository, tmp_path)
    assert scope.paths == {"src/b.py"}
    assert set(scope.excluded) == set(names)


def test_what_only_the_base_changed_is_not_in_scope(repository, tmp_path):
    repository.commit({"src/b.py": "x\n"})
    repository.checkout("main")
    repository.commit({"elsewhere.py": "x\n"})
    repository.checkout("feature")
    pull_request, scope = read(repository, tmp_path)
    assert scope.paths == {"src/b.py"}
    assert pull_request.merge_base != pull_request.base


def test_branches_without_a_common_commit_are_the_callers_mistake(repository, tmp_path):
    repository.git("checkout", "-q", "--orphan", "island")
    repository.commit({"a": "x"})
    with pytest.raises(UsageError, match="no common commit"):
        read(repository, tmp_path, head="island")


@pytest.mark.parametrize("ref", ["nothing-here", "HEAD~99", "deadbeef"])
def test_a_ref_that_names_no_commit_is_the_callers_mistake(repository, tmp_path, ref):
    with pytest.raises(UsageError, match="--head"):
        read(repository, tmp_path, head=ref)


@pytest.mark.parametrize(
    "ref",
    [
        "-rf", "--output=/tmp/x", "a..b", "a@{1}", "@{-1}", "a b", "a\nb", "a:b", "a\x00b", "a\x1bb", ":/fix", "^main",
        "a//b", ".hidden", "a/.b", "a.lock", "a\\b", "a[b", "a?b", "a*", "@", "", "x" * 300, "refs/../../x", "a/-b",
    ],
)  # fmt: skip
def test_a_ref_that_could_mean_more_than_a_name_never_reaches_git(repository, tmp_path, ref):
    with pytest.raises(UsageError):
        read(repository, tmp_path, head=ref)


def test_a_linked_work_tree_a_bare_clone_and_a_subdirectory_are_found(repository, tmp_path):
    head = repository.commit({"src/b.py": "x\n"})
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    linked = GitCli(tmp_path / "linked", tmp_path / "one.git")
    assert linked.branch_of("HEAD") == "other"
    assert linked.resolve("HEAD") == head
    below = GitCli(repository.path / "src", tmp_path / "two.git")
    assert below.branch_of("HEAD") == "feature"
    repository.git("clone", "-q", "--bare", "--shared", str(repository.path), str(tmp_path / "bare.git"))
    bare = GitCli(tmp_path / "bare.git", tmp_path / "three.git")
    assert bare.resolve("feature") == head
    assert bare.read(head, "src/b.py", 10) == b"x\n"
    for git in (linked, below, bare):
        git.close()


def test_a_shallow_clone_is_read_up_to_where_it_ends(repository, tmp_path):
    repository.commit({"src/b.py": "x\n"})
    repository.commit({"src/b.py": "y\n"})
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth=2", "--branch=feature", f"file://{repository.path}", str(shallow))
    git = GitCli(shallow, tmp_path / "repo.git")
    pull_request = local_pull_request(git, "HEAD~1", "HEAD")
    assert scope_of(pull_request).paths == {"src/b.py"}
    git.export_history(pull_request.merge_base, pull_request.head, tmp_path / "history")
    git.close()
    with pytest.raises(UsageError):
        read(Repository(shallow), tmp_path / "x", base="HEAD~1", head="HEAD~2")


def test_a_sha256_repository_is_read_and_written(tmp_path):
    repository = Repository.create(tmp_path / "work", "--object-format=sha256")
    repository.commit({"a.py": "x\n"})
    repository.branch("feature")
    repository.commit({"a.py": "y\n"})
    pull_request, scope = read(repository, tmp_path)
    assert len(pull_request.head) == 64
    assert scope.paths == {"a.py"}


def test_a_directory_that_is_no_repository_is_the_callers_mistake(tmp_path):
    with pytest.raises(UsageError, match="not in a git repository"):
        GitCli(tmp_path, tmp_path / "repo.git")
