"""Fixtures around a fake GitHub: a test fails where GitHub would not have understood it.

One repository `acme/widgets`, one pull request number 7 on a branch whose name needs quoting, one token.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autofix.world.github_api import GitHubApi, open_github
from tests.fakes.clock import FakeClock
from tests.fakes.github_server import FakeGitHub
from tests.fakes.github_state import PullState, Repo

TOKEN = "ghs_secret"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    server = FakeGitHub(tmp_path / "github")
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def repo(github: FakeGitHub) -> Repo:
    github.state.add_token(TOKEN)
    repo = github.state.add_repo("acme/widgets")
    github.state.commit(repo, "main", {"a.py": "x = 1\n", "b.py": "y = 1\n"}, "First")
    return repo


@pytest.fixture
def pull(github: FakeGitHub, repo: Repo) -> PullState:
    github.state.commit(repo, "feature/é", {"a.py": "x = 2\n", "c é.py": "z = 1\n"}, "Second", start="main")
    return github.state.add_pull(repo, "feature/é", number=7, body="Please.")


@pytest.fixture
def door(github: FakeGitHub, repo: Repo, clock: FakeClock) -> GitHubApi:
    return opened(github, clock)


def opened(github: FakeGitHub, clock: FakeClock, token: str = TOKEN, patience: float = 120) -> GitHubApi:
    return open_github(
        "acme/widgets", token, clock, api_url=github.api_url, patience=patience, seconds_between_writes=None
    )
