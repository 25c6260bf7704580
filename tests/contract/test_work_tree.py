"""The work tree's door on a real file system: what it reads and writes, what it refuses, what it notices."""

import ctypes
import os
import shutil
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from autofix.errors import TreeError
from autofix.intake.local import local_pull_request
from autofix.ports.tree import TreeChanges
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from tests.fakes.repositories import ENVIRONMENT, Repository, git

AT_FDCWD, RENAME_EXCHANGE = -100, 2  # renameat2(2)

FILES = {
    "src/a.py": "x = 1\n",
    "src/deep/b.py": "y = 1\n",
    "run.sh": "echo\n",
    "crlf.txt": b"one\r\ntwo\r\n",  # its attribute makes git store it with \n, and write \r\n back out
    "dos.md": b"one\r\ntwo\r\n",
    ".gitattributes": "*.txt text eol=crlf\n*.py filter=planted\n",
    "build/tracked.txt": "t\n",
}


@pytest.fixture
def repository(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.git("config", "core.autocrlf", "false")
    repository.commit(FILES, "Base")
    (repository.path / "run.sh").chmod(0o755)
    (repository.path / "link").symlink_to("src/a.py")
    repository.commit_all("Modes")
    repository.branch("feature/x")
    repository.commit({"src/a.py": "x = 2\n"}, "Feature")
    return repository


@pytest.fixture
def trees(repository, tmp_path):
    door = GitCli(repository.path, tmp_path / "run" / "repo.git")
    trees = DiskTrees(door, tmp_path / "run" / "trees", local_pull_request(door, "main", "HEAD"))
    trees.head = repository.head()
    yield trees
    trees.close()
    door.close()


@pytest.fixture
def tree(trees):
    return trees.open(trees.head, "one")


def settle():
    """Let the coarse clock of file times move on."""
    time.sleep(0.03)


def rewrite(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


class TestCheckout:
    def test_files_have_the_bytes_modes_and_types_of_the_commit(self, tree):
        assert (tree.path / "crlf.txt").read_bytes() == b"one\ntwo\n"
        assert (tree.path / "dos.md").read_bytes() == b"one\r\ntwo\r\n"
        assert (tree.path / "src/a.py").read_text() == "x = 2\n"
        assert (tree.path / "run.sh").stat().st_mode & 0o777 == 0o755
        assert (tree.path / "src/a.py").stat().st_mode & 0o777 == 0o644
        assert (tree.path / "link").readlink() == Path("src/a.py")
        assert not tree.compare()

    def test_git_inside_is_clean_quick_and_alone(self, tree):
        def inside(*arguments):
            return git(tree.path, *arguments).decode().strip()

        assert inside("status", "--porcelain") == ""
        assert inside("diff-files") == ""
        assert inside("branch", "--show-current") == "feature/x"
        assert inside("log", "--format=%s") == "Feature\nModes"
        assert inside("remote") == ""
        assert inside("config", "user.name") == "autofix"
        (tree.path / "src/a.py").write_text("x = 3\n")
        git(tree.path, "commit", "-qam", "Work")
        assert inside("log", "--format=%s", "-1") == "Work"

    def test_the_index_lists_what_git_would_list(self, tree, tmp_path):
        ours = git(tree.path, "ls-files", "--stage")
        git(tree.path, "read-tree", "HEAD", GIT_INDEX_FILE=str(tmp_path / "other"))
        assert ours == git(tree.path, "ls-files", "--stage", GIT_INDEX_FILE=str(tmp_path / "other"))

    def test_nothing_in_the_tree_names_the_harness_or_the_users_repository(self, tree, tmp_path):
        for directory, _, names in os.walk(tree.path / ".git"):
            for name in names:
                assert os.fsencode(tmp_path) not in (Path(directory) / name).read_bytes()

    def test_a_second_tree_shares_no_inode_with_the_first(self, trees, tree):
        other = trees.open(trees.head, "two")
        (tree.path / "src/a.py").write_text("x = 3\n")
        pack = next((tree.path / ".git/objects/pack").glob("*.pack"))
        assert pack.stat().st_nlink == 1
        assert (other.path / "src/a.py").read_text() == "x = 2\n"
        assert (other.path / "dos.md").read_bytes() == b"one\r\ntwo\r\n"
        assert not other.compare()

    def test_files_laid_over_the_head_show_as_changes(self, trees):
        laid = trees.open(
            trees.head, "laid", {"src/a.py": b"x = 5\n", "run.sh": b"exit\n", "new/n": b"n", "crlf.txt": None}
        )
        assert laid.compare() == TreeChanges(modified=("run.sh", "src/a.py"), deleted=("crlf.txt",), added=("new/n",))
        assert (laid.path / "run.sh").stat().st_mode & 0o777 == 0o755

    def test_the_merge_base_can_be_opened_too(self, trees, repository):
        base = trees.open(repository.head("main"), "base")
        assert (base.path / "src/a.py").read_text() == "x = 1\n"
        assert git(base.path, "status", "--porcelain") == b""

    def test_a_tree_of_that_name_is_replaced(self, trees, tree):
        (tree.path / "left").write_text("over")
        again = trees.open(trees.head, "one")
        assert not (again.path / "left").exists()

    @pytest.mark.parametrize("name", ["", ".", "..", ".history", "a/b", "../x", "a\0b"])
    def test_a_name_that_leads_elsewhere_is_refused(self, trees, name):
        with pytest.raises(TreeError):
            trees.open(trees.head, name)

    def test_a_hostile_commit_writes_nothing_outside_and_no_git_directory(self, repository, trees, tmp_path):
        blob = git(repository.path, "hash-object", "-w", "--stdin", stdin=b"planted").decode().strip()
        link = git(repository.path, "hash-object", "-w", "--stdin", stdin=os.fsencode(tmp_path)).decode().strip()

        def tree_of(*records):
            lines = b"".join(f"{mode} {kind} {name}\t".encode() + path + b"\0" for mode, kind, name, path in records)
            return git(repository.path, "mktree", "-z", "--missing", stdin=lines).decode().strip()

        hooks = tree_of(("100644", "blob", blob, b"post-checkout"))
        inner = tree_of(("040000", "tree", hooks, b"hooks"))
        records = [
            ("120000", "blob", link, b"a"),
            ("040000", "tree", inner, b".GIT"),
            ("100644", "blob", blob, b"fine"),
            ("040000", "tree", inner, "g\u200cit~1".encode()),
            ("040000", "tree", inner, ".g\u200cit".encode()),
            ("040000", "tree", inner, b".git "),
        ]
        hostile = git(repository.path, "commit-tree", "-m", "x", tree_of(*records), "-p", trees.head).decode().strip()
        tree = trees.open(hostile, "hostile")
        assert sorted(entry.name for entry in tree.path.iterdir()) == [".git", "a", "fine"]
        assert not (tree.path / ".git" / "hooks").exists()


class TestPaths:
    OUTSIDE = (
        "/etc/passwd",
        "../outside",
        "src/../../outside",
        "/proc/self/root/etc/passwd",
        "up/x",
        "abs/passwd",
        "a\0b",
    )

    @pytest.fixture(autouse=True)
    def links(self, tree):
        (tree.path / "up").symlink_to("..")
        (tree.path / "abs").symlink_to("/etc")
        (tree.path / "inside").symlink_to("src")
        (tree.path / "loop").symlink_to("loop")
        (tree.path / "chain").symlink_to("inside/deep/../a.py")
        (tree.path / "proc").symlink_to("/proc/self/root")

    @pytest.mark.parametrize("path", [*OUTSIDE, "proc/etc/passwd", "loop", "src/../..", "x/" * 300])
    def test_a_path_that_leaves_the_tree_has_no_real_path(self, tree, path):
        with pytest.raises(TreeError):
            tree.real_path(path)

    @pytest.mark.parametrize(
        ("path", "real"),
        [
            ("src/a.py", "src/a.py"),
            ("./src//a.py", "src/a.py"),
            ("src/a.py/", "src/a.py"),
            ("src/deep/../a.py", "src/a.py"),
            ("inside/a.py", "src/a.py"),
            ("chain", "src/a.py"),
            ("link", "src/a.py"),
            ("src/A.py", "src/A.py"),
            ("src/a.py.", "src/a.py."),
            ("src/a.py ", "src/a.py "),
            ("src/cafe\u0301.py", "src/cafe\u0301.py"),
            ("not/there", "not/there"),
            ("", ""),
            (".", ""),
        ],
    )
    def test_a_path_resolves_as_the_file_system_would(self, tree, path, real):
        assert tree.real_path(path) == real
        assert tree.real_path(str(tree.path)) == ""
        assert tree.real_path(f"{tree.path}/src/a.py") == "src/a.py"
        with pytest.raises(TreeError):
            tree.real_path(f"{tree.path}-evil/src/a.py")

    @pytest.mark.parametrize(
        "path",
        [
            *OUTSIDE, "inside/a.py", "link", "chain", "loop", "src", "src/a.py/", "src//a.py", "./src/a.py", "", ".",
            "src/../src/a.py", ".git/config", ".GIT/config", ".git", "x/.git/hooks/pre-commit", ".git /config", "nothing",
            "src/a.py/x", "abs", "proc/etc/passwd", "src/A.py", "src/a.py.", "src/a.py ", "x/" * 300 + "x",
        ],
    )  # fmt: skip
    def test_read_and_write_take_no_way_around(self, tree, path):
        before = tree.compare()
        with pytest.raises(TreeError):
            tree.read(path, 1000)
        with pytest.raises(TreeError):
            tree.write(path, b"planted", expected="0" * 64)
        if path not in ("nothing", "src/A.py", "src/a.py.", "src/a.py "):
            with pytest.raises(TreeError):
                tree.write(path, b"planted", expected=None)
        assert tree.compare() == before

    def test_a_fifo_a_device_and_a_socket_are_not_read_and_nobody_waits(self, tree):
        os.mkfifo(tree.path / "fifo")
        with pytest.raises(TreeError, match="not a regular file"):
            tree.read("fifo", 10)
        with pytest.raises(TreeError):
            tree.write("fifo", b"x", expected="0" * 64)
        assert "fifo" in tree.compare().strange

    def test_a_link_swapped_in_between_never_leads_a_write_outside(self, tree, tmp_path):
        """A thread that swaps a directory for a link to another one all the time: the other one stays as it is."""
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "f").write_text("precious")
        (tree.path / "swap").mkdir()
        (tree.path / "swap/f").write_text("mine")
        (tree.path / "other").symlink_to(outside)
        stop = threading.Event()
        exchange = ctypes.CDLL(None).renameat2

        def swap():
            here = [os.fsencode(tree.path / name) for name in ("swap", "other")]
            while not stop.is_set():
                exchange(AT_FDCWD, here[0], AT_FDCWD, here[1], RENAME_EXCHANGE)

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            written = 0
            for number in range(20_000):  # a machine under load may need many before one falls between two swaps
                if number >= 400 and written:
                    break
                with suppress(TreeError):
                    state = tree.read("swap/f", 100)
                    assert state.content != b"precious"
                    tree.write("swap/f", b"%d" % number, expected=state.token)
                    written += 1
                with suppress(TreeError):
                    tree.write(f"swap/new{number}", b"n", expected=None)
        finally:
            stop.set()
            thread.join()
        assert [entry.name for entry in outside.iterdir()] == ["f"]
        assert (outside / "f").read_text() == "precious"
        assert written > 0


class TestWriting:
    def test_a_file_keeps_its_mode_and_inode(self, tree):
        before = (tree.path / "run.sh").stat()
        tree.write("run.sh", b"exit 1\n", expected=tree.read("run.sh", 100).token)
        after = (tree.path / "run.sh").stat()
        assert (after.st_mode, after.st_ino, after.st_uid) == (before.st_mode, before.st_ino, before.st_uid)
        assert tree.read("run.sh", 100).content == b"exit 1\n"
        tree.write("run.sh", b"", expected=tree.read("run.sh", 100).token)
        assert (tree.path / "run.sh").read_bytes() == b""

    def test_a_file_changed_since_it_was_read_is_not_written(self, tree):
        state = tree.read("src/a.py", 100)
        (tree.path / "src/a.py").write_text("x = 7\n")
        with pytest.raises(TreeError, match="changed since"):
            tree.write("src/a.py", b"x = 3\n", expected=state.token)
        assert (tree.path / "src/a.py").read_text() == "x = 7\n"

    def test_a_new_file_gets_its_directories_and_never_replaces_one(self, tree):
        tree.write("new/dir/file.py", b"n\n", expected=None)
        assert (tree.path / "new/dir/file.py").stat().st_mode & 0o777 == 0o644
        with pytest.raises(TreeError, match="exists already"):
            tree.write("src/a.py", b"x", expected=None)

    def test_a_hard_link_is_neither_written_nor_called_unchanged(self, tree, tmp_path):
        (tmp_path / "outside").write_text("x = 2\n")
        (tree.path / "src/a.py").unlink()
        os.link(tmp_path / "outside", tree.path / "src/a.py")
        state = tree.read("src/a.py", 100)
        with pytest.raises(TreeError, match="hard link"):
            tree.write("src/a.py", b"y", expected=state.token)
        assert tree.compare().type_changed == ("src/a.py",)
        tree.restore(["src/a.py"])
        assert (tmp_path / "outside").read_text() == "x = 2\n"
        assert not tree.compare()

    def test_a_file_beyond_the_limit_is_not_read(self, tree):
        with (tree.path / "huge").open("wb") as stream:
            stream.truncate(1 << 40)
        with pytest.raises(TreeError, match="more than the limit"):
            tree.read("huge", 1000)
        assert tree.compare().added == ("huge",)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_new_files_belong_to_the_trees_owner(self, repository, trees, tmp_path):
        door = GitCli(repository.path, tmp_path / "other.git")
        owned = DiskTrees(door, tmp_path / "owned", local_pull_request(door, "main", "HEAD"), owner=(1234, 1234))
        tree = owned.open(trees.head, "one")
        tree.write("new/file", b"n", expected=None)
        (tree.path / "src/a.py").unlink()
        tree.restore(["src/a.py"])
        owners = {
            (Path(at) / name).lstat().st_uid for at, dirs, names in os.walk(tree.path) for name in (*dirs, *names)
        }
        assert owners == {1234}
        assert tree.path.stat().st_uid == 1234
        assert not tree.compare().tracked
        owned.close()
        door.close()


class TestComparing:
    def test_every_kind_of_change_is_in_its_list(self, tree):
        settle()
        root = tree.path
        rewrite(root / "src/a.py", "x = 3\n")
        (root / "crlf.txt").unlink()
        (root / "run.sh").chmod(0o644)
        (root / "src/deep/b.py").unlink()
        (root / "src/deep/b.py").symlink_to("/etc/passwd")
        (root / "new.py").write_text("n")
        (root / "sneaky").symlink_to("src")
        (root / "a/b").mkdir(parents=True)
        (root / "a/b/c").write_text("")
        assert tree.compare() == TreeChanges(
            modified=("src/a.py",),
            deleted=("crlf.txt",),
            added=("a/b/c", "new.py"),
            mode_changed=("run.sh",),
            type_changed=("src/deep/b.py",),
            strange=("sneaky",),
        )

    def test_a_write_within_the_same_tick_and_size_is_seen(self, tree):
        for number in range(30):
            settle()
            assert not tree.compare().modified
            rewrite(tree.path / "src/a.py", "x = 9\n")
            assert tree.compare().modified == ("src/a.py",)
            rewrite(tree.path / "src/a.py", "x = 2\n")
            assert not tree.compare().modified, number
            rewrite(tree.path / "src/a.py", "x = 8\n")
            assert tree.compare().modified == ("src/a.py",)
            rewrite(tree.path / "src/a.py", "x = 2\n")

    def test_times_set_back_hide_nothing(self, tree):
        settle()
        tree.compare()
        before = (tree.path / "src/a.py").stat()
        rewrite(tree.path / "src/a.py", "x = 9\n")
        os.utime(tree.path / "src/a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert tree.compare().modified == ("src/a.py",)

    def test_a_file_replaced_by_one_of_its_times_is_seen(self, tree):
        settle()
        tree.compare()
        before = (tree.path / "src/a.py").stat()
        (tree.path / "other").write_text("x = 9\n")
        os.utime(tree.path / "other", ns=(before.st_atime_ns, before.st_mtime_ns))
        (tree.path / "other").rename(tree.path / "src/a.py")
        assert tree.compare().modified == ("src/a.py",)

    def test_a_touched_file_is_the_same(self, tree):
        os.utime(tree.path / "src/a.py")
        (tree.path / "src/a.py").chmod(0o600)
        assert not tree.compare()

    def test_build_output_is_not_listed_but_tracked_files_in_it_are(self, tree):
        for name in (
            "__pycache__/a.pyc",
            "node_modules/x/y.js",
            "build/out.o",
            "x.egg-info/PKG",
            ".pytest_cache/v",
            "m.pyc",
            ".coverage",
        ):
            (tree.path / name).parent.mkdir(parents=True, exist_ok=True)
            (tree.path / name).write_text("x")
        rewrite(tree.path / "build/tracked.txt", "other\n")
        changes = tree.compare()
        assert changes.modified == ("build/tracked.txt",)
        assert changes.added == ("build/out.o",)

    def test_a_rename_of_case_alone_is_a_deletion_and_an_addition(self, tree):
        (tree.path / "src/a.py").rename(tree.path / "src/A.py")
        assert tree.compare() == TreeChanges(deleted=("src/a.py",), added=("src/A.py",))

    def test_a_directory_swapped_for_a_link_hides_nothing(self, tree, tmp_path):
        (tree.path / "src").rename(tmp_path / "moved")
        (tree.path / "src").symlink_to(tmp_path / "moved")
        assert tree.compare() == TreeChanges(deleted=("src/a.py", "src/deep/b.py"), strange=("src",))
        tree.restore(["src/a.py", "src/deep/b.py"])
        assert not tree.compare()
        assert (tmp_path / "moved/a.py").read_text() == "x = 2\n"

    def test_a_file_swapped_for_a_directory_is_put_back(self, tree):
        (tree.path / "src/a.py").unlink()
        (tree.path / "src/a.py/x/y").mkdir(parents=True)
        (tree.path / "src/a.py/x/y/z").write_text("z")
        changes = tree.compare()
        assert changes == TreeChanges(added=("src/a.py/x/y/z",), type_changed=("src/a.py",))
        tree.restore(changes.tracked)
        tree.remove(changes.added)
        assert not tree.compare()

    def test_a_link_pointed_elsewhere_is_modified_and_put_back(self, tree):
        (tree.path / "link").unlink()
        (tree.path / "link").symlink_to("/etc/passwd")
        assert tree.compare().modified == ("link",)
        tree.restore(["link"])
        assert (tree.path / "link").readlink() == Path("src/a.py")
        assert not tree.compare()

    def test_what_the_sandbox_does_to_git_is_not_looked_at(self, tree):
        subprocess.run(["rm", "-rf", ".git"], cwd=tree.path, env=ENVIRONMENT, check=True)
        (tree.path / ".git").symlink_to("/nonexistent")
        assert not tree.compare()
        assert next(name for name, _ in tree.walk()) == ".gitattributes"

    def test_everything_destroyed_is_put_back(self, tree):
        paths = [name for name, _ in tree.walk()]
        subprocess.run("rm -rf * .gitattributes", shell=True, cwd=tree.path, env=ENVIRONMENT, check=True)
        changes = tree.compare()
        assert set(changes.deleted) == {*paths, "link"}
        tree.restore(changes.tracked)
        assert not tree.compare()
        assert (tree.path / "run.sh").stat().st_mode & 0o777 == 0o755

    def test_a_very_deep_directory_is_named_not_walked_and_dropped_whole(self, tree):
        script = "for i in range(3000):\n  os.mkdir('d'); os.chdir('d')\nopen('f','w').close()"
        subprocess.run(["python3", "-c", f"import os\n{script}"], cwd=tree.path, env=ENVIRONMENT, check=True)
        (found,) = tree.compare().strange
        assert found.startswith("d/d/d")
        assert len(list(tree.walk())) == 7
        tree.drop()
        assert not tree.path.exists()

    def test_shut_directories_are_restored_and_dropped(self, trees, tree):
        (tree.path / "shut/inside").mkdir(parents=True)
        (tree.path / "shut/inside/f").write_text("x")
        (tree.path / "shut").chmod(0)
        (tree.path / "src").chmod(0)
        changes = tree.compare()
        tree.restore([path for path in changes.tracked if path.startswith("src/")])
        assert (tree.path / "src/a.py").read_text() == "x = 2\n"
        trees.drop_all()
        assert not tree.path.exists()

    @pytest.mark.parametrize("mode", [0o000, 0o444, 0o311, 0o600])
    def test_a_directory_that_a_program_shut_is_open_again_after_a_comparison(self, tree, mode):
        (tree.path / "src").chmod(mode)
        assert not tree.compare()
        assert (tree.path / "src").stat().st_mode & 0o777 == 0o755

    def test_a_link_in_a_directorys_place_keeps_its_targets_rights(self, tree, tmp_path):
        outside = tmp_path / "outside"
        outside.mkdir(mode=0o700)
        shutil.rmtree(tree.path / "src")
        (tree.path / "src").symlink_to(outside)
        assert "src/a.py" in tree.compare().deleted
        assert outside.stat().st_mode & 0o777 == 0o700

    def test_remove_takes_new_files_and_links_and_no_tracked_ones(self, tree, tmp_path):
        (tmp_path / "precious").write_text("p")
        (tree.path / "n").write_text("n")
        (tree.path / "l").symlink_to(tmp_path / "precious")
        (tree.path / "up").symlink_to(tmp_path)
        tree.remove(["n", "l", "nothing", "up/precious"])
        assert (tmp_path / "precious").read_text() == "p"
        assert tree.compare().strange == ("up",)
        with pytest.raises(TreeError, match="restored, not removed"):
            tree.remove(["src/a.py"])

    def test_equal_contents_have_equal_digests(self, trees, tree):
        other = trees.open(trees.head, "two")
        paths = ["src/a.py", "new", "link", "run.sh"]
        assert tree.digest(paths) == other.digest(list(reversed(paths)))
        (tree.path / "new").write_text("")
        assert tree.digest(paths) != other.digest(paths)
        (other.path / "new").symlink_to("x")
        assert tree.digest(paths) != other.digest(paths)

    def test_walk_gives_regular_files_below_a_path(self, tree):
        assert list(tree.walk("src")) == [("src/a.py", 6), ("src/deep/b.py", 6)]
        (tree.path / "alias").symlink_to("src")
        with pytest.raises(TreeError):
            list(tree.walk("alias"))

    def test_dropping_twice_is_fine(self, trees, tree):
        tree.drop()
        tree.drop()
        trees.drop_all()
        assert not tree.path.exists()


def test_what_setup_left_reaches_a_tree_of_another_commit_and_the_commits_own_files_do_not(repository, trees):
    head = repository.commit({"only/head.py": "", "src/new.py": "n = 1\n"}, "More")
    set_up = trees.open(head, "setup")
    for path in ("node_modules/lib/index.js", "src/built.so", "only/built.so", "src/new.py"):
        (set_up.path / path).parent.mkdir(parents=True, exist_ok=True)
        (set_up.path / path).write_text("left by setup\n")

    base = trees.open(repository.head("main"), "base", leftovers_of=set_up)

    assert (base.path / "node_modules/lib/index.js").read_text() == "left by setup\n"
    assert (base.path / "src/built.so").exists()
    assert not (base.path / "src/new.py").exists()
    assert not (base.path / "only").exists()
    assert (trees.open(head, "again", leftovers_of=set_up).path / "src/new.py").read_text() == "n = 1\n"


def test_two_changes_within_a_second_bear_two_seconds(tree):
    """Bytecode caches compare whole seconds and sizes: else the second change would be measured as the first."""
    seconds = [int((tree.path / "src/a.py").stat().st_mtime)]
    for number in (3, 4, 5):
        tree.write("src/a.py", b"x = %d\n" % number, expected=tree.read("src/a.py", 100).token)
        seconds.append(int((tree.path / "src/a.py").stat().st_mtime))
    tree.restore(["src/a.py"])
    seconds.append(int((tree.path / "src/a.py").stat().st_mtime))

    assert seconds == sorted(set(seconds))
    assert not tree.compare()


class TestSpare:
    def test_a_tree_made_ahead_is_as_fresh_as_any(self, trees, tree):
        (tree.path / "src/a.py").write_text("x = 77\n")
        for number in range(4):
            other = trees.open(trees.head, f"next{number}")
            assert (other.path / "src/a.py").read_text() == "x = 2\n"
            assert git(other.path, "status", "--porcelain") == b""
            assert not other.compare()
            (other.path / "src/a.py").write_text("x = 78\n")

    def test_a_spare_of_one_commit_is_never_a_tree_of_another(self, trees, tree, repository):
        base = trees.open(repository.head("main"), "base")
        assert (base.path / "src/a.py").read_text() == "x = 1\n"
        assert (trees.open(trees.head, "again").path / "src/a.py").read_text() == "x = 2\n"

    def test_dropping_all_leaves_no_spare(self, trees, tree, tmp_path):
        trees.drop_all()
        assert list((tmp_path / "run" / "trees").iterdir()) == []

    def test_trees_opened_at_once_are_each_whole(self, trees, tree):
        opened = []

        def open_one(number):
            opened.append(trees.open(trees.head, f"at-once-{number}"))

        threads = [threading.Thread(target=open_one, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({one.path for one in opened}) == 4
        assert not any(one.compare() for one in opened)
