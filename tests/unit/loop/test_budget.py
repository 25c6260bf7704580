from dataclasses import replace
from decimal import Decimal

import pytest

from autofix.loop.budget import Budget, Limits, kept_back
from autofix.loop.prices import Price, Rates
from autofix.ports.model import Usage

LIMITS = Limits(
    turns=40,
    usd=Decimal(2),
    seconds=1200,
    tool_calls=400,
    input_tokens=1_000_000,
    output_tokens=100_000,
    invalid_calls=3,
    output_tokens_per_call=16_000,
)
PRICE = Price(Rates.of("2", "10"))


class Clock:
    def __init__(self):
        self.at = 100.0

    def monotonic(self):
        return self.at


def budget(**limits):
    return Budget(replace(LIMITS, **limits), PRICE, Clock())


def test_nothing_is_reached_at_the_start():
    assert budget().reached() is None


@pytest.mark.parametrize(
    ("limits", "spend", "words"),
    [
        ({"turns": 1}, lambda b: b.spend_call(Usage()), "1 turns"),
        ({"usd": Decimal("0.01")}, lambda b: b.spend_call(Usage(output=1000)), "0.01 USD"),
        ({"tool_calls": 1}, lambda b: b.spend_tool(valid=True), "1 tool calls"),
        ({"input_tokens": 30}, lambda b: b.spend_call(Usage(10, 0, 10, 10)), "30 input tokens"),
        ({"output_tokens": 5}, lambda b: b.spend_call(Usage(output=5)), "5 output tokens"),
        ({"invalid_calls": 1}, lambda b: b.spend_tool(valid=False), "1 invalid tool calls"),
    ],
)
def test_each_limit_is_named_when_it_is_reached(limits, spend, words):
    account = budget(**limits)
    spend(account)
    assert words in account.reached()


def test_a_valid_call_forgives_the_invalid_ones_before_it():
    account = budget(invalid_calls=2)
    for valid in (False, True, False):
        account.spend_tool(valid=valid)
    assert account.reached() is None


def test_zero_usd_means_no_limit_of_money():
    account = budget(usd=Decimal(0), output_tokens=10**9)
    account.spend_call(Usage(output=10**6))
    assert account.reached() is None
    assert account.spent.usd == Decimal(10)


def test_time_for_verification_and_report_is_kept_back_from_the_loop():
    clock = Clock()
    account = Budget(LIMITS, PRICE, clock)
    clock.at += 1200 * 0.85 + 1
    assert "20 minutes" in account.reached()
    assert account.loop_seconds_left() == 0


@pytest.mark.parametrize(("check_seconds", "kept"), [(0, 180), (60, 180), (200, 320), (900, 600)])
def test_what_is_kept_back_grows_with_the_checks_but_leaves_the_loop_its_half(check_seconds, kept):
    assert kept_back(1200, check_seconds) == kept


def test_money_is_exact():
    account = budget()
    for _ in range(1000):
        account.spend_call(Usage(1, 0, 0, 0))
    assert account.spent.usd == Decimal("0.002")


def test_what_a_child_spends_counts_all_the_way_up():
    run = budget()
    task = run.child("a task", replace(LIMITS, turns=5))
    helper = task.child("a helper", replace(LIMITS, turns=2))
    helper.spend_call(Usage(input=100, output=10))
    helper.spend_tool(valid=False)
    for account in (run, task, helper):
        assert (account.spent.turns, account.spent.tool_calls, account.spent.usage.input) == (1, 1, 100)
        assert account.spent.usd == run.spent.usd > 0


def test_a_child_stops_at_its_own_limit_and_its_parent_goes_on():
    run = budget()
    helper = run.child("a helper", replace(LIMITS, turns=1))
    helper.spend_call(Usage())
    assert helper.reached() == "the limit of 1 turns of a helper is reached"
    assert run.reached() is None


def test_no_child_goes_on_when_one_above_it_is_used_up():
    life = Budget.of_money("the pull request's life", Decimal("0.01"), PRICE, Clock())
    run = Budget(LIMITS, PRICE, Clock(), parent=life)
    first, second = (run.child(name, LIMITS) for name in ("one", "two"))
    first.spend_call(Usage(output=1000))
    assert second.reached() == "the limit of 0.01 USD of the pull request's life is reached"
    assert second.spent.usd == 0


def test_a_childs_time_ends_with_its_parents_at_the_latest():
    clock = Clock()
    run = Budget(LIMITS, PRICE, clock, keep=200)
    clock.at += 900
    helper = run.child("a helper", replace(LIMITS, seconds=600))
    assert helper.loop_seconds_left() == 100
    assert run.child("a quick one", replace(LIMITS, seconds=60)).loop_seconds_left() == 60


def test_an_account_of_money_alone_has_no_other_limit():
    life = Budget.of_money("life", Decimal(1), PRICE, Clock())
    for _ in range(1000):
        life.spend_call(Usage(input=1))
        life.spend_tool(valid=False)
    assert life.reached() is None
