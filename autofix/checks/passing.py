"""Whether a case that failed at the head passes now: by its name, or by what it stood for."""

from collections.abc import Collection

from autofix.checks.result import CHECK_DID_NOT_RUN, CheckResult, Outcome, inside


def passes(now: CheckResult, id_: str, tolerated: Collection[str] = ()) -> bool:
    """The case itself passed, or (a file that could not be collected) its tests ran and pass.

    What is `tolerated` may fail; a case that stands for its whole check passes where nothing else does.
    """
    if now.not_run is not None:
        return False
    if id_ in {CHECK_DID_NOT_RUN, now.check}:
        return now.passed or (now.report and bool(now.failing) and now.failing <= set(tolerated))
    case = now.cases.get(id_)
    if case is not None or now.complaints:
        return case is None or case.outcome is Outcome.PASSED
    outcomes = {now.cases[one].outcome for one in inside(id_, now.cases) if one not in tolerated}
    return Outcome.PASSED in outcomes and not any(outcome.failing for outcome in outcomes)
