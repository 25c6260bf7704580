"""Flaky, or simply failing."""

import pytest

from autofix.checks.flaky import is_flaky
from autofix.checks.result import Outcome

P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


@pytest.mark.parametrize(
    ("again", "flaky"),
    [
        ((), False),
        ((F, F, F), False),
        ((F, F, P), True),
        ((P,), True),
        ((P, F, F), True),
        ((None, None), False),
        ((S, S), False),
        ((Outcome.ERROR, F, Outcome.XFAILED), False),
    ],
)
def test_one_pass_on_the_same_tree_decides(again: tuple, flaky: bool):
    assert is_flaky(again) is flaky
