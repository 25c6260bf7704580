"""What only the Docker room promises: its walls as read and tried from inside, and that nothing stays behind.

Every attempt runs without the gate, as a hijacked model would make it.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import docker
import pytest

from autofix.errors import SandboxBroken, SandboxUnavailable
from autofix.ports.sandbox import MIB, Files, SandboxSpec, ShellCommand
from autofix.world.docker_room import DockerRoom
from autofix.world.docker_sandbox import DockerSandbox
from autofix.world.docker_supervisor import SUPERVISOR
from tests.contract.rooms_here import forget_images, room_or_skip

pytestmark = pytest.mark.docker
LONG = 60.0
COUNT = "set -- /proc/[0-9]*; echo $#"
ALONE = "4\n"  # the container's init, its main process, the supervisor, and the shell that counts


@pytest.fixture(scope="module")
def engine() -> Iterator[docker.DockerClient]:
    room_or_skip("docker")
    with closing(docker.from_env()) as client:
        yield client


@pytest.fixture
def run_id(engine: docker.DockerClient) -> Iterator[str]:
    """A run's id; whatever a failed test left under it is removed."""
    name = f"test-{uuid.uuid4().hex}"
    yield name
    for container in labelled(engine, name):
        with suppress(docker.errors.APIError):  # it is being removed already
            container.remove(force=True, v=True)
    forget_images(name)


@pytest.fixture(params=["mount", "copy"])
def files(request: pytest.FixtureRequest) -> Files:
    return request.param


@pytest.fixture
def sandbox(run_id: str, tmp_path: Path, files: Files) -> Iterator[DockerSandbox]:
    opened = DockerRoom(files=files).open(SandboxSpec(run_id, pids=64, file_bytes=32 * MIB), tmp_path)
    yield opened
    opened.close()


def labelled(engine: docker.DockerClient, run_id: str) -> list:
    return engine.containers.list(all=True, filters={"label": f"autofix.run={run_id}"}, ignore_removed=True)


def ran(sandbox: DockerSandbox, script: str) -> str:
    result = sandbox.run(ShellCommand(script, LONG))
    assert result.exit_code == 0, result.text
    return result.text


# --- no network


