"""A verdict on one case from its repeated outcomes under the same conditions."""

from collections.abc import Sequence
from enum import Enum

from autofix.checks.result import Outcome


class Steadiness(Enum):
    """What repetition says of a case that failed at first."""

    FAILING = "failing"
    """It failed every time it ran."""
    FLAKY = "flaky"
    """It passed at least once on the very same tree."""
    ORDER_DEPENDENT = "order-dependent"
    """It fails in company every time and passes without it: a real failure, of the order's making."""


def steadiness(again: Sequence[Outcome | None], alone: Outcome | None = None) -> Steadiness:
    """Judge a case that failed.

    Args:
        again: its outcome in each re-run of the whole check; None where it was not in the report, which says nothing.
        alone: its outcome when run without the others, None where that was not tried or did not work.
    """
    if Outcome.PASSED in again:
        return Steadiness.FLAKY
    return Steadiness.ORDER_DEPENDENT if alone is Outcome.PASSED else Steadiness.FAILING
