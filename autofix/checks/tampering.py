"""Does a patch weaken the measure, or make the code behave otherwise under test? Findings, by static rules."""

from collections.abc import Collection, Mapping
from typing import Literal

from autofix.checks.finding import Finding
from autofix.checks.result import CaseKey

TestsEdit = Literal["deny", "ask", "allow"]


def find_tampering(
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes | None],
    tests_edit: TestsEdit = "ask",
    goal: Collection[CaseKey] = (),
    *,
    tests: Mapping[str, bytes] | None = None,
) -> tuple[Finding, ...]:
    """Every rule's findings on a patch, by path and line.

    Args:
        before: the head's contents of the files the patch changes; None where the head has none.
        after: the patch's contents; None deletes.
        tests: the head's test files (at least those of the goal), so that hard-coded expected values are seen.
    """
    raise NotImplementedError
