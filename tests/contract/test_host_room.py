"""What only the host's room promises: it has no walls, and still leaves nothing running."""

import subprocess
from pathlib import Path

from autofix.ports.sandbox import SandboxSpec
from autofix.world.host_sandbox import HostRoom


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
