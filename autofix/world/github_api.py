"""`ports.github.GitHub` over the network: the parts of the door put together."""

from urllib.parse import urlsplit

from autofix.ports.clock import Clock
from autofix.world.github_checks import CheckEndpoints
from autofix.world.github_commits import CommitEndpoints
from autofix.world.github_conversation import ConversationEndpoints
from autofix.world.github_download import Storage
from autofix.world.github_pulls import PullEndpoints
from autofix.world.github_rest import PATIENCE, Rest, connect

PUBLIC_API = "https://api.github.com"


class GitHubApi(PullEndpoints, CheckEndpoints, ConversationEndpoints, CommitEndpoints):
    """One repository on github.com or an Enterprise server."""

    def __init__(self, rest: Rest, storage: Storage, full_name: str) -> None:
        super().__init__(rest, full_name)
        self._storage = storage


def open_github(
    full_name: str,
    token: str,
    clock: Clock,
    *,
    api_url: str = PUBLIC_API,
    patience: float = PATIENCE,
    seconds_between_writes: float | None = 1.0,
) -> GitHubApi:
    """The door to `owner/name`.

    Args:
        full_name: which repository.
        token: GITHUB_TOKEN, an App's installation token or a personal one.
        clock: waits for limits.
        api_url: GITHUB_API_URL; plain http is for servers inside a closed network.
        patience: seconds one call may wait for limits and faults.
        seconds_between_writes: GitHub asks for one; None for none.
    """
    requester = connect(token, api_url, seconds_between_writes=seconds_between_writes)
    storage = Storage(clock, insecure=urlsplit(api_url).scheme == "http")
    return GitHubApi(Rest(requester, clock, patience), storage, full_name)
