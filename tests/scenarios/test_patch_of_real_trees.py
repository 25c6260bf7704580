"""G21 and G24: what may leave a work tree, out of real trees, applied by a real git."""

import os

import pytest

from autofix.delivery.patch import DECEIVING, Patch, PatchLimits, PatchRefused, changed_lines, patch_of
from autofix.harness.scope import Scope, scope_of
from autofix.intake.local import local_pull_request
from autofix.ports.git import CommitText
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import Repository

TEXT = CommitText("Fix", "", "autofix", "autofix@example.org")
NAMES = (
    "src/a.py",
    "end.txt",
    "dos.txt",
    "image.bin",
    "grün.py",
    'q"uo\\te',
    "new\nline",
    "run.sh",
    "data.py",
    "gone.py",
)


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"README": "r\n", "conftest.py": "c\n", "pyproject.toml": "p\n"}, "Base")
    repository.branch("feature")
    contents = {name: "".join(f"{number}\n" for number in range(50)) for name in NAMES}
    contents |= {"end.txt": "no newline at the end", "dos.txt": "one\r\ntwo\r\n", "image.bin": b"\0\1\2" * 100}
    repository.write(contents)
    (repository.path / "run.sh").chmod(0o755)
    repository.commit_all("Feature")
    return repository


@pytest.fixture
def run(repository, tmp_path):
    door = GitCli(repository.path, tmp_path / "repo.git")
    pull_request = local_pull_request(door, "main", "HEAD")
    trees = DiskTrees(door, tmp_path / "trees", pull_request)
    tree = trees.open(pull_request.head, "one")
    yield door, tree, scope_of(pull_request)
    trees.close()
    door.close()


def test_only_changes_in_scope_leave(run):
    door, tree, scope = run
    for name in ("src/a.py", "README", "conftest.py", "brand-new.py"):
        (tree.path / name).write_text("changed\n")
    patch = patch_of(door, tree, scope)
    assert isinstance(patch, Patch)
    assert patch.files == {"src/a.py": b"changed\n"}
    assert b"README" not in patch.text
    assert patch.changed_lines == 51


def test_no_change_is_an_empty_patch(run):
    door, tree, scope = run
    patch = patch_of(door, tree, scope)
    assert isinstance(patch, Patch)
    assert not patch
    assert patch.text == b""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("src/a.py", b"1\n2\n"),
        ("end.txt", b"still no newline at the end, but longer"),
        ("end.txt", b"a newline at the end\n"),
        ("dos.txt", b"one\r\nother\r\n"),
        ("image.bin", b"\0\1\3" * 100),
        ("grün.py", "ü\n".encode()),
        ('q"uo\\te', b"x\n"),
        ("new\nline", b"x\n"),
        ("run.sh", b"exit\n"),
        ("src/a.py", b""),
        ("src/a.py", None),
        ("src/a.py", b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n"),
    ],
)
def test_the_text_applies_to_just_the_commit_that_is_pushed(repository, run, name, content):
    door, tree, scope = run
    if content is None:
        (tree.path / name).unlink()
    else:
        (tree.path / name).write_bytes(content)
    patch = patch_of(door, tree, scope)
    assert isinstance(patch, Patch)
    commit = door.commit(tree.commit, patch.files, TEXT)
    repository.git("apply", "--index", stdin=patch.text)
    written = repository.git("write-tree")
    assert written == door.process.output("rev-parse", f"{commit}^{{tree}}").decode().strip()


def test_a_file_the_base_grants_may_be_new(run):
    door, tree, scope = run
    (tree.path / "tests").mkdir()
    (tree.path / "tests/test_new.py").write_text("t\n")
    (tree.path / "elsewhere.py").write_text("e\n")
    patch = patch_of(door, tree, Scope(scope.paths, scope.excluded, ("tests/**",)))
    assert isinstance(patch, Patch)
    assert set(patch.files) == {"tests/test_new.py"}


def plant_link(path):
    path.unlink()
    path.symlink_to("/etc/passwd")


