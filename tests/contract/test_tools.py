"""The tools on a real file system, with a real shell beside them that changes files behind their back."""

import os
from pathlib import Path

import pytest

from autofix.harness.scope import Scope
from autofix.intake.local import local_pull_request
from autofix.ports.sandbox import SandboxSpec, ShellCommand
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from autofix.world.host_sandbox import HostSandbox
from tests.fakes.repositories import Repository
from tests.fakes.workshop import Bench

FILES = {
    "src/app/calc.py": "def add(a, b):\n    return a - b\n",
    "src/app/dos.py": b"\xef\xbb\xbfx = 1\r\ny = 2\r\n",
    "src/app/latin.py": b"# caf\xe9\nx = 1\n",
    "run.sh": "#!/bin/sh\necho one\n",
    "README.md": "about\n",
    "tests/test_calc.py": "from app.calc import add\n",
}


@pytest.fixture
def bench(tmp_path):
    repository = Repository.create(tmp_path / "work")
    repository.commit({"README.md": "about\n"}, "Base")
    repository.branch("feature/x")
    repository.commit(FILES, "Feature")
    (repository.path / "run.sh").chmod(0o755)
    (repository.path / "inside").symlink_to("src/app")
    (repository.path / "outside").symlink_to(tmp_path)
    (repository.path / "alias.py").symlink_to("src/app/calc.py")
    repository.commit_all("Modes and links")
    door = GitCli(repository.path, tmp_path / "run" / "repo.git")
    trees = DiskTrees(door, tmp_path / "run" / "trees", local_pull_request(door, "main", "HEAD"))
    (tmp_path / "secret.txt").write_text("token = canary\n")
    bench = Bench(tree=trees.open(repository.head(), "one"))
    bench.workshop.scope = Scope(frozenset(FILES) - {"README.md"} | {"src/app/new.py", "alias.py"})
    bench.workshop.sandbox = HostSandbox(SandboxSpec(run_id="tools"), bench.tree.path, os.environ["PATH"])
    yield bench
    bench.workshop.sandbox.close()
    trees.drop_all()
    door.close()


def content(bench, path):
    return (bench.tree.path / path).read_bytes()


def test_a_read_an_edit_and_a_command_see_one_file(bench):
    assert bench("Read", file_path="src/app/calc.py").text == "1\tdef add(a, b):\n2\t    return a - b"
    edit = bench("Edit", file_path="src/app/calc.py", old_string="a - b", new_string="a + b")
    assert edit.changed == ("src/app/calc.py",)
    shown = bench("Bash", command="cat src/app/calc.py; exit 3")
    assert shown.text == "def add(a, b):\n    return a + b\n[exit 3]"
    assert bench.tree.compare().modified == ("src/app/calc.py",)


@pytest.mark.parametrize(
    ("path", "old", "new", "after"),
    [
        ("src/app/dos.py", "x = 1\ny", "x = 1\nz = 3\ny", b"\xef\xbb\xbfx = 1\r\nz = 3\r\ny = 2\r\n"),
        ("src/app/latin.py", "# café\n", "# thé\n", b"# th\xe9\nx = 1\n"),
        ("run.sh", "one", "two", b"#!/bin/sh\necho two\n"),
    ],
)
def test_bytes_mode_and_owner_of_an_edited_file_stay_its_own(bench, path, old, new, after):
    before = (bench.tree.path / path).stat()
    bench("Read", file_path=path)
    assert not bench("Edit", file_path=path, old_string=old, new_string=new).is_error
    now = (bench.tree.path / path).stat()
    assert content(bench, path) == after
    assert (now.st_mode, now.st_uid, now.st_gid, now.st_ino) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
        before.st_ino,
    )
    assert bench.tree.compare().mode_changed == ()


def test_a_file_a_command_changed_must_be_read_again(bench):
    bench("Read", file_path="src/app/calc.py")
    bench("Bash", command="echo '# more' >> src/app/calc.py")
    edit = {"file_path": "src/app/calc.py", "old_string": "a - b", "new_string": "a + b"}
    assert "Read it again" in bench("Edit", **edit).text
    bench("Read", file_path="src/app/calc.py")
    assert not bench("Edit", **edit).is_error
    assert content(bench, "src/app/calc.py") == b"def add(a, b):\n    return a + b\n# more\n"


