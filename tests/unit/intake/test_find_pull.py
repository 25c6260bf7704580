"""One open pull request with the failing head, or none."""

from dataclasses import dataclass, field

from autofix.errors import ForgeNotFound
from autofix.intake.find_pull import find_pull
from autofix.intake.trigger import Skipped
from autofix.ports.github import Pull
from tests.fakes.pulls import FORK, HEAD, NEXT, dispatched, failure, pull


@dataclass
class Pulls:
    """The part of the door that a search uses."""

    by_number: dict[int, Pull] = field(default_factory=dict)
    by_branch: dict[tuple[str, str], list[Pull]] = field(default_factory=dict)
    by_commit: dict[str, list[Pull]] = field(default_factory=dict)

    def pull(self, number: int) -> Pull:
        if number not in self.by_number:
            raise ForgeNotFound("Not Found")
        return self.by_number[number]

    def open_pulls(self, owner: str, branch: str) -> tuple[Pull, ...]:
        return tuple(self.by_branch.get((owner, branch), ()))

    def pulls_with_commit(self, sha: str) -> tuple[Pull, ...]:
        if sha not in self.by_commit:
            raise ForgeNotFound("No commit found")
        return tuple(self.by_commit[sha])


def find(door: Pulls, trigger) -> Pull | Skipped:
    return find_pull(door, trigger)  # type: ignore[arg-type]


def test_a_named_pull_request_with_the_failing_head_is_it():
    assert find(Pulls({7: pull()}), failure()) == pull()


def test_a_forks_pull_request_is_found_by_owner_and_branch_even_when_the_branch_is_called_main():
    forked = pull(head_repository=FORK, head_branch="main")
    door = Pulls(by_branch={("eve", "main"): [forked]})
    assert find(door, failure(number=None, owner="eve", branch="main")) == forked


def test_a_commit_alone_finds_its_pull_request():
    assert find(Pulls(by_commit={HEAD: [pull()]}), failure(number=None)) == pull()


def test_the_same_pull_request_found_twice_is_one():
    door = Pulls(by_branch={("acme", "feature"): [pull()]}, by_commit={HEAD: [pull()]})
    assert find(door, failure(number=None, owner="acme", branch="feature")) == pull()


def test_two_open_pull_requests_with_one_head_are_skipped_and_both_are_named():
    door = Pulls(by_commit={HEAD: [pull(number=9), pull(number=7)]})
    found = find(door, failure(number=None))
    assert isinstance(found, Skipped)
    assert "#7 and #9 have the same head" in found.reason
    assert not found.superseded


def test_a_head_that_moved_is_superseded():
    found = find(Pulls({7: pull(head=NEXT)}), failure())
    assert isinstance(found, Skipped)
    assert found.superseded
    assert "aaaaaaaa" in found.reason
    assert "cccccccc" in found.reason


def test_a_closed_pull_request_is_skipped():
    for trigger in (failure(), dispatched()):
        found = find(Pulls({7: pull(open=False)}), trigger)
        assert found == Skipped("#7 is closed")


def test_a_closed_one_beside_an_open_one_does_not_matter():
    door = Pulls(by_commit={HEAD: [pull(number=6, open=False), pull()]})
    assert find(door, failure(number=None)) == pull()


def test_a_pull_request_into_another_repository_is_not_ours():
    door = Pulls(by_commit={HEAD: [pull(base_repository=FORK)]})
    found = find(door, failure(number=None))
    assert found == Skipped("no open pull request has the head aaaaaaaa")


def test_a_number_that_does_not_exist_is_skipped():
    assert find(Pulls(), dispatched()) == Skipped("there is no pull request #7")


def test_a_dispatch_takes_whatever_the_head_is_now():
    assert find(Pulls({7: pull(head=NEXT)}), dispatched()) == pull(head=NEXT)


def test_nothing_found_says_so():
    found = find(Pulls(), failure(number=None, owner="acme", branch="feature"))
    assert found == Skipped("no open pull request has the head aaaaaaaa")