def plant_directory(path):
    path.unlink()
    path.mkdir()


def plant_fifo(path):
    path.unlink()
    os.mkfifo(path)


def plant_hard_link(path):
    content = path.read_bytes()
    path.unlink()
    (path.parent / "twin").write_bytes(content)
    os.link(path.parent / "twin", path)


def plant_bit(path):
    path.chmod(0o755)


def plant_size(path):
    path.write_bytes(os.urandom(60_000).hex().encode() + b"\n")


def plant_lines(path):
    path.write_text("x\n" * 400)


@pytest.mark.parametrize(
    "plant",
    [plant_link, plant_directory, plant_fifo, plant_hard_link, plant_bit, plant_size, plant_lines],
)
@pytest.mark.parametrize("name", ["src/a.py", "data.py"])
def test_what_is_no_plain_small_change_is_refused_with_its_reason(run, plant, name):
    door, tree, scope = run
    plant(tree.path / name)
    refused = patch_of(door, tree, scope)
    assert isinstance(refused, PatchRefused)
    assert refused.reason
    assert refused.too_much == (plant in (plant_size, plant_lines))


def test_a_bit_taken_away_is_refused_too(run):
    door, tree, scope = run
    (tree.path / "run.sh").chmod(0o644)
    assert isinstance(patch_of(door, tree, scope), PatchRefused)


def test_more_files_than_a_person_checks_are_refused(run):
    door, tree, scope = run
    for name in NAMES:
        (tree.path / name).write_text("x\n")
    assert isinstance(patch_of(door, tree, scope), Patch | PatchRefused)
    refused = patch_of(door, tree, scope, PatchLimits(files=len(NAMES) - 1))
    assert isinstance(refused, PatchRefused)
    assert refused.too_much
    assert "10 files" in refused.reason


def test_a_link_out_of_scope_refuses_nothing(run):
    door, tree, scope = run
    (tree.path / "sneaky").symlink_to("/etc")
    (tree.path / "src/a.py").write_text("x\n")
    patch = patch_of(door, tree, scope)
    assert isinstance(patch, Patch)
    assert set(patch.files) == {"src/a.py"}


@pytest.mark.parametrize("character", sorted(DECEIVING))
def test_a_character_that_deceives_is_refused(run, character):
    door, tree, scope = run
    (tree.path / "src/a.py").write_text(f"x = '{character}'\n", encoding="utf-8")
    refused = patch_of(door, tree, scope)
    assert isinstance(refused, PatchRefused)
    assert f"U+{ord(character):04X}" in refused.reason
    assert character not in refused.reason


def test_a_character_that_was_there_may_stay(repository, tmp_path):
    repository.commit({"src/a.py": "x = '\u200d'\n"}, "With a joiner")
    door = GitCli(repository.path, tmp_path / "repo.git")
    pull_request = local_pull_request(door, "main", "HEAD")
    trees = DiskTrees(door, tmp_path / "trees", pull_request)
    tree = trees.open(pull_request.head, "one")
    (tree.path / "src/a.py").write_text("y = '\u200d'\n", encoding="utf-8")
    assert isinstance(patch_of(door, tree, scope_of(pull_request)), Patch)
    (tree.path / "src/a.py").write_text("y = '\u200d\u200d'\n", encoding="utf-8")
    assert isinstance(patch_of(door, tree, scope_of(pull_request)), PatchRefused)
    trees.close()
    door.close()


def test_a_protected_name_in_scope_leaves_only_with_a_word(run):
    door, tree, scope = run
    (tree.path / "pyproject.toml").write_text("changed\n")
    patch = patch_of(door, tree, Scope(scope.paths | {"pyproject.toml"}))
    assert isinstance(patch, Patch)
    assert list(patch.protected) == ["pyproject.toml"]


def test_lines_are_counted_by_hunk_not_by_look():
    text = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- not a header\n+++ not one either\n context\n@@ -9 +9 @@\n-a\n+b\n"
    assert changed_lines(text) == 4