def test_a_file_a_command_swapped_for_a_link_is_not_written(bench, tmp_path):
    bench("Read", file_path="src/app/calc.py")
    bench("Bash", command=f"ln -sf '{tmp_path}/secret.txt' src/app/calc.py")
    assert bench("Edit", file_path="src/app/calc.py", old_string="token", new_string="x").is_error
    assert bench("Write", file_path="src/app/calc.py", content="x").is_error
    assert bench("Read", file_path="src/app/calc.py").is_error
    assert (tmp_path / "secret.txt").read_text() == "token = canary\n"


def test_a_hard_link_to_an_outside_file_is_not_written(bench, tmp_path):
    bench("Bash", command=f"rm src/app/calc.py; ln '{tmp_path}/secret.txt' src/app/calc.py")
    bench("Read", file_path="src/app/calc.py")
    assert bench("Edit", file_path="src/app/calc.py", old_string="canary", new_string="x").is_error
    assert (tmp_path / "secret.txt").read_text() == "token = canary\n"


def test_a_pipe_does_not_hang_a_tool(bench):
    bench("Bash", command="mkfifo src/app/pipe")
    assert bench("Read", file_path="src/app/pipe").is_error
    assert "calc.py" in bench("Grep", pattern="add").text


@pytest.mark.parametrize("path", ["inside/calc.py", "alias.py", "src/app/../app/calc.py", "./src/app/calc.py"])
def test_links_that_stay_inside_lead_to_the_file_they_name(bench, path):
    assert bench("Read", file_path=path).text.startswith("1\tdef add")
    bench("Edit", file_path=path, old_string="a - b", new_string="a + b")
    assert b"a + b" in content(bench, "src/app/calc.py")
    assert bench.tree.compare().tracked == ("src/app/calc.py",)


@pytest.mark.parametrize(
    "path",
    ["outside/secret.txt", "outside", "/proc/self/environ", ".git/config", ".git/HEAD", "../one/../../secret.txt"],
)
def test_nothing_outside_or_of_git_is_read_searched_or_written(bench, path):
    bench.workshop.scope = Scope(frozenset({path, "outside/secret.txt"}))
    for outcome in (
        bench("Read", file_path=path),
        bench("Edit", file_path=path, old_string="token", new_string="x"),
        bench("Write", file_path=path, content="x"),
        bench("Grep", pattern="t", path=path),
        bench("Glob", pattern="**", path=path),
    ):
        assert outcome.is_error, outcome.text
        assert "canary" not in outcome.text
    assert not bench.tree.compare()


def test_a_search_does_not_follow_links_out(bench):
    assert bench("Grep", pattern="canary").text == "No matches."
    assert "secret" not in bench("Glob", pattern="**").text


def test_a_search_takes_a_directory_or_a_file(bench):
    assert bench("Grep", pattern="add", path="src").text == "src/app/calc.py"
    assert bench("Grep", pattern="add", path="tests/test_calc.py", output_mode="content").text == (
        "tests/test_calc.py:1:from app.calc import add"
    )
    assert bench("Glob", pattern="*.py", path=str(bench.tree.path / "src")).text == (
        "src/app/calc.py\nsrc/app/dos.py\nsrc/app/latin.py"
    )
    assert bench("Grep", pattern="add", path="nowhere").is_error


def test_a_file_is_created_with_an_ordinary_mode(bench):
    assert bench("Write", file_path="src/app/new.py", content="x = 1\n").changed == ("src/app/new.py",)
    assert (bench.tree.path / "src/app/new.py").stat().st_mode & 0o7777 == 0o644
    assert bench.tree.compare().added == ("src/app/new.py",)


def test_names_that_are_no_utf8_do_not_stop_a_search(bench):
    name = os.fsencode(bench.tree.path) + b"/caf\xe9.py"
    Path(os.fsdecode(name)).write_bytes(b"add\n")
    assert "src/app/calc.py" in bench("Grep", pattern="add").text
    listed = bench("Glob", pattern="*.py")
    listed.text.encode()
    assert "src/app/calc.py" in listed.text


def test_endless_output_is_cut_and_kept(bench):
    outcome = bench("Bash", command="yes line | head -c 5000000; echo end; exit 7")
    assert len(outcome.text.encode()) <= 4096
    assert outcome.text.startswith("line\n")
    assert outcome.text.endswith("end\n[exit 7]")
    assert len(bench.artifacts.kept["bash-1"]) <= ShellCommand("", 1).output_limit + 100


def test_a_command_that_sleeps_too_long_is_ended(bench):
    outcome = bench("Bash", command="echo started; sleep 60", timeout=1000)
    assert outcome.command.timed_out
    assert outcome.text == "started\n[timed out after 1 s]"
