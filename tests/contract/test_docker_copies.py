"""Trees that are copied to the engine and back: the same tree on both sides after every command, whatever it did."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import docker
import pytest

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import SandboxSpec, ShellCommand
from autofix.world import tree_archive
from autofix.world.docker_copies import read_listing
from autofix.world.docker_room import DockerRoom
from autofix.world.docker_sandbox import DockerSandbox
from autofix.world.docker_stream import ExecStream
from autofix.world.ownership import User
from autofix.world.pump import Deadline
from tests.contract.rooms_here import forget_images, room_or_skip

pytestmark = pytest.mark.docker
LONG = 100.0


@pytest.fixture(scope="module")
def engine() -> Iterator[docker.DockerClient]:
    room_or_skip("docker")
    with closing(docker.from_env()) as client:
        yield client


@pytest.fixture
def run_id(engine: docker.DockerClient) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    yield name
    wanted = {"label": f"autofix.run={name}"}
    for container in engine.containers.list(all=True, filters=wanted, ignore_removed=True):
        with suppress(docker.errors.APIError):
            container.remove(force=True, v=True)
    for volume in engine.volumes.list(filters=wanted):
        with suppress(docker.errors.APIError):
            volume.remove()
    forget_images(name)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    made = tmp_path / "tree"
    (made / "src" / "deep").mkdir(parents=True)
    (made / ".git").mkdir()
    (made / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (made / "src" / "calc.py").write_text("x = 1\n")
    (made / "src" / "deep" / "core.py").write_text("y = 1\n")
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    (made / "link").symlink_to("src/calc.py")
    return made


@pytest.fixture
def sandbox(run_id: str, tree: Path) -> Iterator[DockerSandbox]:
    opened = DockerRoom(files="copy").open(SandboxSpec(run_id), tree)
    yield opened
    opened.close()


def ran(sandbox: DockerSandbox, script: str) -> str:
    result = sandbox.run(ShellCommand(script, LONG))
    assert result.exit_code == 0, result.text
    return result.text


def volumes(engine: docker.DockerClient, run_id: str) -> list:
    return engine.volumes.list(filters={"label": f"autofix.run={run_id}"})


def shape(tree: Path) -> dict[str, tuple[str, object]]:
    """What the tree holds, `.git` left out."""
    found: dict[str, tuple[str, object]] = {}
    for place, directories, names in os.walk(tree):
        if place == str(tree):
            directories.remove(".git")
        for name in (*directories, *names):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                told: tuple[str, object] = ("link", str(path.readlink()))
            elif stat.S_ISREG(mode):
                told = ("file", (path.read_bytes(), stat.S_IMODE(mode)))
            else:
                told = ("directory" if stat.S_ISDIR(mode) else "special", None)
            found[str(path.relative_to(tree))] = told
    return found


def test_commands_see_the_tree_as_it_is_with_its_git_and_own_it(sandbox: DockerSandbox):
    said = ran(
        sandbox, "cat link src/deep/core.py .git/HEAD; test -x run.sh; touch here src/there; stat -c %u . src/calc.py"
    )
    assert said.splitlines()[:3] == ["x = 1", "y = 1", "ref: refs/heads/main"]
    assert set(said.splitlines()[3:]) == {ran(sandbox, "id -u").strip()}


def test_what_changes_here_is_there_for_the_next_command(sandbox: DockerSandbox, tree: Path):
    (tree / "src" / "calc.py").write_text("x = 2\n")
    (tree / "run.sh").chmod(0o644)
    shutil.rmtree(tree / "src" / "deep")
    (tree / "src" / "deep").write_text("a file now")
    (tree / "new").mkdir()
    (tree / "new" / "name with 'quotes'\n and a line").write_text("z")
    (tree / "link").unlink()
    strange = tree / os.fsdecode(b"\xff \n")
    strange.touch()
    ran(sandbox, "ls")
    strange.unlink()
    assert ran(sandbox, "cat src/calc.py src/deep new/*; ls -A; test -x run.sh || echo plain").splitlines() == [
        *("x = 2", "a file nowz.git", "new", "run.sh", "src", "plain"),
    ]


CHANGES = {
    "the same size and an old date": "d=$(stat -c %y src/calc.py); printf 'x = 7\\n' > src/calc.py; touch -d \"$d\" src/calc.py",
    "a mode alone": "chmod 755 src/calc.py",
    "a new file below new directories": "mkdir -p a/b/c && echo x > a/b/c/d",
    "an empty directory": "mkdir empty",
    "a removed file": "rm src/calc.py",
    "a removed directory": "rm -r src",
    "a directory in a file's place": "rm src/calc.py && mkdir src/calc.py && echo x > src/calc.py/inside",
    "a file in a directory's place": "rm -r src/deep && echo x > src/deep",
    "a link in a directory's place": "rm -r src && ln -s /etc src",
    "a link in a file's place": "ln -sf /etc/passwd src/calc.py",
    "a link to nowhere": "ln -s 'no where' dangling",
    "a FIFO": "mkfifo pipe",
    "a renamed directory": "mv src lib",
    "a hundred files": "for n in $(seq 100); do echo $n > file-$n; done",
    "a name with a line break": "printf x > 'a\nb'",
    "a name that tells lies about another": (
        "name=$(printf 'x\\n81a4 6 1 1 2026-01-01 00:00:00.1 +0000 ./src/calc.py'); mkdir -p \"x\n81a4 6 1 1 2026-01-01 00:00:00.1 +0000 .\"; "
        "printf 'x = 8\\n' > src/calc.py"
    ),
    "a name that tells of what is not there": "mkdir -p 'x\n81a4 6 1 1 2026-01-01 00:00:00.1 +0000 .' && touch 'x\n81a4 6 1 1 2026-01-01 00:00:00.1 +0000 ./ghost'",
    "names that are not text": "printf x > \"$(printf 'b\\377d')\"; echo y > 'tab\there'; echo z > 'back\\slash'; echo a > ' '",
    "a file and a directory without any permission": "chmod 000 src/calc.py src/deep",
    "a new file where nothing may be read": "echo x > src/deep/new && chmod 000 src/deep",
    "a time before all times": "touch -d '1901-12-14' src/calc.py; touch -d @99999999999 run.sh",
    "sparse": "truncate -s 30M hollow",
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_a_command_both_trees_are_the_same(sandbox: DockerSandbox, tree: Path, change: str):
    """The other tree is changed by the same command where it needs no copying."""
    plain = tree.with_name("plain")
    shutil.copytree(tree, plain, symlinks=True)
    subprocess.run(["bash", "-c", CHANGES[change]], cwd=plain, check=True)
    ran(sandbox, CHANGES[change])
    if "permission" not in change and "read" not in change:
        assert shape(tree) == shape(plain)
    else:
        assert shape(tree).keys() == shape(plain).keys()
    sandbox.run(ShellCommand("true", LONG))
    assert shape(tree).keys() == shape(plain).keys()


def test_two_names_of_one_file_are_two_names_here_so_that_they_are_judged_so(sandbox: DockerSandbox, tree: Path):
    ran(sandbox, "rm src/calc.py; ln run.sh src/calc.py")
    assert (tree / "run.sh").samefile(tree / "src" / "calc.py")


def test_a_device_and_a_set_uid_bit_do_not_come_out(sandbox: DockerSandbox, tree: Path):
    ran(sandbox, "chmod 6755 run.sh; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('door')\"")
    assert stat.S_IMODE((tree / "run.sh").stat().st_mode) == 0o755
    assert not (tree / "door").exists()


def test_git_of_the_tree_never_comes_back(sandbox: DockerSandbox, tree: Path):
    ran(sandbox, "echo evil > .git/HEAD; touch .git/config; rm -rf src; ln -s .git gitlink")
    assert (tree / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"
    assert not (tree / ".git" / "config").exists()
    ran(sandbox, "rm -rf .git; for n in $(seq 50); do touch $n; done")
    assert (tree / ".git" / "HEAD").exists()


def test_nothing_outside_the_tree_is_written_through_a_link_that_a_command_made(
    sandbox: DockerSandbox, tree: Path, tmp_path: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "calc.py").write_text("ours")
    ran(sandbox, f"mv src old; ln -s {outside} src; ln -s {outside}/calc.py direct; echo x > after")
    ran(sandbox, f"rm src direct; mkdir src; echo theirs > src/calc.py; ln -s {outside} again; echo theirs > direct")
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"calc.py": "ours"}
    assert (tree / "src" / "calc.py").read_text() == "theirs\n"


def test_what_is_put_back_here_is_put_back_there_even_where_a_command_shut_the_door(sandbox: DockerSandbox, tree: Path):
    ran(sandbox, "echo x > src/extra; mkdir shut; echo y > shut/more; chmod 555 src; chmod 000 shut")
    (tree / "src" / "extra").unlink()
    shutil.rmtree(tree / "shut")
    (tree / "src" / "calc.py").write_text("x = 1 # again\n")
    assert ran(sandbox, "cat src/*.py; ls -A src; ls -d shut 2>/dev/null; true").splitlines() == [
        *("x = 1 # again", "calc.py", "deep"),
    ]


def test_what_a_command_past_its_time_wrote_comes_out_too(sandbox: DockerSandbox, tree: Path):
    assert sandbox.run(ShellCommand("echo x > made; sleep 600", 3.0)).timed_out
    assert (tree / "made").read_text() == "x\n"


def test_a_tree_that_grows_without_measure_is_a_broken_sandbox_and_not_a_full_disk(sandbox: DockerSandbox, tree: Path):
    sandbox._copies._overlay._most_bytes = 10 * 1024 * 1024
    with pytest.raises(SandboxBroken, match="more than 10 MiB"):
        sandbox.run(ShellCommand("for n in $(seq 30); do truncate -s 1M big-$n; done", LONG))


def test_the_only_thing_of_the_machine_in_the_container_is_the_volume(
    engine: docker.DockerClient, sandbox: DockerSandbox, run_id: str
):
    (container,) = engine.containers.list(filters={"label": f"autofix.run={run_id}"})
    mounts = container.attrs["Mounts"]
    assert [(mount["Type"], mount["Destination"]) for mount in mounts if mount["Type"] != "tmpfs"] == [
        ("volume", "/workspace")
    ]


def test_no_volume_is_left_after_closing(engine: docker.DockerClient, run_id: str, tree: Path):
    sandbox = DockerRoom(files="copy").open(SandboxSpec(run_id), tree)
    assert len(volumes(engine, run_id)) == 1
    sandbox.close()
    sandbox.close()
    assert volumes(engine, run_id) == []


def test_no_volume_is_left_when_the_sandbox_cannot_start(engine: docker.DockerClient, run_id: str, tree: Path):
    with pytest.raises(SandboxUnavailable):
        DockerRoom(files="copy", runtime="no-such-runtime").open(SandboxSpec(run_id), tree)
    assert volumes(engine, run_id) == []


OTHER_HARNESS = """
import sys, time
from pathlib import Path
from autofix.ports.sandbox import SandboxSpec
from autofix.world.docker_room import DockerRoom
sandbox = DockerRoom(files="copy").open(SandboxSpec(sys.argv[1]), Path(sys.argv[2]))
print("open", flush=True)
time.sleep(600)
"""


def test_a_killed_harness_s_volume_is_swept_and_a_living_one_s_is_not(
    engine: docker.DockerClient, run_id: str, tree: Path
):
    argv = [sys.executable, "-c", OTHER_HARNESS, run_id, str(tree)]
    other = subprocess.Popen(argv, stdout=subprocess.PIPE, env=dict(os.environ))
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        DockerRoom().sweep()
        assert len(volumes(engine, run_id)) == 1
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
        other.stdout.close()
    DockerRoom().sweep()
    assert volumes(engine, run_id) == []


def test_a_setup_runs_over_a_copy_too_and_what_it_leaves_comes_out(
    engine: docker.DockerClient, run_id: str, tree: Path
):
    spec = SandboxSpec(run_id, setup_command="mkdir modules && echo installed > modules/x && echo y > /opt/kept")
    room = DockerRoom(files="copy")
    room.prepare(spec, tree)
    assert (tree / "modules" / "x").read_text() == "installed\n"
    with closing(room.open(spec, tree)) as sandbox:
        assert ran(sandbox, "cat modules/x /opt/kept; rm modules/x") == "installed\ny\n"
    assert volumes(engine, run_id) == []


# --- which of the two


class Forwarder:
    """The machine's engine at a TCP address: what an engine elsewhere looks like from here."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.host = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=_forward, args=(near,), daemon=True).start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def _forward(near: socket.socket) -> None:
    with near, socket.socket(socket.AF_UNIX) as far:
        far.connect("/var/run/docker.sock")
        back = threading.Thread(target=_pour, args=(far, near), daemon=True)
        back.start()
        _pour(near, far)
        back.join()


