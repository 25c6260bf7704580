"""A stage for the action."""

from pathlib import Path

import pytest

from tests.fakes.github_fixture import github
from tests.fakes.github_server import FakeGitHub
from tests.scenarios.action.stage import Stage

__all__ = ["github"]


@pytest.fixture
def stage(github: FakeGitHub, tmp_path: Path) -> Stage:
    return Stage(github, tmp_path / "job")
