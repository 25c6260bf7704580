"""What each way of ending looks like in the comment: a report a real run could have, by name.

`python -m tests.golden.comments.told` (`make goldens`) writes the comments anew; look at what changed before you commit it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from autofix.checks.baseline import BaselineVerdict
from autofix.checks.finding import Finding, Severity
from autofix.checks.result import Case, CaseKey
from autofix.checks.result import Outcome as CaseOutcome
from autofix.checks.verify import Verification, VerificationVerdict
from autofix.delivery.deliver import Delivered, Highest
from autofix.delivery.patch import Patch
from autofix.harness.approval import Question, Subject, Waiting
from autofix.harness.call import ToolCall
from autofix.intake.pull_request import PullRequest
from autofix.ports.model import JsonObject, Usage
from autofix.report.comment import comment
from autofix.report.facts import Cost, RunReport
from autofix.report.progress import Standing
from autofix.report.tally import Answered, Attempt, Denial, RuledOut
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.outcome import Outcome
from tests.fakes.report import BASE, HEAD, baseline

HERE = Path(__file__).parent

CASES = (
    Case(
        "tests/test_voucher.py::test_ten_percent_off",
        CaseOutcome.FAILED,
        "AssertionError: assert Decimal('100.00') == Decimal('90.00')",
        "    assert cart.total(voucher='TEN') == Decimal('90.00')\nE   AssertionError",
        "tests/test_voucher.py",
        14,
    ),
    Case(
        "tests/test_voucher.py::test_a_voucher_counts_once[TEN]",
        CaseOutcome.FAILED,
        "assert 2 == 1",
        "",
        "tests/test_voucher.py",
        22,
    ),
    Case("tests/test_cart.py::test_empty", CaseOutcome.ERROR, "ZeroDivisionError: division by zero", "", "", None),
)
DIFF = b"""--- a/shop/cart.py
+++ b/shop/cart.py
@@ -12,6 +12,7 @@
 def total(self, voucher=None):
     net = sum(line.price for line in self.lines)
