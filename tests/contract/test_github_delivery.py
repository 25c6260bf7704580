"""One fix down the whole ladder, on a real git remote and a GitHub that checks every word."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autofix.delivery.ladder import Passed, Rung
from autofix.delivery.rungs import Fix, HeadMoved, Landed, Places, PullDoors, deliver
from autofix.errors import ForgeUnavailable, NotAsVerified
from autofix.ports.git import CommitText
from autofix.world.git_cli import GitCli
from autofix.world.github_api import open_github
from autofix.world.github_forge import GitHubForge
from autofix.world.github_git import GitRemote
from tests.fakes.clock import FakeClock
from tests.fakes.github_fixture import github
from tests.fakes.github_server import FakeGitHub
from tests.fakes.repositories import git

__all__ = ["github"]

TOKEN = "ghs_secret"
TEXT = CommitText("Fix the sum", "Autofix-Run: r1", "autofix[bot]", "autofix@example.org")
LINES = [f"line {number}\n" for number in range(1, 31)]


class Case:
    """A pull request that changes line 5 of a file, and a fix of its line 6, or of what a test asks for."""

    def __init__(self, github: FakeGitHub, tmp_path: Path, *, fork: bool = False) -> None:
        self.github = github
        state = github.state
        self.token = state.add_token(TOKEN)
        self.repo = state.add_repo("acme/widgets")
        state.commit(self.repo, "main", {"a.py": "".join(LINES)}, "First")
        self.changed = [*LINES[:4], "changed\n", *LINES[5:]]
        home = state.add_repo("eve/widgets", fork_of=self.repo) if fork else self.repo
        self.head = state.commit(home, "feature", {"a.py": "".join(self.changed)}, "Second", start="main")
        self.home = home
        state.add_pull(self.repo, "feature", number=7, head=home)
        (tmp_path / "empty").mkdir()
        git(tmp_path / "empty", "init", "-q", "--bare")
        self.git = GitCli(tmp_path / "empty", tmp_path / "repo.git")
        door = open_github("acme/widgets", TOKEN, FakeClock(), api_url=github.api_url, seconds_between_writes=None)
        remote = GitRemote(self.git.process, github.clone_url(self.repo), TOKEN)
        remote.fetch_pull(7, "main")
        pull = door.pull(7)
        forge = GitHubForge(door, remote, pull, accounts=())
        self.places = Places(forge, PullDoors(door, remote, pull))

    def fix(self, *numbers: int) -> Fix:
        lines = [f"fixed {number}\n" if number in numbers else line for number, line in enumerate(self.changed, 1)]
        commit = self.git.commit(self.head, {"a.py": "".join(lines).encode()}, TEXT)
        diff = self.git.diff(self.head, commit, ["a.py"], 100_000).decode()
        files = {"a.py": "".join(lines).encode()}
        return Fix("r1", self.head, commit, diff, "Fix the sum", "Verified.", files, {"a.py": "100644"})

    def by_api(self) -> None:
        """From now on GitHub is asked to make the commits."""
        assert self.places.pull is not None
        self.places = replace(self.places, pull=replace(self.places.pull, by_api=True))

    def deliver(self, wanted: Rung = Rung.PUSH, numbers: tuple[int, ...] = (6,)) -> Landed | HeadMoved:
        return deliver(self.places, self.fix(*numbers), wanted)

    def applies(self, patch: str) -> bytes:
        """The file after `git apply` of a patch to the head."""
        index = {"GIT_INDEX_FILE": str(self.repo.path / "apply-index")}
        git(self.home.path, "read-tree", self.head, **index)
        git(self.home.path, "apply", "--cached", stdin=patch.encode(), **index)
        return git(self.home.path, "show", ":a.py", **index)


@pytest.fixture
def case(github: FakeGitHub, tmp_path: Path) -> Any:
    made = Case(github, tmp_path)
    yield made
    made.git.close()


def test_push_is_one_commit_on_the_head_branch(case):
    found = case.deliver()
    assert found == Landed(Rung.PUSH, (), commit=case.repo.head("feature"))
    assert git(case.repo.path, "rev-list", "--count", f"{case.head}..feature").strip() == b"1"
    assert case.repo.head("autofix/r1") is None


def test_suggest_is_one_review_that_holds_the_fix(case):
    found = case.deliver(Rung.SUGGEST)
    assert isinstance(found, Landed)
    assert (found.rung, found.passed, found.patch) == (Rung.SUGGEST, (), "")
    (review,) = case.github.state.reviews[7]
    assert [comment["line"] for comment in review["comments"]] == [6]
    assert review["comments"][0]["body"] == "```suggestion\nfixed 6\n```"
    assert case.repo.head("feature") == case.head


def test_what_lies_outside_the_diff_stays_a_patch_that_applies(case):
    found = case.deliver(Rung.SUGGEST, (6, 25))
    assert isinstance(found, Landed)
    assert len(case.github.state.reviews[7][0]["comments"]) == 1
    assert b"fixed 25\n" in case.applies(found.patch)
    assert "fixed 6" not in found.patch


def test_a_stacked_pull_request_goes_into_the_head_branch(case):
    found = case.deliver(Rung.PULL_REQUEST)
    assert isinstance(found, Landed)
    made = case.github.state.pulls["acme/widgets", 8]
    assert (made.head_branch, made.base_branch, made.title) == ("autofix/r1", "feature", "Fix the sum")
    assert found.url.endswith("/pull/8")
    assert case.repo.head("feature") == case.head


def test_a_stacked_pull_request_is_made_once_however_often_it_is_tried(case):
    fix = case.fix(6)
    first = deliver(case.places, fix, Rung.PULL_REQUEST)
    assert deliver(case.places, fix, Rung.PULL_REQUEST) == first
    assert len(case.github.state.pulls) == 2


def test_patch_changes_nothing_anywhere(case):
    requests = len([one for one in case.github.requests if one.method != "GET"])
    found = case.deliver(Rung.PATCH)
    assert isinstance(found, Landed)
    assert b"fixed 6\n" in case.applies(found.patch)
    assert len([one for one in case.github.requests if one.method != "GET"]) == requests
    assert not [one for one in case.github.git.requests if one.push]


def test_a_commit_github_made_is_the_fix_on_the_head(case):
    case.by_api()
    fix = case.fix(6)
    found = deliver(case.places, fix, Rung.PUSH)
    assert found == Landed(Rung.PUSH, (), commit=case.repo.head("feature"))
    made = git(case.repo.path, "rev-parse", "feature^{tree}", "feature^").decode().split()
    assert made == [case.git.process.output("rev-parse", f"{fix.commit}^{{tree}}").decode().strip(), case.head]
    assert not [one for one in case.github.git.requests if one.push]


def test_a_commit_that_is_not_what_was_verified_is_no_delivery_and_no_lower_rung_is_tried(case):
    case.by_api()
    case.repo.alter = lambda content: content.replace(b"\n", b"\r\n")
    with pytest.raises(NotAsVerified, match=r"is not what was verified.*/autofix revert"):
        case.deliver()
    assert 7 not in case.github.state.reviews


def test_a_commit_that_cannot_be_read_back_is_not_taken_for_the_fix(case):
    case.by_api()
    case.places = replace(case.places, pull=replace(case.places.pull, remote=Unreadable()))
    with pytest.raises(NotAsVerified, match=r"cannot be known \(the remote is gone\)"):
        case.deliver()


def test_an_answer_that_was_lost_is_found_on_the_branch(case):
    case.by_api()
    case.github.fail("POST /graphql", 502, after=True)
    found = case.deliver()
    assert found == Landed(Rung.PUSH, (), commit=case.repo.head("feature"))
    assert git(case.repo.path, "rev-list", "--count", f"{case.head}..feature").strip() == b"1"


def test_an_answer_that_was_lost_is_not_believed_where_the_branch_cannot_be_looked_at(case):
    case.by_api()
    case.github.fail("POST /graphql", 502, after=True)
    case.places = replace(case.places, pull=replace(case.places.pull, remote=Unreadable()))
    with pytest.raises(NotAsVerified):
        case.deliver()


def test_somebody_elses_commit_is_not_taken_for_the_one_whose_answer_was_lost(case):
    case.by_api()
    case.github.fail("POST /graphql", 502)
    heads = iter([case.head])
    forge = case.places.forge
    forge.head = lambda: next(heads, None) or case.github.state.commit(case.repo, "feature", {"b.py": "theirs\n"})
    assert case.deliver() == HeadMoved()


def test_a_commit_that_was_never_made_falls_to_the_next_rung(case):
    case.by_api()
    case.github.fail("POST /graphql", 502)
    found = case.deliver()
    assert isinstance(found, Landed)
    assert (found.rung, case.repo.head("feature")) == (Rung.SUGGEST, case.head)
    assert found.passed[0].reason.startswith("no commit was made")


class Unreadable:
    """In the place of the git remote: it cannot be reached."""

    def same_as(self, *_: str) -> bool:
        raise ForgeUnavailable("the remote is gone")


GH006 = "error: GH006: Protected branch update failed for refs/heads/feature."


def test_a_protected_branch_falls_to_suggestions_with_the_reason(case):
    case.repo.refuse_pushes(GH006, "error: Changes must be made through a pull request.")
    found = case.deliver()
    assert isinstance(found, Landed)
    assert found.rung is Rung.SUGGEST
    assert [passed.rung for passed in found.passed] == [Rung.PUSH]
    assert "through a pull request only" in found.passed[0].reason
    assert case.repo.head("feature") == case.head


def test_a_refusal_for_workflow_files_keeps_the_fix_and_says_to_update_the_branch(case):
    case.repo.refuse_pushes("refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml`")
    found = case.deliver(numbers=(25,))
    assert isinstance(found, Landed)
    assert found.rung is Rung.PATCH
    assert "update the branch" in found.passed[0].reason
    assert "no hunk" in found.passed[1].reason
    assert "update the branch" in found.passed[2].reason
    assert b"fixed 25\n" in case.applies(found.patch)


def test_a_token_that_may_only_read_still_leaves_the_patch_with_every_reason(case):
    case.token.permissions.update(contents="read", pull_requests="read")
    found = case.deliver()
    assert isinstance(found, Landed)
    assert found.rung is Rung.PATCH
    assert [passed.rung for passed in found.passed] == [Rung.PUSH, Rung.SUGGEST, Rung.PULL_REQUEST]
    assert "contents: write" in found.passed[0].reason
    assert "Resource not accessible" in found.passed[1].reason


def test_a_review_github_refuses_falls_to_a_pull_request(case):
    case.github.fail("POST .*/reviews", 422, "Line could not be resolved")
    found = case.deliver(Rung.SUGGEST)
    assert isinstance(found, Landed)
    assert (found.rung, found.passed) == (
        Rung.PULL_REQUEST,
        (Passed(Rung.SUGGEST, "GitHub refused: Line could not be resolved (status 422)"),),
    )


def test_a_diff_that_cannot_be_read_leaves_nothing_to_suggest(case):
    case.github.fail("GET .*/files$", 502, times=9)
    found = case.deliver(Rung.SUGGEST)
    assert isinstance(found, Landed)
    assert found.rung is Rung.PULL_REQUEST


def test_a_branch_of_ours_that_someone_else_made_is_not_moved(case):
    case.github.state.commit(case.repo, "autofix/r1", {"z.py": "1\n"}, start="main")
    theirs = case.repo.head("autofix/r1")
    found = case.deliver(Rung.PULL_REQUEST)
    assert isinstance(found, Landed)
    assert found.rung is Rung.PATCH
    assert "exists already" in found.passed[0].reason
    assert case.repo.head("autofix/r1") == theirs


@pytest.mark.parametrize("wanted", list(Rung))
def test_a_head_that_moved_is_handed_back_from_every_rung(case, wanted):
    case.github.state.commit(case.repo, "feature", {"b.py": "1\n"})
    moved = case.repo.head("feature")
    assert case.deliver(wanted) == HeadMoved()
    assert case.repo.head("feature") == moved
    assert not case.github.state.reviews
    assert len(case.github.state.pulls) == 1


def test_a_head_that_moves_between_the_look_and_the_push_is_handed_back(case):
    real = case.places.forge.head

    def head_then_someone_pushes():
        seen = real()
        case.github.state.commit(case.repo, "feature", {"b.py": "1\n"})
        return seen

    case.places.forge.head = head_then_someone_pushes
    assert case.deliver() == HeadMoved()


def test_a_fork_gets_suggestions_and_no_push_is_tried(github, tmp_path):
    case = Case(github, tmp_path, fork=True)
    try:
        found = case.deliver()
    finally:
        case.git.close()
    assert isinstance(found, Landed)
    assert found.rung is Rung.SUGGEST
    assert "fork" in found.passed[0].reason
    assert not [one for one in github.git.requests if one.push]


def test_a_fork_without_a_hunk_in_the_diff_gets_a_patch(github, tmp_path):
    case = Case(github, tmp_path, fork=True)
    try:
        found = case.deliver(numbers=(25,))
        assert isinstance(found, Landed)
        assert found.rung is Rung.PATCH
        assert [passed.rung for passed in found.passed] == [Rung.PUSH, Rung.SUGGEST, Rung.PULL_REQUEST]
        assert b"fixed 25\n" in case.applies(found.patch)
    finally:
        case.git.close()
