import subprocess
import sys

from autofix.world.owner import identity
from autofix.world.run_directory import OWNER_FILE, RunDirectory


def made(state, name):
    directory = RunDirectory.create(state, name)
    (directory.path / "repo.git").mkdir()
    (directory.path / "trees" / "attempt-1").mkdir()
    directory.keep("journal.jsonl", b"kept")
    return directory


def test_what_a_killed_run_only_needed_while_running_goes_and_its_record_stays(tmp_path):
    dead = made(tmp_path, "dead")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (dead.path / OWNER_FILE).write_text(identity(child.pid))
    RunDirectory.sweep(tmp_path)
    assert (dead.path / "trees").is_dir()
    child.kill()
    child.communicate()
    RunDirectory.sweep(tmp_path)
    assert sorted(path.name for path in dead.path.iterdir()) == ["artifacts", "journal.jsonl", "memory"]


def test_what_is_not_what_was_kept_is_not_there(tmp_path):
    memory = made(tmp_path, "run").memory()
    name = memory.keep("file", b"x = 1\n")
    assert memory.read(name) == b"x = 1\n"
    (memory.directory / name).write_bytes(b"x = 2\n")
    assert memory.read(name) is None


def test_a_torn_last_line_is_cut_and_the_whole_ones_stay(tmp_path):
    run = made(tmp_path, "run")
    write = run.append("transcript.jsonl", str)
    write("one\n")
    write("two\n")
    write("th")
    assert run.mend("transcript.jsonl") == ["one", "two"]
    write("three\n")
    assert run.read_lines("transcript.jsonl") == ["one", "two", "three"]


def test_a_run_that_goes_on_is_left_alone(tmp_path):
    own = made(tmp_path, "own")
    RunDirectory.sweep(tmp_path)
    assert (own.path / "repo.git").is_dir()


def test_equal_results_have_equal_names_and_no_name_leads_out(tmp_path):
    artifacts = made(tmp_path, "run").artifacts()
    assert artifacts.keep("bash", b"same") == artifacts.keep("bash", b"same") != artifacts.keep("bash", b"other")
    assert artifacts.read("../journal.jsonl") is None
