"""What a tree held comes back in a fresh one, call by call."""

import pytest

from autofix.errors import JournalDamaged
from autofix.harness.tree_memory import MOST_FILES, TreeMemory
from tests.fakes.tree import FakeTree

FILES = {"src/a.py": b"x = 1\n", "README.md": b"hello\n"}


class Store(dict):
    """Names are the contents' order."""

    def keep(self, kind, content):
        name = f"{kind}-{len(self)}"
        self[name] = content
        return name

    def read(self, name):
        return self.get(name)


def differing(tree):
    changes = tree.compare()
    return [*changes.modified, *changes.added]


def test_each_call_keeps_what_is_new_and_tells_what_is_as_committed_again():
    tree, store = FakeTree(FILES), Store()
    memory = TreeMemory(tree, store)
    tree.files.update({"src/a.py": b"x = 2\n", "note": b"n"})
    assert memory.present(differing(tree)) == {"src/a.py": "file-0", "note": "file-1"}
    tree.files.update({"src/a.py": b"x = 1\n", "note": b"m"})
    assert memory.present(differing(tree)) == {"note": "file-2", "src/a.py": None}


def test_laid_over_a_fresh_tree_the_calls_make_the_same_tree():
    tree, store = FakeTree(FILES), Store()
    memory, calls = TreeMemory(tree, store), []
    for files in (
        {"src/a.py": b"x = 2\n", "note": b"n"},
        {"src/a.py": b"x = 3\n"},
        {"src/a.py": b"x = 1\n", "new": b""},
    ):
        tree.files.update(files)
        calls.append(memory.present(differing(tree)))
    fresh = FakeTree(FILES)
    again = TreeMemory(fresh, store)
    for files in calls:
        again.lay(files)
    assert fresh.files == tree.files
    assert again.present(differing(fresh)) == {}, "it is known already"


def test_of_more_files_than_are_kept_the_first_are_and_none_of_the_others_counts_as_gone():
    tree, store = FakeTree(FILES), Store()
    memory = TreeMemory(tree, store)
    tree.files["src/a.py"] = b"x = 2\n"
    assert memory.present(["src/a.py"]) == {"src/a.py": "file-0"}
    many = [f"out/{number}" for number in range(MOST_FILES)]
    tree.files.update(dict.fromkeys(many, b""))
    kept = memory.present([*many, "src/a.py"])
    assert None not in kept.values()
    assert len(kept) == MOST_FILES


def test_a_kept_file_that_is_gone_is_damage_and_not_an_older_state():
    with pytest.raises(JournalDamaged, match="file-9"):
        TreeMemory(FakeTree(FILES), Store()).lay({"src/a.py": "file-9"})
