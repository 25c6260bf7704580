"""Every built-in pattern denies its example and allows its look-alike; users add patterns and switch ours off by id."""

import pytest

from autofix.errors import UsageError
from autofix.harness.denylist import BUILT_IN, DenyList


@pytest.mark.parametrize("entry", BUILT_IN, ids=lambda entry: entry.id)
def test_a_pattern_denies_its_example_and_allows_its_look_alike(entry):
    denylist = DenyList.built_in()
    assert denylist.first_match(entry.denies) == entry
    assert denylist.first_match(entry.allows) is None
    assert entry.reason


def test_ids_are_unique():
    assert len({entry.id for entry in BUILT_IN}) == len(BUILT_IN)


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm -rf /'",
        'git commit -m "a; git push"',
        "cat <<'EOF'\ngit reset --hard\nEOF",
        "pytest -k 'reset and hard' # git push",
        "grep -rf scratch/patterns src",
        "git log --force",
        "sleep 1 & kill %1",
        "git clean -n",
        "mkfs_test.py",
        "docker_test --all",
    ],
)
def test_text_is_not_an_action(text):
    assert DenyList.built_in().first_match(text) is None


def test_users_add_patterns_in_their_order():
    denylist = DenyList.build(["terraform apply", "frob"])
    assert denylist.first_match("cd x; frob").id == "user-2"
    assert denylist.first_match("terraform apply -auto").id == "user-1"


def test_a_built_in_pattern_is_switched_off_by_its_id_and_by_nothing_else():
    assert DenyList.build(off=["git-push"]).first_match("git push") is None
    assert DenyList.build(off=["git-push"]).first_match("git rebase x") is not None
    with pytest.raises(UsageError, match="git-pull"):
        DenyList.build(off=["git-pull"])


@pytest.mark.parametrize("pattern", ["(", "a{9999}", r"(?=x)", r"\1"])
def test_a_pattern_that_cannot_be_matched_in_linear_time_is_an_error(pattern):
    with pytest.raises(UsageError, match="cannot be read"):
        DenyList.build([pattern])


def test_an_empty_list_matches_nothing():
    assert DenyList([]).first_match("rm -rf /") is None


@pytest.mark.parametrize("text", ["a;" * 40_000, "'" * 80_000, "git " * 20_000, "\udcff" * 10, "\0" * 1000])
def test_hostile_text_is_answered(text):
    DenyList.build(["(a*)*b"]).first_match(text)
