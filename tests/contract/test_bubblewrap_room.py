"""What only the bubblewrap room promises: which parts of this machine are seen, and that the network is not."""

from __future__ import annotations

import json
import socket
import sys
import uuid
import venv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from autofix.errors import SandboxUnavailable
from autofix.ports.sandbox import SandboxSpec, ShellCommand
from autofix.world.bubblewrap_sandbox import BubblewrapRoom, BubblewrapSandbox
from tests.contract.rooms_here import room_or_skip

pytestmark = pytest.mark.bubblewrap
LONG = 60.0
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture(autouse=True)
def _possible() -> None:
    room_or_skip("bubblewrap")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the secrets people keep in one."""
    home = tmp_path / "home"
    for name in (".ssh/id_ed25519", ".netrc", ".aws/credentials", ".docker/config.json", ".local/share/keyring"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("canary")
    home.chmod(0o700)
    return home


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    return tree


def ran(sandbox: BubblewrapSandbox, script: str) -> str:
    result = sandbox.run(ShellCommand(script, LONG))
    assert result.exit_code == 0, result.text
    return result.text


def opened(tree: Path, home: Path, path: str = SYSTEM_PATH, hidden: tuple[Path, ...] = ()) -> closing:
    return closing(BubblewrapRoom(path=path, home=home).open(SandboxSpec("test", hidden=hidden), tree))


# --- no network

ATTEMPTS = """
import json, socket, sys
def tried(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s:
        s.settimeout(1)
        try:
            s.connect(address)
        except TimeoutError:
            return "silence"
        except OSError as error:
            return "refused"
        return "reached"
def name():
    try:
        socket.getaddrinfo("example.com", 443)
    except OSError:
        return "refused"
    return "reached"
port, abstract = int(sys.argv[1]), sys.argv[2]
print(json.dumps({
    "host loopback": tried(socket.AF_INET, ("127.0.0.1", port)),
    "public": tried(socket.AF_INET, ("1.1.1.1", 443)),
    "metadata": tried(socket.AF_INET, ("169.254.169.254", 80)),
    "udp": tried(socket.AF_INET, ("192.0.2.1", 53), socket.SOCK_DGRAM),
    "dns": name(),
    "docker.sock": tried(socket.AF_UNIX, "/var/run/docker.sock"),
    "docker.sock in /run": tried(socket.AF_UNIX, "/run/docker.sock"),
    "abstract unix": tried(socket.AF_UNIX, "\\0" + abstract),
}))
"""


@pytest.fixture
def listening() -> Iterator[tuple[int, str]]:
    """A TCP port of this machine's loopback and an abstract socket that both answer."""
    name = f"autofix-{uuid.uuid4().hex}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind("\0" + name)
        unix.listen()
        yield tcp.getsockname()[1], name


def test_no_target_is_reached_by_any_protocol_and_each_attempt_fails_at_once(
    tree: Path, home: Path, listening: tuple[int, str]
):
    port, name = listening
    socket.create_connection(("127.0.0.1", port), timeout=5).close()  # it does listen
    (tree / "attempts.py").write_text(ATTEMPTS)
    with opened(tree, home) as sandbox:
        said = json.loads(ran(sandbox, f"/usr/bin/env python3 attempts.py {port} {name}"))
        interfaces = ran(sandbox, "tail -n +3 /proc/net/dev | cut -d: -f1").split()
    assert set(said.values()) == {"refused"}
    assert len(said) == 8
    assert interfaces == ["lo"]


def test_a_network_it_cannot_join_is_refused(tree: Path, home: Path):
    with pytest.raises(SandboxUnavailable, match="bridge"):
        BubblewrapRoom(home=home).open(SandboxSpec("test", network="bridge"), tree)


def test_setup_has_the_machines_network_and_the_sandbox_has_not(tree: Path, home: Path, listening: tuple[int, str]):
    port, _ = listening
    script = f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 5)\" && touch reached"
    BubblewrapRoom(path=SYSTEM_PATH, home=home).prepare(SandboxSpec("test", setup_command=script), tree)
    assert (tree / "reached").exists()
    with opened(tree, home) as sandbox:
        assert sandbox.run(ShellCommand(script, LONG)).exit_code != 0


# --- what is seen


def test_nothing_of_a_home_is_seen(tree: Path, home: Path):
    with opened(tree, home) as sandbox:
        found = ran(sandbox, f"find {home} /root /home -type f 2>/dev/null; grep -rl canary {home} 2>/dev/null; true")
    assert found == ""


@pytest.mark.parametrize("place", ["/run", "/mnt", "/media", "/srv", "/opt", "/boot", "/sys", "/home", "/root"])
def test_a_place_that_tools_do_not_need_is_empty_or_absent(tree: Path, home: Path, place: str):
    with opened(tree, home) as sandbox:
        assert ran(sandbox, f"ls -A {place} 2>/dev/null; true") == ""


def test_only_its_own_processes_are_seen(tree: Path, home: Path):
    with opened(tree, home) as sandbox:
        numbers = [int(word) for word in ran(sandbox, "cd /proc; echo [0-9]*").split()]
    assert len(numbers) <= 3


