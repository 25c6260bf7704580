"""What the token cannot do is found before anything is spent."""

from autofix.intake.preflight import Limit, TokenFacts, preflight
from autofix.ports.github import Branch
from tests.fakes.pulls import FORK, HEAD, pull

OPEN = Branch("feature", HEAD, protected=False)


def limits(facts: TokenFacts, **changes) -> list[Limit]:
    return [finding.limit for finding in preflight(facts, pull(**changes))]


def test_the_workflows_own_token_will_not_start_ci_and_the_finding_says_what_to_use():
    (finding,) = preflight(TokenFacts("github-actions[bot]", None, OPEN), pull())
    assert finding.limit is Limit.CI_AFTER_PUSH
    assert "this token's push will not start CI" in finding.text
    assert "App" in finding.text


def test_an_apps_token_has_nothing_against_it():
    assert preflight(TokenFacts("acme-fixer[bot]", None, OPEN), pull()) == ()


def test_a_token_that_may_not_push_is_told_which_permission_is_missing():
    (finding,) = preflight(TokenFacts("github-actions[bot]", "the remote answered 403", OPEN), pull())
    assert finding.limit is Limit.PUSH
    assert "contents: write" in finding.text
    assert "403" in finding.text


def test_a_protected_branch_is_told_and_still_tried():
    assert limits(TokenFacts("acme-fixer[bot]", None, Branch("feature", HEAD, protected=True))) == [Limit.NOTHING]


def test_a_branch_that_is_gone_cannot_be_pushed_to():
    assert limits(TokenFacts("acme-fixer[bot]", None, None)) == [Limit.PUSH]


def test_for_a_fork_nothing_about_pushing_matters():
    assert limits(TokenFacts("github-actions[bot]", "403", None), head_repository=FORK) == []
