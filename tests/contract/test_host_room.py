"""What only the host's room promises: it has no walls, and still leaves nothing running."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom
from autofix.world.owner import identity
from autofix.world.scratch import sweep

LONG = 60.0  # seconds, for what takes milliseconds on a machine with nothing else to do


def test_closing_ends_a_command_whose_start_was_interrupted(tmp_path: Path):
    """A signal may come when the process is there and its starter has not returned: then nobody else knows of it."""
    sandbox = HostRoom().open(SandboxSpec("test"), tmp_path)
    left = subprocess.Popen(["sleep", "600"], env={"PATH": "/usr/bin:/bin", "TMPDIR": sandbox.scratch}, cwd="/")
    other = subprocess.Popen(["sleep", "600"], env={"PATH": "/usr/bin:/bin"}, cwd="/")

    sandbox.close()
    sandbox.close()

    assert left.wait(timeout=10) != 600
    assert not Path(f"/proc/{left.pid}").exists()
    assert other.poll() is None
    other.kill()
    other.wait()


# --- after kill -9

HARNESS = """
import sys
from pathlib import Path
import pytest

from autofix.ports.sandbox import SandboxSpec, ShellCommand
from autofix.world.host_sandbox import HostRoom
HostRoom().open(SandboxSpec("test"), Path(sys.argv[1])).run(ShellCommand(sys.argv[2], 600))
"""
LEFT_RUNNING = {
    "the command itself": "echo $$ > {file}; exec sleep 600",
    "a daemon in a session of its own": "setsid sleep 600 & echo $! > {file}; wait",
    "one without the sandbox's variables": "env -i sleep 600 & echo $! > {file}; wait",
    "a command that threw its variables away": "echo $$ > {file}; exec env -i sleep 600",
    "one that ignores what can be ignored": "(trap '' TERM HUP INT; exec sleep 600) & echo $! > {file}; wait",
}


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen]:
    """A process of the same user that stands in the tree's place and is nobody's business."""
    process = subprocess.Popen(["sleep", "600"], env={"PATH": "/usr/bin:/bin"}, start_new_session=True)
    yield process
    process.kill()
    process.wait()


def lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 :][:1] != b"Z"


def wait_for(condition) -> bool:
    until = time.monotonic() + LONG
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize("kind", LEFT_RUNNING)
def test_what_a_killed_harness_left_running_is_ended_by_the_next_and_nobody_else_is(
    tmp_path: Path, kind: str, bystander: subprocess.Popen
):
    file, temporary = tmp_path / "pid", tmp_path / "tmp"
    temporary.mkdir()
    script = LEFT_RUNNING[kind].format(file=file)
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(tmp_path), script], env={**os.environ, "TMPDIR": str(temporary)}
    )
    try:
        assert wait_for(lambda: file.exists() and file.read_text().strip())
        left = int(file.read_text())
        assert wait_for(lambda: b"sleep" in Path(f"/proc/{left}/cmdline").read_bytes())
        assert sweep(temporary) == 0, "its harness lives"
        assert lives(left)
    finally:
        harness.send_signal(signal.SIGKILL)
        harness.wait()
    assert lives(left)

    assert sweep(temporary) == 1

    assert wait_for(lambda: not lives(left))
    assert bystander.poll() is None
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("forged", ["", "nonsense", "a.b.c", "{boot}.{namespace}.{pid}.1", "0.0.{pid}.{start}"])
def test_a_record_that_names_no_process_for_certain_ends_none(tmp_path: Path, bystander: subprocess.Popen, forged: str):
    """A process number is given again: a record with another start, boot or namespace is not about this process."""
    boot, namespace, pid, start = identity(bystander.pid).split(".")
    dead = identity().rpartition(".")[0] + ".1"
    scratch = tmp_path / f"autofix-scratch-{dead}-x"
    scratch.mkdir()
    told = forged.format(boot=boot, namespace=namespace, pid=pid, start=start)
    scratch.with_name(f"{scratch.name}.leader").write_text(told)
    assert sweep(tmp_path) == 1
    assert bystander.poll() is None
    assert list(tmp_path.iterdir()) == []