def test_what_only_root_may_read_stays_unread(tree: Path, home: Path):
    with opened(tree, home) as sandbox:
        assert sandbox.run(ShellCommand("cat /etc/shadow", LONG)).exit_code != 0


def test_a_hidden_file_and_a_hidden_directory_below_what_is_shown_are_covered(tmp_path: Path, tree: Path, home: Path):
    tool = tmp_path / "tool"
    for name in ("bin", "lib", "state"):
        (tool / name).mkdir(parents=True)
    (tool / "bin" / "works").write_text("#!/bin/sh\necho works\n")
    (tool / "bin" / "works").chmod(0o755)
    (tool / "state" / "journal").write_text("canary")
    (tool / "lib" / "key").write_text("canary")
    hidden = (tool / "state", tool / "lib" / "key")
    with opened(tree, home, path=f"{tool}/bin:{SYSTEM_PATH}", hidden=hidden) as sandbox:
        assert ran(sandbox, "works") == "works\n"
        assert "canary" not in ran(
            sandbox, f"cat {tool}/state/* {tool}/lib/key 2>/dev/null; grep -r canary {tool}; true"
        )


def test_a_virtual_environment_in_the_hidden_repository_works_and_the_repository_is_not_seen(
    tmp_path: Path, tree: Path, home: Path
):
    repository = home / "project"
    (repository / "src").mkdir(parents=True)
    (repository / "src" / "secret.py").write_text("canary")
    venv.create(repository / ".venv", with_pip=False, symlinks=True)
    path = f"{repository}/.venv/bin:{SYSTEM_PATH}"
    with opened(tree, home, path=path, hidden=(repository,)) as sandbox:
        prefix, version = ran(
            sandbox, "python -c 'import sys, json; print(sys.prefix); print(sys.version.split()[0])'"
        ).split()
        seen = ran(sandbox, f"ls -A {repository} {home}; cat {repository}/src/secret.py 2>/dev/null; true")
    assert prefix == str(repository / ".venv")
    assert version == sys.version.split()[0]
    assert "canary" not in seen
    assert ".ssh" not in seen
    assert "src" not in seen.split()


def test_what_path_needs_cannot_be_written(tmp_path: Path, tree: Path, home: Path):
    tool = tmp_path / "tool"
    (tool / "bin").mkdir(parents=True)
    (tool / "lib").mkdir()
    (tool / "bin").chmod(0o777)
    with opened(tree, home, path=f"{tool}/bin:{SYSTEM_PATH}") as sandbox:
        result = sandbox.run(ShellCommand(f"echo x > {tool}/bin/planted", LONG))
    assert result.exit_code != 0
    assert list((tool / "bin").iterdir()) == []


def test_shared_memory_works_for_programs_that_need_it(tree: Path, home: Path):
    with opened(tree, home) as sandbox:
        assert (
            ran(sandbox, "/usr/bin/env python3 -c 'import multiprocessing; multiprocessing.Lock(); print(1)'") == "1\n"
        )


def test_a_broken_wall_is_a_broken_sandbox_and_no_failed_command(tmp_path: Path, tree: Path, home: Path):
    from autofix.errors import SandboxBroken

    with opened(tree, home) as sandbox:
        tree.rmdir()
        with pytest.raises(SandboxBroken, match="bubblewrap failed"):
            sandbox.run(ShellCommand("true", LONG))


def test_the_trees_git_directory_of_a_parent_is_not_reached(tmp_path: Path, tree: Path, home: Path):
    (tmp_path / ".git").mkdir()
    with opened(tree, home) as sandbox:
        assert ran(sandbox, "ls -d ../.git .git 2>/dev/null; true") == ""


def test_a_room_that_cannot_work_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tree: Path):
    import autofix.world.bubblewrap_sandbox as module

    monkeypatch.setattr(module, "DEFAULT_PATH", str(tmp_path))
    room = BubblewrapRoom()
    assert "bwrap is not installed" in (room.unavailable() or "")
    with pytest.raises(SandboxUnavailable, match="not installed"):
        room.open(SandboxSpec("test"), tree)


def test_a_scratch_directory_of_a_dead_run_is_swept_and_of_a_living_one_is_not(tree: Path, home: Path):
    import subprocess
    import tempfile

    from autofix.world.owner import identity
    from autofix.world.ownership import hand_over, user_for

    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    left = Path(tempfile.mkdtemp(prefix=f"autofix-scratch-{identity(child.pid)}-"))
    (left / "locked").mkdir(mode=0)
    hand_over(left, user_for(left))
    room = BubblewrapRoom(home=home)
    room.sweep()
    assert left.exists()
    child.kill()
    child.wait()
    with opened(tree, home) as sandbox:
        room.sweep()
        assert ran(sandbox, "echo x > $TMPDIR/mine; cat $TMPDIR/mine") == "x\n"
    assert not left.exists()
    assert list(tree.iterdir()) == []
