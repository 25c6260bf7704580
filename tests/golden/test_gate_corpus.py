"""Every command of the corpora gets the verdict the policy gives it, from the structure layer by itself."""

import pytest

from tests.golden.corpus import other_corpus, own_corpus, ruling_on, structure_of

OWN = own_corpus()
OTHER = other_corpus()


def wrong_ones(cases):
    return [
        (case.id, case.command, said)
        for case in cases
        if (said := structure_of(ruling_on(case.command))) != case.expect
    ]


@pytest.mark.parametrize("group", sorted({case.group for case in OWN}))
def test_own_commands_of_a_class_are_all_judged_right(group):
    assert wrong_ones(case for case in OWN if case.group == group) == []


def test_the_own_corpus_covers_every_class_with_more_than_a_handful():
    for group in {case.group for case in OWN}:
        assert len([case for case in OWN if case.group == group]) >= 20


@pytest.mark.parametrize("group", sorted({case.group for case in OTHER}) or [None])
def test_commands_of_a_corpus_from_elsewhere_are_all_judged_right(group):
    if group is None:
        pytest.skip("no corpus beside the repository; name one with AUTOFIX_ATTACK_CORPUS")
    assert wrong_ones(case for case in OTHER if case.group == group) == []


@pytest.mark.parametrize("expect", ["deny", "allow"])
def test_the_whole_gate_agrees_with_its_structure_layer(expect):
    """The deny-list must not refuse what only looks dangerous."""
    sample = [case for case in (*OTHER, *OWN[::10]) if case.expect == expect]
    assert [case.command for case in sample if ruling_on(case.command).allowed != (expect == "allow")] == []