class Listener:
    """A real service of this machine; counts who comes."""

    def __init__(self, kind: int, address, family: int = socket.AF_INET) -> None:
        self.socket = socket.socket(family, kind)
        self.socket.bind(address)
        if kind == socket.SOCK_STREAM:
            self.socket.listen()
        self.came = 0
        self._thread = threading.Thread(target=self._serve, args=(kind,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return self.socket.getsockname()[1]

    def _serve(self, kind: int) -> None:
        while True:
            try:
                if kind == socket.SOCK_STREAM:
                    self.socket.accept()[0].close()
                else:
                    self.socket.recvfrom(100)
            except OSError:
                return
            self.came += 1

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR) if self.socket.type == socket.SOCK_STREAM else None
        self.socket.close()


def gateway(engine: docker.DockerClient) -> str:
    configs = engine.networks.get("bridge").attrs["IPAM"]["Config"] or []
    return next((config["Gateway"] for config in configs if "Gateway" in config), "172.17.0.1")


ATTEMPTS = r"""
import json, socket, sys
def tried(attempt):
    try:
        attempt()
    except TimeoutError:
        return "silence"
    except OSError as error:
        return "refused: " + type(error).__name__
    return "reached"
def tcp(host, port):
    return lambda: socket.create_connection((host, port), timeout=1).close()
def unix(path):
    def attempt():
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(1)
            s.connect(path)
    return attempt
def udp(host, port):
    def attempt():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.sendto(b"x", (host, port))
    return attempt
gateway, tcp_port, loop_port, udp_port, abstract = sys.argv[1:]
print(json.dumps({
    "public": tried(tcp("1.1.1.1", 443)),
    "metadata": tried(tcp("169.254.169.254", 80)),
    "bridge gateway": tried(tcp(gateway, int(tcp_port))),
    "host loopback": tried(tcp("127.0.0.1", int(loop_port))),
    "udp": tried(udp(gateway, int(udp_port))),
    "dns": tried(lambda: socket.getaddrinfo("example.com", 443)),
    "docker.sock": tried(unix("/var/run/docker.sock")),
    "abstract unix": tried(unix("\0" + abstract)),
}))
"""


def test_no_target_is_reached_by_any_protocol_and_each_attempt_fails_at_once(
    engine: docker.DockerClient, sandbox: DockerSandbox, tmp_path: Path
):
    bridge = gateway(engine)
    abstract = f"autofix-test-{uuid.uuid4().hex}"
    listeners = [
        Listener(socket.SOCK_STREAM, (bridge, 0)),
        Listener(socket.SOCK_STREAM, ("127.0.0.1", 0)),
        Listener(socket.SOCK_DGRAM, (bridge, 0)),
        Listener(socket.SOCK_STREAM, "\0" + abstract, socket.AF_UNIX),
    ]
    try:
        socket.create_connection((bridge, listeners[0].port), timeout=5).close()  # it does listen
        (tmp_path / "attempts.py").write_text(ATTEMPTS)
        ports = " ".join(str(listener.port) for listener in listeners[:3])
        said = json.loads(ran(sandbox, f"python3 attempts.py {bridge} {ports} {abstract}"))
    finally:
        for listener in listeners:
            listener.close()
    assert len(said) == 8
    assert [target for target, outcome in said.items() if not outcome.startswith("refused")] == []
    assert [listener.came for listener in listeners] == [1, 0, 0, 0]


@pytest.mark.parametrize("network", ["host", "container:other", "ns:/proc/1/ns/net"])
def test_a_network_that_belongs_to_the_machine_is_refused(run_id: str, tmp_path: Path, network: str):
    with pytest.raises(SandboxUnavailable, match="open the machine"):
        DockerRoom().open(SandboxSpec(run_id, network=network), tmp_path)


def test_a_setup_may_not_use_the_machines_network_either(run_id: str, tmp_path: Path):
    with pytest.raises(SandboxUnavailable, match="open the machine"):
        DockerRoom(setup_network="host").prepare(SandboxSpec(run_id, setup_command="true"), tmp_path)


# --- the walls, read from inside

FACTS = r"""
status() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
first() { cat "$@" 2>/dev/null | head -n 1; }
echo "uid $(id -u)"
echo "capeff $(status CapEff)"
echo "capbnd $(status CapBnd)"
echo "nnp $(status NoNewPrivs)"
echo "seccomp $(status Seccomp)"
echo "root $(awk '$2 == "/" {print substr($4, 1, 2)}' /proc/mounts)"
echo "pids $(first /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max)"
echo "memory $(first /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)"
echo "env $(env | sed 's/=.*//' | sort | tr '\n' ' ')"
echo "github $(ls -d /github /github/home /github/workflow /github/file_commands 2>/dev/null | wc -l)"
echo "sockets $(find / -xdev -type s 2>/dev/null | wc -l) $(ls /var/run/docker.sock /run/docker.sock 2>/dev/null | wc -l)"
echo "interfaces $(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' \n')"
"""


def test_twelve_facts_read_from_inside(sandbox: DockerSandbox):
    facts = dict(line.split(" ", 1) for line in ran(sandbox, FACTS).splitlines())
    assert int(facts["uid"]) != 0
    assert facts["capeff"] == "0" * 16
    assert facts["capbnd"] == "0" * 16
    assert facts["nnp"] == "1"
    assert facts["seccomp"] == "2"
    assert facts["root"] == "ro"
    assert int(facts["pids"]) <= 256
    assert int(facts["memory"]) <= 2048 * MIB
    assert set(facts["env"].split()) <= {"PATH", "HOME", "TMPDIR", "LANG", "CI", "PWD", "SHLVL", "_"}
    assert facts["github"] == "0"
    assert facts["sockets"] == "0 0"
    assert facts["interfaces"] == "lo"


def test_the_only_thing_of_the_machine_that_is_mounted_is_the_tree(sandbox: DockerSandbox):
    own = ("/etc/resolv.conf", "/etc/hostname", "/etc/hosts", "/usr/sbin/docker-init", "/sbin/docker-init")
    mounts = [line.split() for line in ran(sandbox, "cat /proc/self/mounts").splitlines()]
    disks = {fields[1] for fields in mounts if fields[0].startswith("/dev/")}
    assert disks - set(own) == {"/workspace"}


@pytest.mark.parametrize(
    "script",
    [
        "unshare -U true",
        "unshare -n true",
        "mount -t tmpfs none /mnt",
        "mknod /tmp/d b 8 0",
        "chown 0:0 /tmp/mine",
        "nice -n -5 true 2>&1 | grep .",
        "kill -9 1",
        "cat /proc/1/environ",
        "dmesg",
    ],
    ids=lambda script: script.split()[0] + script.split()[1][:6] if " " in script else script,
)
def test_a_privileged_act_fails(sandbox: DockerSandbox, script: str):
    result = sandbox.run(ShellCommand(f"touch /tmp/mine; {script}", LONG))
    refused = result.exit_code != 0 or "denied" in result.text or "not permitted" in result.text
    assert refused, result.text


def test_an_image_whose_environment_is_full_shows_eight_names_of_its_own_at_most(
    engine: docker.DockerClient, run_id: str, tmp_path: Path
):
    names = {f"BAKED_{count}": "x" for count in range(20)} | {"JAVA_HOME": "/j", "GOPATH": "/g"}
    image = derived(engine, run_id, environment=names)
    with closing(DockerRoom().open(SandboxSpec(run_id, image=image), tmp_path)) as sandbox:
        seen = {line.partition("=")[0] for line in ran(sandbox, "env").splitlines()} - {"PWD", "SHLVL", "_"}
    assert seen == {"PATH", "HOME", "TMPDIR", "LANG", "CI", "JAVA_HOME", "GOPATH"}


def test_an_images_entry_point_and_health_check_have_no_say(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    image = derived(engine, run_id, changes=['ENTRYPOINT ["/bin/false"]', "USER 12345", "WORKDIR /var"])
    with closing(DockerRoom().open(SandboxSpec(run_id, image=image), tmp_path)) as sandbox:
        assert ran(sandbox, "pwd; id -u").split() == ["/workspace", str(expected_uid(tmp_path))]


def expected_uid(tree: Path) -> int:
    return tree.stat().st_uid or 65534


def derived(engine: docker.DockerClient, run_id: str, *, environment=None, changes=()) -> str:
    """An image made from the default one, removed with the run."""
    labels = {"autofix.run": run_id}
    container = engine.containers.create("python:3.13-slim", ["true"], environment=environment or {}, labels=labels)
    try:
        return container.commit("autofix-test", run_id, changes=list(changes) or None).id
    finally:
        container.remove()


# --- what hurts

BOMBS = {
    "fork bomb": "bomb() { bomb | bomb & }; bomb; sleep 600",
    "fork bomb that leaves": ":(){ :|:& };:",
    "ten gigabytes in a file": "head -c 10G /dev/zero > big; exit 1",
    "endless output": "yes",
    "endless memory": "python3 -c 'x = []\nwhile True: x.append(bytearray(10_000_000))'",
    "daemonised child": "setsid sh -c 'trap \"\" TERM; while :; do :; done' >/dev/null 2>&1 & sleep 600",
    "sleep past the limit": "trap '' TERM; sleep 600",
    "kills all it can, for ever": "(while :; do kill -9 -1; done) & while :; do kill -9 -1; done",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_the_sandbox_answers_after(run_id: str, tmp_path: Path, files: Files, kind: str):
    spec = SandboxSpec(run_id, pids=64, file_bytes=32 * MIB, memory_bytes=128 * MIB)
    with closing(DockerRoom(files=files).open(spec, tmp_path)) as sandbox:
        result = sandbox.run(ShellCommand(BOMBS[kind], 1.5))
        assert result.timed_out or result.exit_code != 0 or kind == "fork bomb that leaves"
        assert len(result.head) + len(result.tail) <= MIB
        assert ran(sandbox, COUNT) == ALONE


def test_memory_past_the_limit_is_reported_as_137(run_id: str, tmp_path: Path):
    spec = SandboxSpec(run_id, memory_bytes=64 * MIB)
    with closing(DockerRoom().open(spec, tmp_path)) as sandbox:
        result = sandbox.run(ShellCommand("python3 -c 'bytearray(10**9)'", LONG))
        assert (result.exit_code, result.timed_out) == (137, False)
        assert ran(sandbox, "echo alive") == "alive\n"


def test_the_temporary_directory_is_bounded(run_id: str, tmp_path: Path):
    with closing(DockerRoom().open(SandboxSpec(run_id, tmp_bytes=4 * MIB), tmp_path)) as sandbox:
        result = sandbox.run(ShellCommand("head -c 8M /dev/zero > /tmp/big", LONG))
    assert "No space left" in result.text


def test_sixty_four_megabytes_come_out_of_scratch_byte_for_byte(run_id: str, tmp_path: Path):
    with closing(DockerRoom().open(SandboxSpec(run_id), tmp_path)) as sandbox:
        ran(sandbox, "head -c 70M /dev/urandom > /tmp/report; head -c 64M /tmp/report | sha256sum | cut -c1-64 > sum")
        data = sandbox.read("report", 64 * MIB)
    import hashlib

    assert data is not None
    assert hashlib.sha256(data).hexdigest() == (tmp_path / "sum").read_text().strip()


# --- the supervisor


def test_a_command_that_ends_the_supervisor_is_a_killed_command(sandbox: DockerSandbox):
    result = sandbox.run(ShellCommand("echo before; kill -9 $PPID; sleep 600", 2.0))
    assert result.head == b"before\n"
    assert result.exit_code == 137
    assert ran(sandbox, COUNT) == ALONE


def test_kill_everything_ends_only_the_commands(sandbox: DockerSandbox):
    result = sandbox.run(ShellCommand("sleep 600 & kill -9 -1; exit 4", LONG))
    assert (result.exit_code, result.timed_out) == (137, False)
    assert ran(sandbox, COUNT) == ALONE


def test_a_container_that_is_gone_is_a_broken_sandbox_and_no_failed_command(
    engine: docker.DockerClient, run_id: str, sandbox: DockerSandbox
):
    labelled(engine, run_id)[0].kill()
    with pytest.raises(SandboxBroken):
        sandbox.run(ShellCommand("true", LONG))


def test_a_container_removed_under_a_command_is_a_broken_sandbox(
    engine: docker.DockerClient, run_id: str, sandbox: DockerSandbox
):
    ran(sandbox, "true")
    threading.Timer(0.3, labelled(engine, run_id)[0].remove, kwargs={"force": True}).start()
    with pytest.raises(SandboxBroken):
        sandbox.run(ShellCommand("sleep 600", LONG))


@pytest.mark.parametrize("shell", ["dash", "bash", "bash --posix", "/workspace/busybox sh"])
def test_the_supervisor_is_plain_posix_shell(sandbox: DockerSandbox, tmp_path: Path, shell: str):
    if "busybox" in shell:
        busybox = shutil.which("busybox")
        if busybox is None:
            pytest.skip("no busybox on this machine")
        shutil.copy(busybox, tmp_path / "busybox")
    sandbox._drop_stream()
    at = sandbox._supervisor.index("sh")
    sandbox._supervisor[at:] = [*shell.split(), "-c", SUPERVISOR]
    every_byte = bytes(range(1, 256)).decode("utf-8", "surrogateescape")
    script = "printf %s '" + every_byte.replace("'", "'\\''") + "'; sleep 600 & exit 3"
    result = sandbox.run(ShellCommand(script, LONG))
    assert (result.exit_code, result.head) == (3, bytes(range(1, 256)))
    assert sandbox.run(ShellCommand("kill -11 $$", LONG)).exit_code == 139
    assert ran(sandbox, COUNT) == ALONE
    ran(sandbox, "printf 'a\\0b' > /tmp/f")
    assert sandbox.read("f", 10) == b"a\0b"


# --- nothing stays behind


def test_no_container_is_left_after_closing(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    sandbox = DockerRoom().open(SandboxSpec(run_id), tmp_path)
    assert len(labelled(engine, run_id)) == 1
    sandbox.close()
    assert labelled(engine, run_id) == []


def test_an_anonymous_volume_of_the_image_is_removed_with_it(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    image = derived(engine, run_id, changes=["VOLUME /data"])
    sandbox = DockerRoom().open(SandboxSpec(run_id, image=image), tmp_path)
    (container,) = labelled(engine, run_id)
    volumes = [mount["Name"] for mount in container.attrs["Mounts"] if mount["Type"] == "volume"]
    sandbox.close()
    assert len(volumes) == 1
    assert [volume.id for volume in engine.volumes.list() if volume.id in volumes] == []


def empty_image(engine: docker.DockerClient, run_id: str) -> str:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("nothing"))
    changes = [f"LABEL autofix.run={run_id}", "ENV PATH=/bin"]
    said = engine.api.import_image_from_data(archive.getvalue(), repository="autofix-test", tag=run_id, changes=changes)
    return re.search(r"sha256:[0-9a-f]{64}", said)[0]


def without_a_source(_: Path) -> str:
    return "/nowhere/at/all"


def test_no_container_is_left_when_it_cannot_start(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    spec = SandboxSpec(run_id, image=empty_image(engine, run_id))
    with pytest.raises(SandboxUnavailable):
        DockerRoom().open(spec, tmp_path)
    assert labelled(engine, run_id) == []


def test_no_container_is_left_when_no_shell_answers(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    image = derived(engine, run_id)
    container = engine.containers.create(image, ["rm", "/bin/sh", "/bin/dash"], labels={"autofix.run": run_id})
    container.start()
    container.wait()
    spec = SandboxSpec(run_id, image=container.commit("autofix-test", f"{run_id}-mute").id)
    container.remove()
    with pytest.raises(SandboxUnavailable, match="must hold sh"):
        DockerRoom().open(spec, tmp_path)
    assert labelled(engine, run_id) == []


def test_no_container_is_left_when_the_tree_cannot_be_mounted(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    with pytest.raises(SandboxUnavailable, match="cannot be made"):
        DockerRoom(translate=without_a_source).open(SandboxSpec(run_id), tmp_path)
    assert labelled(engine, run_id) == []


def test_an_image_that_is_nowhere_is_unavailable_with_its_name(run_id: str, tmp_path: Path):
    with pytest.raises(SandboxUnavailable, match="localhost:1/no-such-image"):
        DockerRoom().open(SandboxSpec(run_id, image="localhost:1/no-such-image:none"), tmp_path)


OTHER_HARNESS = """
import sys, time
from pathlib import Path
from autofix.ports.sandbox import SandboxSpec
from autofix.world.docker_room import DockerRoom
sandbox = DockerRoom().open(SandboxSpec(sys.argv[1]), Path(sys.argv[2]))
print("open", flush=True)
time.sleep(600)
"""


def test_what_a_killed_harness_left_is_swept_by_the_next_and_what_a_living_one_uses_is_not(
    engine: docker.DockerClient, run_id: str, tmp_path: Path
):
    argv = [sys.executable, "-c", OTHER_HARNESS, run_id, str(tmp_path)]
    other = subprocess.Popen(argv, stdout=subprocess.PIPE, env=dict(os.environ))
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        DockerRoom().sweep()
        assert len(labelled(engine, run_id)) == 1
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
        other.stdout.close()
    DockerRoom().sweep()
    assert labelled(engine, run_id) == []


# --- setup


def test_setup_installs_with_network_and_the_sandbox_has_it_without(
    engine: docker.DockerClient, run_id: str, tmp_path: Path
):
    room = DockerRoom()
    install = "pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-cache-dir six"
    spec = SandboxSpec(run_id, setup_command=install)
    room.prepare(spec, tmp_path)
    with closing(room.open(spec, tmp_path)) as sandbox:
        assert ran(sandbox, "python3 -c 'import six; print(six.__name__)'") == "six\n"
        assert sandbox.run(ShellCommand(install.replace("six", "toml"), LONG)).exit_code != 0
    assert labelled(engine, run_id) == []


def prepared(spec: SandboxSpec, tree: Path) -> str:
    """When the setup that a new room uses for this tree was made."""
    room = DockerRoom()
    room.prepare(spec, tree)
    with closing(room.open(spec, tree)) as sandbox:
        return ran(sandbox, "cat /opt/made")


def test_setup_runs_once_for_a_key_and_again_when_a_file_it_depends_on_changes(run_id: str, tmp_path: Path):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("one")
    command = f"cp requirements.txt /opt/kept; date +%s.%N > /opt/made # {run_id}"
    spec = SandboxSpec(run_id, setup_command=command, setup_files=("requirements.txt", "missing.txt"))
    first = prepared(spec, tmp_path)
    assert prepared(spec, tmp_path) == first
    requirements.write_text("two")
    assert prepared(spec, tmp_path) != first


def test_what_changes_in_the_tree_after_setup_does_not_change_the_setup_in_use(run_id: str, tmp_path: Path):
    (tmp_path / "requirements.txt").write_text("two")
    spec = SandboxSpec(run_id, setup_command="cp requirements.txt /opt/kept", setup_files=("requirements.txt",))
    room = DockerRoom()
    room.prepare(spec, tmp_path)
    (tmp_path / "requirements.txt").write_text("three, by the model")
    with closing(room.open(spec, tmp_path)) as sandbox:
        assert ran(sandbox, "cat /opt/kept") == "two"


def test_a_setup_that_left_files_in_its_tree_runs_again_for_the_next_tree(run_id: str, tmp_path: Path):
    spec = SandboxSpec(run_id, setup_command="mkdir node_modules && touch node_modules/left")
    for name in ("one", "other"):
        tree = tmp_path / name
        tree.mkdir()
        DockerRoom().prepare(spec, tree)
        assert (tree / "node_modules" / "left").is_file()


def test_a_setup_is_not_shared_between_heads_unless_its_files_are_named(run_id: str, tmp_path: Path):
    made = {
        head: prepared(SandboxSpec(run_id, setup_command="date +%s.%N > /opt/made", setup_depends_on=head), tmp_path)
        for head in ("a", "b")
    }
    assert made["a"] != made["b"]


def test_a_sandbox_without_its_setup_is_unavailable(run_id: str, tmp_path: Path):
    spec = SandboxSpec(run_id, setup_command=f"true # {run_id}")
    with pytest.raises(SandboxUnavailable, match="prepare"):
        DockerRoom().open(spec, tmp_path)


def test_what_setup_wrote_to_the_tree_can_be_changed_by_commands(run_id: str, tmp_path: Path):
    spec = SandboxSpec(run_id, setup_command="mkdir build && touch build/out")
    room = DockerRoom()
    room.prepare(spec, tmp_path)
    with closing(room.open(spec, tmp_path)) as sandbox:
        assert ran(sandbox, "echo x > build/out; cat build/out") == "x\n"


def test_no_secret_of_ours_is_in_the_setup(run_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOFIX_CANARY", "canary")
    script = "tr '\\0' '\\n' < /proc/1/environ > seen; env >> seen; ls -a /var/run /github >> seen 2>&1; true"
    DockerRoom().prepare(SandboxSpec(run_id, setup_command=script), tmp_path)
    seen = (tmp_path / "seen").read_text()
    assert "PATH=" in seen
    assert "canary" not in seen
    assert "docker.sock" not in seen


def test_a_failed_setup_leaves_neither_container_nor_image(engine: docker.DockerClient, run_id: str, tmp_path: Path):
    with pytest.raises(SandboxBroken, match="no such package"):
        DockerRoom().prepare(SandboxSpec(run_id, setup_command="echo no such package; exit 1"), tmp_path)
    assert labelled(engine, run_id) == []
    assert engine.images.list(filters={"label": f"autofix.run={run_id}"}) == []
