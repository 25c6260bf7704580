"""The fake GitHub itself: what GitHub would not understand, or could not have said, does not pass unseen."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autofix.errors import ForgeError
from autofix.world.github_api import GitHubApi, open_github
from autofix.world.github_rest import Rest, connect
from tests.fakes import github_check_routes, github_git_routes, github_pull_routes, github_talk_routes
from tests.fakes.clock import FakeClock
from tests.fakes.github_contract import description
from tests.fakes.github_server import FakeGitHub

TOKEN = "ghs_secret"
REPO = "/repos/acme/widgets"


@pytest.fixture
def strange(tmp_path: Path):
    """A server that a test says strange things to; it looks at the violations itself."""
    server = FakeGitHub(tmp_path / "github")
    server.state.add_token(TOKEN)
    repo = server.state.add_repo("acme/widgets")
    server.state.commit(repo, "main", {"a.py": "1\n"})
    server.state.commit(repo, "feature", {"a.py": "2\n"}, start="main")
    server.state.add_pull(repo, "feature", number=7)
    server.state.add_comment(repo, 7, "ada", "hello")
    yield server
    server.violations.clear()
    server.close()


def rest_of(server: FakeGitHub) -> Rest:
    return Rest(connect(TOKEN, server.api_url, seconds_between_writes=None), FakeClock())


def door_of(server: FakeGitHub) -> GitHubApi:
    return open_github("acme/widgets", TOKEN, FakeClock(), api_url=server.api_url, seconds_between_writes=None)


def _check(**more: Any) -> dict[str, Any]:
    return {"name": "autofix", "head_sha": "a" * 40, **more}


def _annotations(count: int) -> list[dict[str, Any]]:
    one = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"}
    return [one] * count


REQUESTS: list[tuple[str, str, Callable[[int], str], Any]] = [
    (
        "51 annotations",
        "POST",
        lambda _: "/check-runs",
        _check(output={"title": "t", "summary": "s", "annotations": _annotations(51)}),
    ),
    ("an unknown status", "POST", lambda _: "/check-runs", _check(status="ready")),
    ("an unknown conclusion", "POST", lambda _: "/check-runs", _check(status="completed", conclusion="broken")),
    ("a comment without a body", "POST", lambda _: "/issues/7/comments", {"text": "hello"}),
    ("a body that is no text", "POST", lambda _: "/issues/7/comments", {"body": 3}),
    ("an unknown reaction", "POST", lambda id_: f"/issues/comments/{id_}/reactions", {"content": "thumbsup"}),
    (
        "a line that is text",
        "POST",
        lambda _: "/pulls/7/reviews",
        {"event": "COMMENT", "body": "x", "comments": [{"path": "a.py", "line": "1", "body": "x"}]},
    ),
    ("an unknown review event", "POST", lambda _: "/pulls/7/reviews", {"event": "SHOUT", "body": "x"}),
    ("a ref without a commit", "POST", lambda _: "/git/refs", {"ref": "refs/heads/x"}),
]


@pytest.mark.parametrize(("verb", "where", "body"), [row[1:] for row in REQUESTS], ids=[row[0] for row in REQUESTS])
def test_a_request_github_would_not_understand_fails_the_test_that_sent_it(strange, verb, where, body):
    comment_id = next(iter(strange.state.comments))
    with contextlib.suppress(ForgeError):  # the fake may also fail to answer it
        rest_of(strange).send(verb, f"{REPO}{where(comment_id)}", body)
    assert any(violation.startswith(f"request {verb}") for violation in strange.violations)


def test_a_graphql_query_with_a_field_github_does_not_have_fails_the_test(strange):
    with pytest.raises(ForgeError, match="Cannot query field 'name'"):
        rest_of(strange).graphql("query { viewer { name } }", {}, repeatable=True)
    assert strange.violations


def test_a_graphql_variable_of_the_wrong_shape_fails_the_test(strange):
    query = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }"
    with pytest.raises(ForgeError, match="expectedHeadOid"):
        rest_of(strange).graphql(query, {"input": {"branch": {}}}, repeatable=False)
    assert strange.violations


def test_an_answer_github_could_not_have_given_fails_the_test(strange):
    strange.state.pulls["acme/widgets", 7].title = 3  # type: ignore[assignment]
    with pytest.raises(ForgeError, match="title is a number"):
        door_of(strange).pull(7)
    assert "title" in strange.violations[0]


def test_closing_tells_what_went_wrong(tmp_path):
    server = FakeGitHub(tmp_path / "github")
    server.violations.append("request POST /x: nonsense")
    with pytest.raises(AssertionError, match="nonsense"):
        server.close()


def test_every_route_is_in_the_description_and_every_path_of_it_has_a_route():
    modules = (github_check_routes, github_git_routes, github_pull_routes, github_talk_routes)
    routes = [route for module in modules for route in module.ROUTES]
    paths = description()["paths"]
    assert [route.template for route in routes if route.method.lower() not in paths.get(route.template, {})] == []
    assert set(paths) == {route.template for route in routes}
