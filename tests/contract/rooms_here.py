"""The rooms of this machine, for contract tests: a room that CI must have is never skipped there."""

from __future__ import annotations

import contextlib
import os

import pytest

from autofix.ports.sandbox import Room
from autofix.world.rooms import room

EVERY_ROOM = [
    "host",
    pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
    pytest.param("docker:copy", marks=pytest.mark.docker),
]
"""`docker:copy` is the docker room whose trees are copied in and out."""
WALLED_ROOMS = EVERY_ROOM[1:]


def room_or_skip(name: str) -> Room:
    kind, _, files = name.partition(":")
    found = room(kind, files or "auto")
    reason = found.unavailable()
    if reason is not None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have this room: {reason}")
        pytest.skip(reason)
    return found


def forget_images(run_id: str) -> None:
    """Remove the images a test made, the ones made from others first."""
    import docker

    with contextlib.closing(docker.from_env()) as client:
        for _ in range(3):
            for image in client.images.list(filters={"label": f"autofix.run={run_id}"}):
                with contextlib.suppress(docker.errors.APIError):  # another was made from it: next time round
                    client.images.remove(image.id, force=True)
