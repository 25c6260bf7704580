"""What is in scope, by values alone."""

import pytest

from autofix.harness.scope import Scope, matches, scope_of
from autofix.intake.pull_request import PullRequest
from autofix.ports.git import Change, ChangeKind, EntryType


def change(path, kind=ChangeKind.MODIFIED, *, old=None, new_type=EntryType.FILE):
    return Change(kind, path, old, EntryType.FILE, new_type, "a" * 40, "b" * 40)


def pull_request(*changes):
    return PullRequest("a" * 40, "b" * 40, "a" * 40, "main", "feature", changes)


def test_a_large_file_pointer_is_not_in_scope():
    scope = scope_of(pull_request(change("big.bin"), change("a.py")), lfs=frozenset({"big.bin"}))
    assert scope.paths == {"a.py"}
    assert "LFS" in scope.why_not("big.bin")


def test_a_name_freed_by_a_rename_and_taken_again_is_in_scope():
    renamed = change("new.py", ChangeKind.RENAMED, old="old.py")
    scope = scope_of(pull_request(renamed, change("old.py", ChangeKind.ADDED)))
    assert scope.paths == {"new.py", "old.py"}
    assert scope.excluded == {}


def test_a_link_that_became_a_file_is_in_scope():
    became = Change(ChangeKind.TYPE_CHANGED, "a", None, EntryType.SYMLINK, EntryType.FILE, "a" * 40, "b" * 40)
    assert "a" in scope_of(pull_request(became))


def test_names_are_exact():
    scope = scope_of(pull_request(change("src/a.py")))
    for other in ("src/A.py", "src/a.py/", "src/a.py ", "./src/a.py", "src//a.py", "src/a.py.", "src/../src/a.py"):
        assert other not in scope


def test_a_pattern_of_the_base_widens_what_the_pull_request_touches():
    scope = scope_of(pull_request(change("src/a.py")), ("tests/**", "README.md"))
    assert "tests/deep/test_a.py" in scope
    assert "README.md" in scope
    assert "src/b.py" not in scope


@pytest.mark.parametrize(
    "path",
    [".github/workflows/ci.yml", ".gitattributes", "a/CLAUDE.md", ".claude/x", "a/../b", "/etc/x", "a//b", "./a"],
)
def test_no_pattern_grants_what_is_never_editable_or_no_plain_path(path):
    assert path not in Scope(frozenset(), {}, ("**", path))


def test_no_pattern_grants_what_the_pull_request_deletes():
    scope = scope_of(pull_request(change("gone.py", ChangeKind.DELETED, new_type=None)), ("**",))
    assert "gone.py" not in scope
    assert "other.py" in scope


def test_a_narrowed_scope_holds_nothing_new_and_no_pattern():
    scope = Scope(frozenset({"a", "b"}), {}, ("c/**",)).narrowed(["a", "c/d", "e"])
    assert scope.paths == {"a", "c/d"}
    assert "c/e" not in scope


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", False),
        ("src/", "src/a/b.py", True),
        ("**/b.py", "b.py", True),
        ("**/b.py", "a/c/b.py", True),
        ("**/b.py", "a/cb.py", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a[bc]", "ab", False),
        ("a[bc]", "a[bc]", True),
        ("*", "a", True),
        ("*", "a/b", False),
        ("**", "a/b", True),
        ("A.py", "a.py", False),
        ("a.py", "axpy", False),
        ("new*", "new\nline", True),
    ],
)
def test_patterns_mean_what_they_say(pattern, path, expected):
    assert matches(pattern, path) is expected


def test_a_hostile_path_does_not_hang_a_pattern():
    assert not matches("**/**/**/*a*a*a*b", "a/" * 100 + "a" * 100)
