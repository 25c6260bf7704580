"""The stage for scenarios, and the rooms of this machine they play in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.rooms_here import room_or_skip
from tests.scenarios.scene import PATH, Scene, allow_everything


@pytest.fixture(scope="session", autouse=True)
def _the_path_of_the_interpreter() -> Iterator[None]:
    """Rooms take PATH from this process; `python` there must be one that has pytest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{PATH}:{os.environ.get('PATH', '')}")
        yield


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """A stage without isolation: the host's room, which asks for nothing. Fast, for what is not about walls."""
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture(
    params=[
        pytest.param("bubblewrap", marks=pytest.mark.bubblewrap),
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("docker:copy", marks=pytest.mark.docker),
    ]
)
def walled(request: pytest.FixtureRequest, scene: Scene) -> Scene:
    """A stage with walls: the same scenario in bubblewrap and in Docker, whose trees are mounted or copied."""
    room_or_skip(request.param)
    room, _, files = request.param.partition(":")
    scene.options = {"sandbox": room, **({"sandbox_files": files} if files else {})}
    return scene


@pytest.fixture
def in_bubblewrap(scene: Scene) -> Scene:
    room_or_skip("bubblewrap")
    scene.options = {"sandbox": "bubblewrap"}
    return scene


@pytest.fixture
def gate_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate's answer forced to "allow". No input of a run can do that, so the module's name is replaced."""
    monkeypatch.setattr("autofix.pipeline.gatekeeping.decide", allow_everything)
