from pathlib import Path

import pytest

from autofix.errors import SandboxUnavailable
from autofix.world.own_container import container_of, engine_path, shared_in

ID = "0123456789abcdef" * 4
MOUNTS = [
    {"Source": "/home/runner/work/_temp", "Destination": "/github/runner_temp"},
    {"Source": "/home/runner/work/_temp/_github_home", "Destination": "/github/home"},
    {"Source": "/home/runner/work/widgets/widgets", "Destination": "/github/workspace"},
    {"Source": "/var/run/docker.sock", "Destination": "/var/run/docker.sock"},
]


def test_the_own_container_is_read_from_the_kernels_mounts():
    line = f"612 590 8:1 /var/lib/docker/containers/{ID}/resolv.conf /etc/resolv.conf rw - ext4 /dev/sda1 rw\n"
    assert container_of(f"590 1 0:50 / / rw - overlay overlay rw\n{line}") == ID


@pytest.mark.parametrize(
    "mountinfo",
    [
        "",
        "590 1 0:50 / / rw - overlay overlay rw\n",
        f"612 590 8:1 /home/me/containers/{ID}/notes /mnt/notes rw - ext4 /dev/sda1 rw\n",
    ],
)
def test_no_container_is_seen_where_there_is_none(mountinfo):
    assert container_of(mountinfo) == ""


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("/github/runner_temp/autofix/runs/r1/trees/a", "/home/runner/work/_temp/autofix/runs/r1/trees/a"),
        ("/github/workspace", "/home/runner/work/widgets/widgets"),
        ("/github/home/x", "/home/runner/work/_temp/_github_home/x"),
    ],
)
def test_a_path_is_what_its_mount_makes_of_it(ours, theirs):
    assert engine_path(Path(ours), MOUNTS) == theirs


@pytest.mark.parametrize("path", ["/tmp/state", "/github/workspace-evil", "/github"])
def test_a_path_outside_every_mount_is_refused(path):
    with pytest.raises(SandboxUnavailable, match="mounted from the host"):
        engine_path(Path(path), MOUNTS)


MOUNTINFO = """\
590 1 0:50 / / rw - overlay overlay rw
612 590 8:1 /home/runner/work/_temp /github/runner_temp rw - ext4 /dev/sda1 rw
"""


@pytest.mark.parametrize(
    ("path", "shared"), [("/github/runner_temp/x", True), ("/tmp", False), ("/github/runner_temp2", False)]
)
def test_only_what_lies_on_a_mount_of_its_own_can_be_shared(path, shared):
    assert shared_in(MOUNTINFO, Path(path)) is shared
