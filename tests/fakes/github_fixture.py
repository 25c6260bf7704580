"""The fixture that gives a test a fake GitHub, and fails the test where GitHub would not have understood it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.github_server import FakeGitHub


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    server = FakeGitHub(tmp_path / "github")
    try:
        yield server
    finally:
        server.close()
