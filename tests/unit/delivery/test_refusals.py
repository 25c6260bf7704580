"""What remotes say when they refuse, and what it means."""

import pytest

from autofix.delivery.refusals import RefusalRule, read_refusal

SAID = [
    (
        RefusalRule.WORKFLOWS,
        (
            "remote: error: GH013: x\n ! [remote rejected] abc -> feature (refusing to allow a GitHub App to create or update "
            "workflow `.github/workflows/ci.yml` without `workflows` permission)"
        ),
    ),
    (
        RefusalRule.WORKFLOWS,
        (
            "! [remote rejected] feature -> feature (refusing to allow an OAuth App to create or update workflow "
            "`.github/workflows/x.yml` without `workflow` scope)"
        ),
    ),
    (
        RefusalRule.WORKFLOWS,
        "refusing to allow a Personal Access Token to create or update workflow `.github/workflows/x.yml`",
    ),
    (
        RefusalRule.SIGNATURES,
        (
            "remote: error: GH013: Repository rule violations found for refs/heads/feature.\nremote:\n"
            "remote: - Commits must have verified signatures.\nremote:   Found 1 violation:"
        ),
    ),
    (
        RefusalRule.SIGNATURES,
        (
            "remote: error: GH006: Protected branch update failed for refs/heads/feature.\n"
            "remote: error: Commits must have verified signatures."
        ),
    ),
    (
        RefusalRule.PULL_REQUEST_ONLY,
        (
            "remote: error: GH006: Protected branch update failed for refs/heads/main.\n"
            "remote: error: Changes must be made through a pull request."
        ),
    ),
    (
        RefusalRule.PULL_REQUEST_ONLY,
        (
            "remote: error: GH013: Repository rule violations found for refs/heads/main.\n"
            "remote: - Changes must be made through a pull request."
        ),
    ),
    (
        RefusalRule.STATUS_CHECKS,
        (
            "remote: error: GH006: Protected branch update failed for refs/heads/main.\n"
            'remote: error: Required status check "test" is expected.'
        ),
    ),
    (
        RefusalRule.STATUS_CHECKS,
        "remote: error: GH006: Protected branch update failed.\nremote: error: 2 of 2 required status checks are expected.",
    ),
    (
        RefusalRule.PROTECTED,
        (
            "remote: error: GH006: Protected branch update failed for refs/heads/feature.\n"
            "remote: error: You're not authorized to push to this branch."
        ),
    ),
    (RefusalRule.PROTECTED, "! [remote rejected] feature -> feature (protected branch hook declined)"),
    (RefusalRule.PROTECTED, "remote: - Cannot update this protected ref."),
    (
        RefusalRule.SECRETS,
        (
            "remote: error: GH013: Repository rule violations found\nremote: - GITHUB PUSH PROTECTION\n"
            "remote: - Push cannot contain secrets"
        ),
    ),
    (
        RefusalRule.LARGE_FILE,
        "remote: error: GH001: Large files detected. You may want to try Git Large File Storage",
    ),
    (RefusalRule.ARCHIVED, "remote: This repository was archived so it is read-only."),
    (RefusalRule.MOVED, "! [rejected] abc -> feature (non-fast-forward)"),
    (RefusalRule.MOVED, "! [rejected] abc -> feature (fetch first)\nhint: Updates were rejected because the remote"),
    (RefusalRule.MOVED, "!\tabc:refs/heads/feature\t[rejected] (stale info)\nDone"),
    (
        RefusalRule.MOVED,
        f"! [remote rejected] x -> y (cannot lock ref 'refs/heads/y': is at {'a' * 40} but expected {'b' * 40})",
    ),
    (RefusalRule.MOVED, "Update is not a fast forward"),
    (RefusalRule.MOVED, f'Expected branch to point to "{"a" * 40}" but it did not. Pull and try again.'),
    (
        RefusalRule.PERMISSION,
        (
            "remote: Permission to acme/widgets.git denied to github-actions[bot].\n"
            "fatal: unable to access 'https://github.com/acme/widgets.git/': The requested URL returned error: 403"
        ),
    ),
    (RefusalRule.PERMISSION, "remote: Write access to repository not granted.\nfatal: ... returned error: 403"),
    (RefusalRule.PERMISSION, "Resource not accessible by integration"),
    (RefusalRule.PERMISSION, "fatal: Authentication failed for 'https://github.com/acme/widgets.git/'"),
    (RefusalRule.HOOK, "remote: our policy says no\n ! [remote rejected] x -> y (pre-receive hook declined)"),
]


@pytest.mark.parametrize(("rule", "message"), SAID)
def test_what_the_remote_says_is_understood(rule, message):
    refusal = read_refusal(message)
    assert refusal.rule is rule
    assert refusal.moved == (rule is RefusalRule.MOVED)


def test_a_workflow_refusal_says_that_the_branch_is_behind_and_what_to_do():
    assert "update the branch" in read_refusal(SAID[0][1]).reason


def test_a_refusal_of_unsigned_commits_points_to_api_commits():
    assert "api" in read_refusal(SAID[3][1]).reason


def test_a_protected_branch_that_is_also_behind_is_not_taken_for_moved():
    assert read_refusal("GH006: Protected branch update failed\n! [remote rejected] (non-fast-forward)").moved is False


def test_words_nobody_has_met_are_shown_in_one_printable_line():
    refusal = read_refusal("\nremote: the moon is\x1b[31m\u202e full" + "x" * 500 + "\nmore")
    assert refusal.rule is RefusalRule.UNKNOWN
    assert refusal.reason.startswith("the remote refused: remote: the moon is [31m  full")
    assert len(refusal.reason) < 230
    assert "more" not in refusal.reason


def test_silence_is_a_refusal_too():
    assert read_refusal("").reason == "the remote refused: the remote gave no reason"


def test_a_long_answer_is_read_in_linear_time():
    assert read_refusal("refusing to allow a " * 50_000).rule is RefusalRule.UNKNOWN
