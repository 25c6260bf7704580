from decimal import Decimal

import pytest

from autofix.loop.prices import PRICES, LongPrompt, Price, Rates, cost, price_of
from autofix.ports.model import Usage

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "input_", "output", "write", "read"),
    [
        ("claude-opus-5-5", "4", "20", "5", "0.2"),
        ("claude-opus-5", "5", "25", "6.25", "0.5"),
        ("claude-sonnet-5-5", "2", "10", "2.5", "0.1"),
        ("claude-sonnet-5", "2", "10", "2.5", "0.2"),
        ("claude-sonnet-4-6", "3", "15", "3.75", "0.3"),
        ("claude-haiku-4-5", "1", "5", "1.25", "0.1"),
    ],
)
def test_a_million_tokens_of_each_kind_cost_what_the_page_says(model, input_, output, write, read) -> None:
    price = price_of(model)

    assert price is not None
    assert cost(Usage(input=MILLION), price) == Decimal(input_)
    assert cost(Usage(output=MILLION), price) == Decimal(output)
    assert cost(Usage(cache_write=MILLION), price) == Decimal(write)
    assert cost(Usage(cache_read=MILLION), price) == Decimal(read)


def test_a_long_prompt_raises_the_price_of_every_token_of_its_call() -> None:
    price = price_of("claude-haiku-5-5")
    assert price is not None

    at_the_limit = cost(Usage(input=1, cache_read=99_999, output=1000), price)
    beyond = cost(Usage(input=1, cache_read=100_000, output=1000), price)

    assert at_the_limit == Decimal("0.0000001") + Decimal("0.00099999") + Decimal("0.0005")
    assert beyond == Decimal("0.0000005") + Decimal("0.005") + Decimal("0.0025")


def test_a_million_small_costs_add_up_without_drift() -> None:
    price = price_of("claude-haiku-5-5")
    assert price is not None
    one = cost(Usage(cache_read=1), price)

    assert sum([one] * 100_000) == Decimal("0.001")


def test_a_dated_snapshot_has_its_models_price() -> None:
    assert price_of("claude-haiku-4-5-20251001") == PRICES["claude-haiku-4-5"]


@pytest.mark.parametrize(
    "name", ["", "gpt-9", "claude-sonnet", "claude-sonnet-5-9", "claude-haiku-4-5-latest", "Claude-Opus-5"]
)
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert price_of(name) is None


def test_an_override_wins_and_makes_unknown_models_known() -> None:
    mine = Price(Rates.of("1", "2"))

    assert price_of("claude-opus-5", {"claude-opus-5": mine}) is mine
    assert price_of("our-gateway/model", {"our-gateway/model": mine}) is mine
    assert price_of("claude-opus-5", {"other": mine}) == PRICES["claude-opus-5"]


def test_cache_rates_follow_the_input_rate_unless_given() -> None:
    assert Rates.of("2", "10") == Rates(Decimal(2), Decimal(10), Decimal("2.5"), Decimal("0.2"))
    assert Rates.of("2", "10", cache_write="0", cache_read="2").cache_write == 0


def test_no_usage_costs_nothing() -> None:
    assert all(cost(Usage(), price) == 0 for price in PRICES.values())


def test_every_price_in_the_table_is_consistent() -> None:
    for name, price in PRICES.items():
        for rates in [price.rates, *([price.long_prompt.rates] if price.long_prompt else [])]:
            assert 0 < rates.cache_read < rates.input < rates.cache_write < rates.output, name


def test_a_long_prompt_counts_what_was_cached_too() -> None:
    price = Price(Rates.of("1", "1"), LongPrompt(10, Rates.of("9", "9")))

    assert price.rates_for(Usage(input=4, cache_read=4, cache_write=2)) is price.rates
    assert price.rates_for(Usage(input=4, cache_read=4, cache_write=3, output=0)) is not price.rates
    assert price.rates_for(Usage(input=10, output=500)) is price.rates, "output is no part of the prompt"
