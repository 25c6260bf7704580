"""Flaky, order-dependent, or simply failing."""

import pytest

from autofix.checks.flaky import Steadiness, steadiness
from autofix.checks.result import Outcome

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


@pytest.mark.parametrize(
    ("again", "alone", "expected"),
    [
        ((), None, Steadiness.FAILING),
        ((F, F, F), None, Steadiness.FAILING),
        ((F, F, P), None, Steadiness.FLAKY),
        ((P,), P, Steadiness.FLAKY),
        ((F, F), P, Steadiness.ORDER_DEPENDENT),
        ((F, F), F, Steadiness.FAILING),
        ((None, None), None, Steadiness.FAILING),
        ((S, S), S, Steadiness.FAILING),
    ],
)
def test_repetition_decides(again: tuple, alone: Outcome | None, expected: Steadiness):
    assert steadiness(again, alone) is expected
