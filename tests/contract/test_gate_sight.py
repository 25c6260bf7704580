"""What the gate sees of a checkout is what is on disk: links, `..`, git's own index; on a real file system with real git."""

import subprocess

import pytest

from autofix.cli.gate_sight import CheckoutSight, ListedSight, PresumedSight
from autofix.errors import TreeError, UsageError
from autofix.harness import gate
from autofix.harness.bash.parser import TwoGrammars
from autofix.harness.call import ToolCall
from autofix.harness.policy import Mode, Policy, ToolContract
from autofix.harness.scope import Scope
from autofix.harness.tools import TOOLS
from autofix.world.process import ProcessPrograms

FILES = ("src/app/calc.py", "src/app/core.py", "README.md", "docs/ünï.md", "a" * 200 + "/" + "b" * 200 + ".py")


@pytest.fixture
def checkout(tmp_path):
    tree = tmp_path / "tree"
    for name in FILES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("x\n")
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(tree)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    (tree / "scratch").mkdir()
    (tree / "notes.md").write_text("mine\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s\n")
    (tree / "out").symlink_to(tmp_path / "outside")
    (tree / "up").symlink_to("../outside")
    (tree / "app").symlink_to("src/app")
    (tree / "scratch" / "core.py").symlink_to("../src/app/core.py")
    (tree / "loop").symlink_to("loop")
    return tree


def ask(tree, tool, given, sight=None):
    policy = Policy(
        mode=Mode.ACCEPT_EDITS,
        scope=Scope(frozenset({"src/app/calc.py"})),
        tools={name: ToolContract(one.input, one.tier) for name, one in TOOLS.items()},
        workspace="/github/workspace",
        workspace_aliases=(str(tree),),
    )
    return gate.decide(
        ToolCall("1", tool, given), policy, sight or CheckoutSight(tree, None), TwoGrammars(ProcessPrograms())
    )


def bash(tree, command, sight=None):
    return ask(tree, "Bash", {"command": command}, sight).allowed


def test_tracked_is_what_gits_index_names(checkout):
    sight = CheckoutSight(checkout, None)
    assert all(sight.is_tracked(name) for name in FILES)
    assert sight.is_tracked("src")
    assert sight.is_directory("src/app")
    assert not sight.is_directory("README.md")
    assert not sight.is_tracked("notes.md")
    assert not sight.is_tracked("src/new.py")


@pytest.mark.parametrize("version", ["3", "4"])
def test_an_index_of_another_version_is_read_or_refused_never_misread(checkout, version):
    (checkout / "src" / "later.py").write_text("x\n")
    subprocess.run(["git", "-C", str(checkout), "add", "-N", "src/later.py"], check=True)  # -N needs version 3
    if version == "3":
        assert CheckoutSight(checkout, None).is_tracked("src/later.py")
        return
    subprocess.run(["git", "-C", str(checkout), "update-index", "--index-version", "4"], check=True)
    with pytest.raises(UsageError, match="--tracked"):
        CheckoutSight(checkout, None)


def test_a_damaged_index_is_refused(checkout):
    index = checkout / ".git" / "index"
    index.write_bytes(index.read_bytes()[:90])
    with pytest.raises(UsageError):
        CheckoutSight(checkout, None)


def test_a_directory_without_git_has_its_files_tracked(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    sight = CheckoutSight(tmp_path, None)
    assert sight.is_tracked("src/a.py")
    assert not sight.is_tracked("notes.txt")
    assert not sight.is_tracked("src/b.py")


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("echo x > src/app/calc.py", True),
        ("echo x > app/calc.py", True),
        ("echo x > app/core.py", False),
        ("echo x > scratch/core.py", False),
        ("echo x > scratch/own.py", True),
        ("echo x > notes.md", True),
        ("echo x > src/new.py", True),
        ("echo x > out/secret", False),
        ("echo x > up/secret", False),
        ("echo x > loop", False),
        ("echo x > app/../README.md", False),
        ("echo x > out/../README.md", False),
        ("rm notes.md", True),
        ("rm src/new.py", True),
        ("rm README.md", False),
        ("rm app/core.py", False),
        ("rm scratch/core.py", True),
        ("rm -r src", False),
        ("cd src && rm -r ../scratch", True),
        ("cd nowhere; rm README.md", False),
        ("cd nowhere; echo x > README.md", False),
        ("cd README.md; echo x > docs/ünï.md", False),
        ("cp scratch/x README.md", False),
        ("mv notes.md src/app/calc.py", True),
        ("git reset src/app/calc.py", True),
    ],
)
def test_writes_and_deletions_are_judged_by_where_they_lead(checkout, command, allowed):
    assert bash(checkout, command) is allowed


PATHS = (
    "../outside/secret",
    "out/secret",
    "up/secret",
    "src/../../outside/secret",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/x",
    "//etc/passwd",
    "loop",
    "out",
    ".git/config",
    ".git/hooks/pre-push",
    ".git/credentials",
    ".git",
    ".GIT/config",
    ".Git/Config",
    "./.git/./config",
    "src/../.git/config",
    ".git./config",
    ".git /config",
    ".g\u200bit/config",
    "src/app/../../out/secret",
    "app/../../outside/secret",
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "Edit", "Write"])
def test_no_tool_reaches_outside_the_tree_or_into_git(checkout, tool, path):
    given = {
        "Read": {"file_path": path},
        "Grep": {"pattern": "x", "path": path},
        "Glob": {"pattern": "*", "path": path},
        "Edit": {"file_path": path, "old_string": "a", "new_string": "b"},
        "Write": {"file_path": path, "content": "x"},
    }[tool]
    assert not ask(checkout, tool, given).allowed


def test_a_link_swapped_in_after_the_first_look_is_seen_at_the_next(checkout):
    sight = CheckoutSight(checkout, None)
    assert bash(checkout, "echo x > src/new.py", sight)
    (checkout / "src" / "new.py").symlink_to("app/core.py")
    assert not bash(checkout, "echo x > src/new.py", sight)


def test_a_list_of_tracked_files_replaces_the_index():
    sight = ListedSight(["src/a.py"])
    assert sight.is_tracked("src")
    assert sight.is_tracked("./src/a.py")
    assert not sight.is_tracked("src/b.py")
    with pytest.raises(TreeError):
        sight.real_path("../x")


@pytest.mark.parametrize(
    ("path", "tracked"),
    [
        ("src/a.py", True),
        ("scratch/x", False),
        ("build/x", False),
        ("x/__pycache__/y.pyc", False),
        ("notes.txt", False),
        ("requirements.txt", True),
        ("docs/notes.txt", True),
        ("mine/x.py", False),
    ],
)
def test_without_a_repository_everything_but_own_files_is_presumed_tracked(path, tracked):
    assert PresumedSight(made=["mine"]).is_tracked(path) is tracked
