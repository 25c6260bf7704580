from __future__ import annotations

import pytest

from autofix.errors import SandboxUnavailable
from autofix.ports.sandbox import MIB, SandboxSpec
from autofix.world.docker_walls import (
    environment,
    labels,
    network_mode,
    sandbox_options,
    setup_options,
    tree_mount,
    volume_mount,
)

SPEC = SandboxSpec("run-1", memory_bytes=64 * MIB, cpus=1.5, pids=50, tmp_bytes=MIB, file_bytes=2 * MIB)


def test_a_sandbox_has_every_wall():
    options = sandbox_options(SPEC, runtime=None)
    assert options["network_mode"] == "none"
    assert options["cap_drop"] == ["ALL"]
    assert "cap_add" not in options
    assert "privileged" not in options
    assert options["security_opt"] == ["no-new-privileges:true"]  # and so the engine's default seccomp profile
    assert options["read_only"] is True
    assert options["ipc_mode"] == "private"
    assert "pid_mode" not in options
    assert (options["pids_limit"], options["nano_cpus"]) == (50, 1_500_000_000)
    assert options["mem_limit"] == options["memswap_limit"] == 64 * MIB
    assert options["tmpfs"] == {"/tmp": f"rw,exec,nosuid,nodev,size={MIB},mode=1777"}
    limits = {limit["Name"]: (limit["Soft"], limit["Hard"]) for limit in options["ulimits"]}
    assert limits == {"fsize": (2 * MIB, 2 * MIB), "core": (0, 0), "nofile": (4096, 4096)}
    assert options["init"] is True
    assert options["entrypoint"][0] == "sleep"
    assert options["healthcheck"] == {"test": ["NONE"]}


@pytest.mark.parametrize(
    "options",
    [sandbox_options(SPEC, runtime=None), setup_options(network="bridge", runtime=None)],
    ids=["sandbox", "setup"],
)
def test_nothing_is_mounted_but_what_the_caller_adds_and_nothing_is_told_by_environment(options: dict):
    assert not options.keys() & {"mounts", "volumes", "environment", "volumes_from", "devices", "links", "extra_hosts"}
    assert "no-new-privileges:true" in options["security_opt"]


def test_a_tree_is_one_mount_and_so_is_its_copy_which_takes_nothing_from_the_image():
    tree, copy = tree_mount("/trees/a"), volume_mount("autofix-0a1b")
    assert (tree["Type"], tree["Source"], tree["Target"]) == ("bind", "/trees/a", "/workspace")
    assert (copy["Type"], copy["Source"], copy["Target"]) == ("volume", "autofix-0a1b", "/workspace")
    assert copy["VolumeOptions"] == {"NoCopy": True}


def test_a_runtime_is_passed_on_only_when_chosen():
    assert "runtime" not in sandbox_options(SPEC, runtime=None)
    assert sandbox_options(SPEC, runtime="runsc")["runtime"] == "runsc"


@pytest.mark.parametrize("name", ["none", "bridge", "github_network_0a1b"])
def test_a_network_of_its_own_is_taken_by_name(name: str):
    assert network_mode(name) == name


@pytest.mark.parametrize("name", ["host", "host ", "container:abc", "ns:/proc/1/ns/net"])
def test_the_network_of_the_machine_or_of_another_is_refused(name: str):
    with pytest.raises(SandboxUnavailable):
        network_mode(name)


def test_of_an_images_environment_only_the_path_and_tool_homes_are_seen():
    image = ["PATH=/opt/x/bin:/usr/bin", "RUSTUP_HOME=/usr/local/rustup", "TOKEN=secret", "HOME=/root", "broken"]
    assert environment(image, "/tmp") == {
        "PATH": "/opt/x/bin:/usr/bin",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "CI": "true",
        "RUSTUP_HOME": "/usr/local/rustup",
    }


def test_an_image_can_add_three_names_at_most():
    homes = [f"{name}=/x" for name in ("JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "GOPATH", "GOROOT")]
    assert len(environment(homes, "/tmp")) == 8


def test_labels_name_the_run_and_its_owner():
    assert labels("r", "o") == {"autofix.run": "r", "autofix.owner": "o"}
