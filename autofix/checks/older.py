"""Which failing cases fail at the merge base, too: run there in a tree and sandbox of their own, and only they.

A case that fails at the base counts as older when it fails there each time it is run: one that passes there at least
once may be a flaky test, but may as well be broken by the pull request, and nothing of that may be hidden.
"""

from collections.abc import Collection, Mapping
from enum import Enum

from autofix.checks.case_memory import CaseMemory
from autofix.checks.renames import former_names
from autofix.checks.result import Check, CheckResult, Outcome, outcome_of
from autofix.checks.runner_version import runner_version
from autofix.checks.runs import Runs

TIMES = 2
"""Runs in which a case has to fail at the base: with one alone, a flaky test's bad moment would hide a real failure."""


class Standing(Enum):
    """What the merge base says of a case that fails at the head."""

    OLDER = "older"
    """It fails there each time."""
    FLAKY = "flaky"
    """It failed there and passed there."""
    NEW = "new"
    """It passes there, or is not there."""


def standing_at_base(
    check: Check,
    result: CheckResult,
    ids: Collection[str],
    runs: Runs,
    *,
    memory: CaseMemory | None,
    renamed: Mapping[str, str],
) -> dict[str, Standing]:
    """Judge failing cases of the head by the merge base; empty where the check does not run there.

    A case in a file of `renamed` (path now -> path before) is looked for under its former name. What an earlier run
    found out on the very same tree is taken from the memory, and only the rest is run.
    """
    if not ids or not runs.has_base:
        return {}
    former = former_names(check, renamed)
    now = {former(id_): id_ for id_ in result.cases if id_ in ids}
    found = _by_former_names(check, result, now, runs, memory)
    return {now[name]: standing for name, standing in found.items()}


def _by_former_names(
    check: Check, result: CheckResult, now: Mapping[str, str], runs: Runs, memory: CaseMemory | None
) -> dict[str, Standing]:
    version = runner_version(check, runs.head) if memory else ""
    known = {
        id_: Standing(said)
        for id_, said in (memory.at_base(check, version) if memory else {}).items()
        if id_ in now and said in _WORDS
    }
    unknown = {name: id_ for name, id_ in now.items() if name not in known}
    if not unknown:
        return known
    found = _found_at_base(check, result, unknown, runs)
    if memory and found:
        memory.keep_at_base(check, version, {id_: standing.value for id_, standing in found.items()})
    return known | found


_WORDS = frozenset(standing.value for standing in Standing)


def _found_at_base(check: Check, result: CheckResult, now: Mapping[str, str], runs: Runs) -> dict[str, Standing]:
    real = set(selectable(result, now.values()))
    tests = tuple(name for name, id_ in now.items() if id_ in real)
    outcomes: dict[str, list[Outcome | None]] = {name: [] for name in now}
    for _ in range(TIMES):
        ran = runs.at_base(check, tests)
        if ran.not_run is not None:
            return {}
        for id_, seen in outcomes.items():
            seen.append(outcome_of(ran, id_))
        if not any(_fails(seen[-1]) for seen in outcomes.values()):
            break
    return {id_: _standing(seen) for id_, seen in outcomes.items()}


def _fails(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.failing


def _standing(seen: Collection[Outcome | None]) -> Standing:
    failed = sum(_fails(outcome) for outcome in seen)
    if not failed:
        return Standing.NEW
    return Standing.OLDER if failed == len(seen) else Standing.FLAKY


def selectable(result: CheckResult, ids: Collection[str]) -> tuple[str, ...]:
    """The ids a runner can be asked for, in the report's order: those of real cases."""
    if not result.report:
        return ()
    return tuple(id_ for id_ in result.cases if id_ in ids and id_ != result.check)