-    return net
+    off = VOUCHERS.get(voucher, 0)
+    return net * (100 - off) / 100
"""
Keys = tuple[str, ...]
PATCH = Patch(HEAD, {"shop/cart.py": b"..."}, DIFF, 3, {})
DENIALS = (
    Denial("Bash", "git stash", "denylist", "git-discard", "no", ("denylist", "structure", "hook")),
    Denial("Edit", "requirements.txt", "scope", "not-in-scope", "the pull request does not change it", ("scope",)),
)
RULED_OUT = (
    RuledOut("the voucher is looked up in the wrong case", "VOUCHERS has 'TEN', and the test asks for 'TEN'"),
    RuledOut("prices are floats", "they are Decimal everywhere in the failing test"),
)
WAITING = Waiting(
    "4f2a91-2",
    Question(
        subject=Subject.CALL,
        wanted="edit tests/test_voucher.py",
        reason="tests/test_voucher.py is a test; whether a test is wrong is for a person to say",
        grant="call:6d1f",
        detail="- assert cart.total(voucher='TEN') == Decimal('90.00')\n+ assert cart.total(voucher='TEN') == Decimal('90')",
        call=ToolCall("toolu_7", "Edit", {"file_path": "tests/test_voucher.py"}),
        path="tests/test_voucher.py",
    ),
    datetime(2026, 12, 8, 9, 31, tzinfo=UTC),
)
FIXED_KEYS = tuple(CaseKey("unit", case.id) for case in CASES)
USUAL = RunReport(
    run_id="20261201-093015-4f2a91",
    outcome=Outcome.FIXED,
    reason="every failing test passes in a fresh checkout",
    model="claude-sonnet-5",
    sandbox="docker",
    run_directory="/home/ada/.local/state/autofix/runs/20261201-093015-4f2a91",
    pull_request=PullRequest(BASE, HEAD, BASE, "main", "feature/vouchers", ()),
    checks=("pytest -q",),
    baseline=baseline(*CASES, flaky=("tests/test_mail.py::test_sent",), preexisting=("tests/test_old.py::test_y2k",)),
    failing_after=(),
    attempts=(Attempt(1, 2, 2), Attempt(2, 0, 0)),
    patch=PATCH,
    verification=Verification(VerificationVerdict.VERIFIED, fixed=FIXED_KEYS),
    delivered=Delivered("push", "c" * 40, "feature/vouchers", "/runs/fix.patch", "git apply /runs/fix.patch"),
    denials=DENIALS,
    denials_by_layer={"denylist": 1, "hook": 1, "scope": 1, "structure": 1},
    plans=(1,),
    cost=Cost(Usage(6_204, 1_880, 48_211, 5_120), 7, Decimal("0.0641"), "public prices of 2026-11"),
    tool_calls=11,
    seconds=83.0,
    last_words="The voucher was never applied.",
)
UNSOLVED = replace(
    USUAL,
    outcome=Outcome.NO_PROGRESS,
    reason="3 measured attempts without a new best (failing 2-3-2, best 2)",
    failing_after=tuple(f"unit: {case.id}" for case in CASES[:2]),
    attempts=(Attempt(1, 2, 2), Attempt(2, 3, 2), Attempt(3, 2, 2), Attempt(4, 2, 2)),
    verification=None,
    delivered=None,
    ruled_out=RULED_OUT,
    last_words="I could not find out why a voucher counts twice.",
    take_over="git apply /home/ada/.local/state/autofix/runs/20261201-093015-4f2a91/unverified.patch",
)
WITHOUT_MODEL = replace(
    USUAL,
    failing_after=None,
    attempts=(),
    patch=None,
    verification=None,
    delivered=None,
    denials=(),
    denials_by_layer={},
    plans=(),
    cost=Cost(basis="public prices of 2026-11"),
    tool_calls=0,
    seconds=12.0,
    last_words="",
)


def verdict(name: BaselineVerdict, reason: str, *, flaky: Keys = (), preexisting: Keys = ()) -> RunReport:
    """Nothing is left to mend, so no model was asked."""
    taken = replace(baseline(flaky=flaky, preexisting=preexisting), goal=frozenset(), verdict=name, reason=reason)
    return replace(WITHOUT_MODEL, reason=reason, baseline=taken)


def delivered(rung: Highest, *fell: str, **more: str) -> Delivered:
    return Delivered(rung, "", "", "/runs/fix.patch", "git apply /runs/fix.patch", fell, **more)


PAGE = "https://github.com/acme/shop/actions/runs/4242"
DOWNLOAD = "gh run download 4242 -R acme/shop -n autofix -D autofix"
PLACES = "https://github.com/acme/shop/pull/7"
PROTECTED = "the branch is protected: changes reach it through a pull request only"
REPORTS: Mapping[str, RunReport] = {
    "fixed": USUAL,
    "fixed_suggested": replace(
        USUAL, delivered=delivered("suggest", PROTECTED, url=f"{PLACES}#pullrequestreview-1", rest=DIFF.decode())
    ),
    "fixed_stacked": replace(
        USUAL,
        delivered=delivered(
            "pull-request", PROTECTED, "no hunk of the fix lies inside the pull request's diff", url=PLACES
        ),
    ),
    "fixed_patch": replace(
        USUAL,
        delivered=delivered("patch", "the pull request comes from a fork, and nothing is pushed to forks"),
        page=PAGE,
    ),
    "nothing_to_fix": replace(
        verdict(BaselineVerdict.NOTHING_FAILS, "every check passes at the head commit"),
        outcome=Outcome.NOTHING_TO_FIX,
    ),
    "flaky": replace(
        verdict(
            BaselineVerdict.ALL_FLAKY,
            "1 failing test passed in a re-run of the same tree",
            flaky=("tests/test_mail.py::test_sent",),
        ),
        outcome=Outcome.FLAKY,
    ),
    "preexisting": replace(
        verdict(
            BaselineVerdict.ALL_PREEXISTING,
            "1 failing test fails at the merge base as well",
            preexisting=("tests/test_old.py::test_y2k",),
        ),
        outcome=Outcome.PREEXISTING,
    ),
    "infrastructure": replace(
        verdict(
            BaselineVerdict.INFRASTRUCTURE, "check unit needs what is not installed: sqlalchemy (see setup-command)"
        ),
        outcome=Outcome.INFRASTRUCTURE,
    ),
    "fixed_from_a_bundle": replace(
        WITHOUT_MODEL,
        sandbox="none: delivered from a bundle",
        baseline=None,
        patch=PATCH,
        delivered=USUAL.delivered,
        cost=Cost(usd=Decimal("0.0641"), basis="as the fix stage told it"),
        page=PAGE,
        bundled=True,
        findings=(
            "this token's push will not start CI: GitHub starts no workflow for commits made with GITHUB_TOKEN.",
        ),
    ),
    "no_progress": UNSOLVED,
    "no_progress_in_actions": replace(
        UNSOLVED, page=PAGE, take_over=f"{DOWNLOAD} && git apply autofix/unverified.patch"
    ),
    "budget_exceeded": replace(UNSOLVED, outcome=Outcome.BUDGET_EXCEEDED, reason="the limit of 2 USD is reached"),
    "out_of_scope": replace(
        UNSOLVED,
        outcome=Outcome.OUT_OF_SCOPE,
        reason="the model asked to change shop/vouchers.py, which the pull request does not change: the table lacks TEN",
        attempts=(),
        patch=None,
        take_over="",
    ),
    "awaiting_approval": replace(
        UNSOLVED,
        outcome=Outcome.AWAITING_APPROVAL,
        reason=WAITING.line,
        waiting=WAITING,
        answering="/autofix {word} {id}",
        answers=(
            Answered("4f2a91-1", "change shop/prices.py, which this pull request does not touch", True, "ada", ""),
        ),
    ),
    "tampering": replace(
        UNSOLVED,
        outcome=Outcome.TAMPERING,
        reason="the patch makes the measure weaker instead of the code right",
        verification=Verification(
            VerificationVerdict.TAMPERING,
            fixed=FIXED_KEYS,
            findings=(
                Finding(
                    "skip-added", "tests/test_voucher.py", 13, Severity.TAMPERING, "test_ten_percent_off is skipped now"
                ),
            ),
        ),
    ),
    "refused": replace(UNSOLVED, outcome=Outcome.REFUSED, reason="the model declined: no reason given", attempts=()),
    "blocked": replace(UNSOLVED, outcome=Outcome.BLOCKED, reason="package.json decides which code is installed"),
    "diagnosis": replace(
        UNSOLVED,
        outcome=Outcome.DIAGNOSIS,
        reason="Cart.total() ignores its argument voucher: look it up in VOUCHERS and take it off.",
        attempts=(),
        patch=None,
        take_over="",
        ruled_out=(),
        last_words="",
    ),
    "superseded": replace(
        USUAL,
        outcome=Outcome.SUPERSEDED,
        reason="feature/vouchers is now at dddddddddddd; this run worked on aaaaaaaaaaaa",
        delivered=None,
        page=PAGE,
        take_over=f"{DOWNLOAD} && git apply autofix/fix.patch",
    ),
    "cancelled": replace(
        UNSOLVED, outcome=Outcome.CANCELLED, reason="stopped by SIGTERM", attempts=(Attempt(1, 2, 2),)
    ),
    "error": replace(
        UNSOLVED,
        outcome=Outcome.ERROR,
        reason="the model could not be reached: 529 overloaded; given up after 6 attempts",
        attempts=(),
        patch=None,
        take_over="",
        retries=5,
    ),
}


def told() -> dict[str, str]:
    """Each comment by name, as it is posted (without the hidden marks)."""
    ended = {name: comment(report, str) for name, report in REPORTS.items()}
    return {**ended, **{name: _standing(*events).text(PAGE) for name, events in PROGRESS.items()}}


def _standing(*events: tuple[Kind, JsonObject]) -> Standing:
    """What the comment knows while a run goes on."""
    standing = Standing()
    for number, (kind, data) in enumerate(events, 1):
        standing(Event(number, STARTED, kind, 1, data))
    return standing


STARTED = datetime(2026, 12, 1, 9, 30, 15, tzinfo=UTC)
BEGUN: tuple[Kind, JsonObject] = (Kind.RUN_STARTED, {"run": USUAL.run_id, "head": HEAD})
WORKING: tuple[tuple[Kind, JsonObject], ...] = (
    BEGUN,
    (Kind.STAGE, {"name": "baseline"}),
    (Kind.BASELINE, {"goal": ["a", "b", "c"]}),
    (Kind.STAGE, {"name": "loop"}),
    (Kind.MODEL_REPLIED, {}),
    (Kind.TOOL_CALLED, {"decision": "deny"}),
    (Kind.PROGRESS, {"failing": 2}),
)
PROGRESS: Mapping[str, tuple[tuple[Kind, JsonObject], ...]] = {
    "progress_begun": (BEGUN, (Kind.STAGE, {"name": "baseline"})),
    "progress_working": WORKING,
    "progress_verifying": (*WORKING, (Kind.MODEL_REPLIED, {}), (Kind.VERIFICATION_STARTED, {})),
}
"""The same comment before the end."""


if __name__ == "__main__":
    for name, text in told().items():
        (HERE / f"{name}.md").write_text(text, encoding="utf-8")
