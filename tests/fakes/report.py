"""A run told: facts to build reports from, each test changing what it is about."""

from dataclasses import replace
from decimal import Decimal

from autofix.checks.baseline import Baseline, BaselineVerdict
from autofix.checks.result import Case, CaseKey, CheckResult
from autofix.checks.result import Outcome as CaseOutcome
from autofix.checks.verify import Verification, VerificationVerdict
from autofix.delivery.deliver import Delivered
from autofix.delivery.patch import Patch
from autofix.intake.pull_request import PullRequest
from autofix.ports.model import Usage
from autofix.report.facts import Cost, RunReport
from autofix.report.tally import Attempt, Denial, RuledOut
from autofix.state.outcome import Outcome

HEAD, BASE = "a" * 40, "b" * 40
DIFF = b"--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


def baseline(*cases, flaky=(), preexisting=()):
    cases = cases or (Case("tests/test_a.py::test_x", CaseOutcome.FAILED, "assert 1 == 2", "E  assert 1 == 2"),)
    result = CheckResult("unit", {case.id: case for case in cases}, 1, report=True)
    return Baseline(
        BaselineVerdict.FAILING,
        (result,),
        goal=frozenset(CaseKey("unit", case.id) for case in cases),
        flaky=frozenset(CaseKey("unit", id_) for id_ in flaky),
        preexisting=frozenset(CaseKey("unit", id_) for id_ in preexisting),
    )


def report(outcome=Outcome.FIXED, **changes):
    told = RunReport(
        run_id="20260101-000000-abcdef",
        outcome=outcome,
        reason="every failing test passes in a fresh checkout",
        model="claude-sonnet-5",
        sandbox="docker",
        run_directory="/state/runs/20260101-000000-abcdef",
        pull_request=PullRequest(BASE, HEAD, BASE, "main", "feature", ()),
        checks=("pytest -q",),
        baseline=baseline(),
        failing_after=(),
        attempts=(Attempt(1, 1, 1), Attempt(2, 0, 0)),
        patch=Patch(HEAD, {"src/a.py": b"x = 2\n"}, DIFF, 2, {}),
        verification=Verification(VerificationVerdict.VERIFIED, fixed=(CaseKey("unit", "tests/test_a.py::test_x"),)),
        delivered=Delivered("push", "c" * 40, "feature", "/state/fix.patch", "git apply /state/fix.patch"),
        denials=(Denial("Bash", "git reset --hard", "denylist", "git-discard", "no", ("denylist", "hook")),),
        denials_by_layer={"denylist": 1, "hook": 1},
        ruled_out=(RuledOut("the cache is stale", "it is empty in the failing test"),),
        plans=(1,),
        cost=Cost(Usage(100, 50, 2000, 300), 3, Decimal("0.0123"), "public prices of 2026-11"),
        seconds=12.3,
        last_words="Fixed the off-by-one.",
    )
    return replace(told, **changes)
