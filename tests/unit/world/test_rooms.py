from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autofix.errors import SandboxUnavailable, UsageError
from autofix.world.rooms import best_room, reasons, room


@pytest.mark.parametrize("name", ["docker", "bubblewrap", "host"])
def test_each_room_is_found_by_its_name(name: str):
    assert room(name).name == name


def test_an_unknown_room_is_refused_with_the_names_there_are():
    with pytest.raises(UsageError, match="choose docker, bubblewrap or host"):
        room("podman")


def test_an_engine_that_does_not_answer_is_a_reason_and_the_next_room_is_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert best_room(("docker", "host")).name == "host"
    told = reasons(("docker", "host"))
    assert "no Docker engine answers" in (told["docker"] or "")
    assert told["host"] is None


def test_no_room_at_all_says_why_for_each(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(SandboxUnavailable, match="docker: no Docker engine answers"):
        best_room(("docker",))


def test_the_host_is_never_chosen_unasked():
    from autofix.world.rooms import DEFAULT_CANDIDATES

    assert "host" not in DEFAULT_CANDIDATES


def test_the_engines_library_is_not_loaded_where_no_engine_answers():
    script = (
        "import sys; from autofix.world.rooms import room; assert room('docker').unavailable(); "
        "sys.exit('docker' in sys.modules or 'requests' in sys.modules)"
    )
    environment = {**os.environ, "DOCKER_HOST": "unix:///nowhere/docker.sock"}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0
