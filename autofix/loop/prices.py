"""What a model call costs: the price table, and exact arithmetic over a call's usage.

Knows nothing of limits: the budget decides what a cost means. A model that is neither in the table nor in the
caller's overrides has no price, and the caller refuses to start where money is limited.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from autofix.ports.model import Usage

PRICES_AS_OF = "2026-11"
"""When the table was last compared with https://platform.claude.com/docs/en/about-claude/pricing."""

_WRITE = Decimal("1.25")  # of the input rate: a cache entry that lives five minutes
_READ = Decimal("0.1")  # of the input rate, where the page says nothing else for the model

_DATED = re.compile(r"-20\d{6}\Z")  # claude-haiku-4-5-20251001 is a snapshot of claude-haiku-4-5


@dataclass(frozen=True, slots=True)
class Rates:
    """USD per million tokens. `input` is what was neither read from nor written to the cache."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    @classmethod
    def of(
        cls,
        input_: Decimal | str,
        output: Decimal | str,
        *,
        cache_write: Decimal | str | None = None,
        cache_read: Decimal | str | None = None,
    ) -> "Rates":
        """Rates from the two figures everybody quotes; cache rates follow from the input rate unless given."""
        base = Decimal(input_)
        return cls(
            input=base,
            output=Decimal(output),
            cache_write=base * _WRITE if cache_write is None else Decimal(cache_write),
            cache_read=base * _READ if cache_read is None else Decimal(cache_read),
        )


@dataclass(frozen=True, slots=True)
class LongPrompt:
    """Other rates for every token of a call whose prompt (cached parts included) has more than `above` tokens."""

    above: int
    rates: Rates


@dataclass(frozen=True, slots=True)
class Price:
    rates: Rates
    long_prompt: LongPrompt | None = None

    def rates_for(self, usage: Usage) -> Rates:
        if self.long_prompt is not None and usage.total_input > self.long_prompt.above:
            return self.long_prompt.rates
        return self.rates


def _flat(input_: str, output: str, cache_read: str | None = None) -> Price:
    return Price(Rates.of(input_, output, cache_read=cache_read))


PRICES: Mapping[str, Price] = {
    "claude-fable-5-2": _flat("8", "40", cache_read="0.20"),
    "claude-fable-5-1": _flat("10", "50", cache_read="0.25"),
    "claude-fable-5": _flat("10", "50"),
    "claude-opus-5-5": _flat("4", "20", cache_read="0.20"),
    "claude-opus-5": _flat("5", "25"),
    "claude-opus-4-8": _flat("5", "25"),
    "claude-opus-4-7": _flat("5", "25"),
    "claude-opus-4-6": _flat("5", "25"),
    "claude-opus-4-5": _flat("5", "25"),
    "claude-sonnet-5-5": _flat("2", "10", cache_read="0.10"),
    "claude-sonnet-5": _flat("2", "10"),
    "claude-sonnet-4-6": _flat("3", "15"),
    "claude-sonnet-4-5": _flat("3", "15"),
    "claude-haiku-5-5": Price(Rates.of("0.10", "0.50"), LongPrompt(100_000, Rates.of("0.50", "2.50"))),
    "claude-haiku-4-5": _flat("1", "5"),
}


def price_of(model: str, overrides: Mapping[str, Price] | None = None) -> Price | None:
    """The model's price: the override for its exact name, then the table; a dated snapshot has its model's price.

    None where the name is in neither.
    """
    if overrides is not None and model in overrides:
        return overrides[model]
    return PRICES.get(model) or PRICES.get(_DATED.sub("", model))


def cost(usage: Usage, price: Price) -> Decimal:
    """USD for one call, exact. Sum costs of calls, not usages: a long prompt is priced per call."""
    rates = price.rates_for(usage)
    per_million = (
        usage.input * rates.input
        + usage.output * rates.output
        + usage.cache_write * rates.cache_write
        + usage.cache_read * rates.cache_read
    )
    return per_million.scaleb(-6)
