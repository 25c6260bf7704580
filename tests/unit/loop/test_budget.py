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