def _pour(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@pytest.fixture
def remote(engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[docker.DockerClient]:
    """An engine elsewhere; what is yielded talks to it directly."""
    with closing(Forwarder()) as forwarder:
        monkeypatch.setenv("DOCKER_HOST", forwarder.host)
        yield engine


def mode(sandbox: DockerSandbox) -> str:
    return "mount" if sandbox._copies is None else "copy"


def nowhere(_: Path) -> str:
    return "/no/such/directory/on/the/engine"


def elsewhere(_: Path) -> str:
    return "/var/empty" if Path("/var/empty").is_dir() else "/mnt"


@pytest.mark.parametrize(
    ("translate", "expected"), [(None, "mount"), (nowhere, "copy"), (elsewhere, "copy")], ids=["same", "none", "other"]
)
def test_an_engine_elsewhere_is_given_a_mount_only_where_it_sees_our_files(
    remote: docker.DockerClient, run_id: str, tree: Path, translate, expected: str
):
    before = shape(tree)
    with closing(DockerRoom(translate=translate).open(SandboxSpec(run_id), tree)) as sandbox:
        assert mode(sandbox) == expected
        assert ran(sandbox, "cat src/calc.py") == "x = 1\n"
        ran(sandbox, "echo out > made")
        assert (tree / "made").read_text() == "out\n"
        (tree / "made").unlink()
    assert shape(tree) == before
    assert remote.containers.list(all=True, filters={"label": f"autofix.run={run_id}"}) == []


def in_our_own_container(path: Path) -> str:
    raise SandboxUnavailable(f"{path} lies inside autofix's own container")


def test_a_tree_inside_our_own_container_is_copied(run_id: str, tree: Path):
    with closing(DockerRoom(translate=in_our_own_container).open(SandboxSpec(run_id), tree)) as sandbox:
        assert mode(sandbox) == "copy"
        assert ran(sandbox, "cat src/calc.py") == "x = 1\n"


def slow_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine: the engine's answer to the request and all the output lie there together when it is read."""
    begin = http.client.HTTPResponse.begin

    def late(answer: http.client.HTTPResponse) -> None:
        time.sleep(0.3)
        begin(answer)

    monkeypatch.setattr(http.client.HTTPResponse, "begin", late)


def test_a_stream_begins_with_what_was_printed_before_we_came_to_read(engine, run_id: str, tree: Path, monkeypatch):
    with closing(DockerRoom().open(SandboxSpec(run_id), tree)):
        (container,) = engine.containers.list(filters={"label": f"autofix.run={run_id}"})
        slow_to_read(monkeypatch)
        stream = ExecStream(engine.api, container.id, ["echo", "hello"], User(0, 0), directory="/", stdin=False)
        pieces = list(iter(lambda: stream.receive(Deadline.after(LONG)), None))
        monkeypatch.undo()
        stream.close()
    assert b"".join(pieces) == b"hello\n"


def test_a_busy_machine_loses_nothing_of_a_tree(run_id: str, tree: Path, monkeypatch):
    with closing(DockerRoom(translate=in_our_own_container).open(SandboxSpec(run_id), tree)) as sandbox:
        slow_to_read(monkeypatch)
        ran(sandbox, "echo out > made")
        monkeypatch.undo()
    assert (tree / "made").read_text() == "out\n"
    assert (tree / "src" / "calc.py").read_text() == "x = 1\n"


def test_this_machine_s_engine_mounts(run_id: str, tree: Path):
    with closing(DockerRoom().open(SandboxSpec(run_id), tree)) as sandbox:
        assert mode(sandbox) == "mount"


# --- what the listing is believed to say


def line(path: str, kind: str = "81a4", when: str = "2026-12-01 07:01:55.851898456 +0000") -> str:
    return f"{kind} 6 12 1 {when} {path}\n"


TOP, END = line(".", "41ed"), "whole\n"


def test_a_listing_is_read_by_path():
    listed = read_listing(TOP + line("./src", "41ed") + line("./src/a b .") + line("./ .") + END)
    assert listed is not None
    assert list(listed) == ["src", "src/a b .", " ."]


@pytest.mark.parametrize(
    "text",
    [
        TOP + line("./a") + line("./a") + END,
        TOP + line("./a\nb") + END,
        TOP + line("./a\nwhole") + END,
        TOP + line("./a") + "\n" + END,
        TOP + line("/etc/passwd") + END,
        TOP + line("./a", when="2026-12-01 07:01:55.000000000 +0000") + END,
        "find: cannot open\n" + TOP + line("./a") + END,
        "",
        END,
        line("./a") + END,
        TOP + line("./a"),
        TOP + line("./a") + END[:3],
    ],
    ids=[
        "twice",
        "line break",
        "forged end",
        "empty line",
        "outside",
        "whole seconds",
        "complaint",
        "nothing",
        "only the end",
        "no beginning",
        "no end",
        "half an end",
    ],
)
def test_a_listing_that_cannot_be_relied_upon_is_none(text: str):
    assert read_listing(text) is None


def test_the_bound_on_a_tree_is_above_every_real_one():
    assert tree_archive.MOST_BYTES >= 4 * 1024**3
