"""A verdict on one case from its repeated outcomes under the same conditions: same tree, same company, same order."""

from collections.abc import Sequence

from autofix.checks.result import Outcome


def is_flaky(again: Sequence[Outcome | None]) -> bool:
    """Whether a case that failed is flaky: it passed at least once on the very same tree.

    Args:
        again: its outcome in each re-run; None where it was not in the report, which says nothing.
    """
    return Outcome.PASSED in again
