"""One patch, delivered on the highest rung that holds."""

from itertools import combinations

import pytest

from autofix.delivery.ladder import DeliveryFacts, Passed, Rung, Step, first_step, next_step, obstacles

ALL = list(Rung)


@pytest.mark.parametrize("rung", ALL)
def test_nothing_in_the_way_means_the_rung_that_was_asked_for(rung):
    assert first_step(rung, {}) == Step(rung)


def test_a_rung_known_not_to_hold_is_passed_with_its_reason():
    known = obstacles(DeliveryFacts(no_push="a fork", no_pull_request="a fork"))
    assert first_step(Rung.PUSH, known) == Step(Rung.SUGGEST, (Passed(Rung.PUSH, "a fork"),))


def test_a_rung_below_the_wanted_one_is_not_told_of_above():
    known = obstacles(DeliveryFacts(no_push="protected"))
    assert first_step(Rung.SUGGEST, known) == Step(Rung.SUGGEST)


def test_a_refused_push_falls_to_the_next_rung_and_both_reasons_stay():
    known = obstacles(DeliveryFacts(no_suggestions="no hunk lies in the diff"))
    step = next_step(first_step(Rung.PUSH, known), "the branch is protected", known)
    assert step == Step(
        Rung.PULL_REQUEST,
        (Passed(Rung.PUSH, "the branch is protected"), Passed(Rung.SUGGEST, "no hunk lies in the diff")),
    )


def test_when_everything_fails_the_patch_remains_with_every_reason_in_order():
    step = first_step(Rung.PUSH, {})
    for reason in ("one", "two", "three"):
        step = next_step(step, reason, {})
    assert step.rung is Rung.PATCH
    assert [passed.reason for passed in step.passed] == ["one", "two", "three"]


def test_there_is_nothing_below_the_patch():
    with pytest.raises(ValueError, match="no rung below"):
        next_step(Step(Rung.PATCH), "why", {})


@pytest.mark.parametrize("wanted", ALL)
@pytest.mark.parametrize("blocked", [set(some) for size in range(4) for some in combinations(ALL[:3], size)])
def test_no_combination_goes_up_stands_still_or_skips_a_free_rung(wanted, blocked):
    known = {rung: f"no {rung.value}" for rung in blocked}
    step = first_step(wanted, known)
    seen = [step.rung]
    while step.rung is not Rung.PATCH:
        step = next_step(step, "refused", known)
        seen.append(step.rung)
    free = [rung for rung in ALL[ALL.index(wanted) :] if rung not in blocked]
    assert seen == free
    assert [passed.rung for passed in step.passed] == ALL[ALL.index(wanted) : -1]
