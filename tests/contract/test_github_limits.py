"""GitHub's door when GitHub does not want to: limits, faults, odd answers, cut connections, and other servers' addresses."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from autofix.errors import ForgeError, ForgeForbidden, ForgeNotFound, ForgeUnavailable
from autofix.ports.github import FileWrite
from autofix.world.github_api import open_github
from autofix.world.github_download import Storage
from tests.fakes.github_fixture import TOKEN, clock, door, github, opened, pull, repo
from tests.fakes.github_server import FakeGitHub

__all__ = ["clock", "door", "github", "pull", "repo"]


# --- when GitHub does not want to -----------------------------------------------------------------------------------


def test_a_token_that_is_not_accepted_is_said(github, repo, clock):
    with pytest.raises(ForgeForbidden, match="does not accept the token"):
        opened(github, clock, "wrong").repository()


def test_a_token_without_the_permission_is_told_githubs_words(github, repo, pull, clock):
    github.state.add_token("ro", pull_requests="read")
    with pytest.raises(ForgeForbidden, match="Resource not accessible by integration"):
        opened(github, clock, "ro").create_comment(7, "x")


def test_a_secondary_limit_is_waited_out_as_long_as_it_says_also_for_a_post(github, door, clock, pull):
    github.fail("POST .*/comments", 403, "You have exceeded a secondary rate limit", headers={"Retry-After": "17"})
    door.create_comment(7, "hello")
    assert clock.slept == [17]
    assert [one["body"] for one in github.state.comments.values()] == ["hello"]


def test_a_secondary_limit_without_a_time_waits_a_minute_and_then_two(github, clock, repo):
    door = opened(github, clock, patience=1000)
    github.fail("GET .*widgets$", 429, "Too many requests", times=2)
    door.repository()
    assert clock.slept == [60, 120]


def test_a_spent_limit_waits_for_its_reset(github, door, clock):
    reset = int(clock.now().timestamp()) + 30
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    github.fail("GET .*widgets$", 403, "API rate limit exceeded", headers=headers)
    door.repository()
    assert clock.slept == [31]


def test_a_limit_longer_than_our_patience_is_not_slept_through(github, door, clock):
    github.fail("GET .*widgets$", 403, "You have exceeded a secondary rate limit", headers={"Retry-After": "3600"})
    with pytest.raises(ForgeUnavailable, match="asks to wait 3600 s"):
        door.repository()
    assert clock.slept == []


def test_a_403_that_is_no_limit_is_not_repeated(github, door, clock):
    github.fail("GET .*widgets$", 403, "Resource not accessible by integration")
    with pytest.raises(ForgeForbidden):
        door.repository()
    assert clock.slept == []


@pytest.mark.parametrize("status", [0, 500, 502, 503])
def test_a_read_survives_a_fault(github, door, clock, status):
    github.fail("GET .*widgets$", status, times=2)
    assert door.repository().default_branch == "main"
    assert clock.slept == [1, 2]


def test_a_read_gives_up_after_four_faults(github, door, clock):
    github.fail("GET .*widgets$", 502, "Bad Gateway", times=9)
    with pytest.raises(ForgeUnavailable, match="Bad Gateway"):
        door.repository()
    assert clock.slept == [1, 2, 4]


@pytest.mark.parametrize("status", [0, 502])
@pytest.mark.parametrize("after", [False, True])
def test_a_post_is_never_repeated_after_a_fault(github, door, clock, status, after):
    repo = github.state.repos["acme/widgets"]
    github.state.commit(repo, "feature", {"a.py": "x = 2\n"}, start="main")
    github.state.add_pull(repo, "feature", number=7)
    github.fail("POST .*/comments", status, after=after)
    with pytest.raises(ForgeUnavailable):
        door.create_comment(7, "hello")
    assert len(github.state.comments) == after
    assert clock.slept == []


def test_an_edit_is_repeated_because_twice_is_once(github, door, pull):
    made = door.create_comment(7, "hello")
    github.fail("PATCH .*/comments", 502, after=True)
    assert door.update_comment(made.id, "changed").body == "changed"


def test_an_api_commit_is_never_repeated_after_a_fault(github, door, pull, repo):
    head = repo.head("feature/é")
    github.fail("POST /graphql", 502, after=True)
    with pytest.raises(ForgeUnavailable):
        door.commit_on_branch("feature/é", head, "Fix", "", [FileWrite("a.py", b"1")])
    assert len(github.asked("POST", "/graphql")) == 1
    assert repo.head("feature/é") != head


def test_what_was_read_before_is_asked_for_conditionally_and_is_still_right(github, door, pull):
    door.create_comment(7, "one")
    first = door.comments(7)
    assert door.comments(7) == first
    assert [one.conditional for one in github.asked("GET", "/comments")] == [False, True]
    door.create_comment(7, "two")
    assert [one.body for one in door.comments(7)] == ["one", "two"]


def test_pages_are_kept_each_on_its_own(github, door, pull, repo):
    for number in range(150):
        github.state.add_comment(repo, 7, "eve", str(number))
    first = door.comments(7)
    assert door.comments(7) == first
    assert len(first) == 150
    assert [one.conditional for one in github.asked("GET", "/comments")] == [False, False, True, True]


@pytest.fixture
def oddity() -> Iterator[Callable[[int, bytes, dict[str, str]], str]]:
    """A server that gives one answer to everything; its address."""
    servers: list[ThreadingHTTPServer] = []

    def serve(status: int, body: bytes, headers: dict[str, str]) -> str:
        class Odd(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Odd))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, b"<html>maintenance</html>", {}), "is not JSON"),
        ((200, b"[]", {}), "is a list, not an object"),
        ((200, b"{}", {}), "id is missing"),
        ((200, b'{"id": "7"}', {}), "id is text, not a whole number"),
        ((301, b"", {"Location": "http://127.0.0.2:1/elsewhere"}), "cannot be used"),
        ((400, b"{not json", {}), "status 400"),
        ((404, b'{"message": "Not\\u001b[31m Found"}', {}), r"Not \[31m Found"),
    ],
)
def test_an_answer_that_is_not_githubs_is_an_error_of_one_printable_line(oddity, clock, answer, said):
    door = open_github("acme/widgets", TOKEN, clock, api_url=oddity(*answer), seconds_between_writes=None)
    with pytest.raises(ForgeError, match=said) as caught:
        door.repository()
    assert str(caught.value).isprintable()


def test_a_log_that_is_not_redirected_is_an_error(oddity, clock):
    door = open_github("acme/widgets", TOKEN, clock, api_url=oddity(200, b"log", {}), seconds_between_writes=None)
    with pytest.raises(ForgeError, match="instead of a redirect"), door.log(1):
        pass


@pytest.mark.parametrize(("status", "error"), [(403, ForgeNotFound), (410, ForgeNotFound), (500, ForgeUnavailable)])
def test_a_storage_that_refuses_is_gone_or_unavailable(oddity, clock, status, error):
    storage = Storage(clock, insecure=True)
    with pytest.raises(error), storage.stream(oddity(status, b"no", {})):
        pass


def test_a_storage_that_redirects_is_not_followed(oddity, clock):
    storage = Storage(clock, insecure=True)
    with pytest.raises(ForgeUnavailable, match="answered 302"), storage.stream(oddity(302, b"", {"Location": "/x"})):
        pass


def test_a_storage_without_tls_is_refused_where_github_has_it(clock):
    with pytest.raises(ForgeError, match="is no https address"), Storage(clock).stream("http://127.0.0.1:9/x"):
        pass


def test_nothing_listening_is_unavailable(repo, clock):
    door = open_github("acme/widgets", TOKEN, clock, api_url="http://127.0.0.1:9", seconds_between_writes=None)
    with pytest.raises(ForgeUnavailable, match="is not to be had"):
        door.repository()


# --- Enterprise -----------------------------------------------------------------------------------------------------


@pytest.fixture
def enterprise(tmp_path: Path) -> Iterator[FakeGitHub]:
    server = FakeGitHub(tmp_path / "ghes", prefix="/api/v3")
    yield server
    server.close()


def test_an_enterprise_server_is_reached_by_its_own_address_for_rest_pages_and_graphql(enterprise, clock):
    enterprise.state.add_token(TOKEN, "acme-fixer[bot]")
    repo = enterprise.state.add_repo("acme/widgets")
    enterprise.state.commit(repo, "main", {"a.py": "1\n"})
    enterprise.state.commit(repo, "feature", {"a.py": "2\n"}, start="main")
    enterprise.state.add_pull(repo, "feature")
    for number in range(120):
        enterprise.state.add_comment(repo, 1, "eve", str(number))
    door = opened(enterprise, clock)
    assert len(door.comments(1)) == 120
    assert door.whoami() == "acme-fixer[bot]"
    made = door.commit_on_branch("feature", door.pull(1).head, "Fix", "", [FileWrite("a.py", b"3\n")])
    assert repo.head("feature") == made
