"""Baseline + what the patched tree shows + findings -> Verification: the only place that says "fixed"."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding, Severity, TestsEdit
from autofix.checks.measure import is_check_configuration, is_test_file
from autofix.checks.passing import passes
from autofix.checks.result import CHECK_DID_NOT_RUN, CaseKey, CheckResult, NotRun, Outcome, inside

EVIDENCE_LINES = 20
"""Lines of each kind in the evidence for the model: the first failures tell it what to do next."""

NAMED = 5
"""Cases named in one note; the rest are counted."""


class VerificationVerdict(Enum):
    """How a patch is judged; the first that holds, in this order."""

    TAMPERING = "tampering"
    """The measure was made weaker, or the code behaves otherwise under test."""
    NOT_RUN = "not run"
    """A check gave no picture: nothing may be called fixed."""
    STILL_FAILING = "still failing"
    NEWLY_FAILING = "newly failing"
    NEEDS_APPROVAL = "needs approval"
    """It passes, but it touches the measure or looks odd: a person decides."""
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Verification:
    """What verification saw.

    Attributes:
        fixed, still_failing: the goal, split.
        newly_failing: failing now, neither in the goal nor known as flaky or pre-existing.
        lost: cases of the head's picture that no longer ran.
        newly_skipped: cases that ran at the head and are skipped or expected to fail now.
        findings: what the tampering rules found, and what the runs gave away.
        disagreeing: cases that fail with the head's own tests and not with the patch's, where it changes them.
        notes: what was odd, in plain words.
        messages: of the cases that fail, for the evidence.
    """

    verdict: VerificationVerdict
    fixed: tuple[CaseKey, ...] = ()
    still_failing: tuple[CaseKey, ...] = ()
    newly_failing: tuple[CaseKey, ...] = ()
    lost: tuple[CaseKey, ...] = ()
    newly_skipped: tuple[CaseKey, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    messages: Mapping[CaseKey, str] = field(default_factory=dict)
    disagreeing: tuple[CaseKey, ...] = ()

    @property
    def verified(self) -> bool:
        return self.verdict is VerificationVerdict.VERIFIED

    def evidence(self) -> str:
        """Short text for the model: what is not right yet, with the failing cases' messages."""
        parts = [f"Verification: {self.verdict.value}."]
        for title, keys in (
            ("Still failing", self.still_failing),
            ("Newly failing", self.newly_failing),
            ("No longer run", self.lost),
            ("Newly skipped or expected to fail", self.newly_skipped),
        ):
            parts.extend(_listed(title, [self._told(key) for key in keys]))
        parts.extend(_listed("Not acceptable", [str(finding) for finding in self.findings]))
        parts.extend(_listed("Note", list(self.notes)))
        return "\n".join(parts)

    def _told(self, key: CaseKey) -> str:
        message = self.messages.get(key, "")
        return f"{key.case}: {message}" if message else key.case


def _listed(title: str, lines: list[str]) -> list[str]:
    more = [f"  ... and {len(lines) - EVIDENCE_LINES} more"] if len(lines) > EVIDENCE_LINES else []
    return [f"{title}:", *(f"  {line}" for line in lines[:EVIDENCE_LINES]), *more] if lines else []


def verify(
    baseline: Baseline,
    measured: Sequence[CheckResult],
    findings: Sequence[Finding] = (),
    *,
    patched: Sequence[CheckResult] | None = None,
    tests_edit: TestsEdit = "ask",
) -> Verification:
    """Judge a patch by I5.

    Args:
        baseline: the picture at the head commit.
        measured: every check on head + the patch's code with the head's own measure (`restore_measure`).
        patched: every check on head + the whole patch; None where the patch leaves the measure alone (then `measured`
            is the whole patch).
        findings: of the tampering rules, on the whole patch.
        tests_edit: what the policy says of a patch that changes tests: with "allow" the whole patch decides, and where
            the head's own tests disagree that is noted.
    """
    with_head = _Comparison(baseline, measured)
    with_patch = with_head if patched is None else _Comparison(baseline, patched)
    decisive = with_patch if tests_edit == "allow" else with_head
    notes = [*with_head.notes]
    disagreeing = with_head.failing_unlike(with_patch)
    verdict = decisive.verdict()
    accused = [*findings, *(decisive.findings())]
    if verdict in _FAILING and decisive is not with_patch and with_patch.green():
        # The patch passes only with its own tests: perhaps the tests were wrong. That is a person's to say.
        notes.append(f"passes with the patch's own tests, not with those of the head commit{_named(disagreeing)}")
        verdict = VerificationVerdict.NEEDS_APPROVAL
        accused += [replace(finding, severity=Severity.ASK) for finding in with_patch.findings()]
    elif tests_edit == "allow" and with_head.verdict():
        notes.append(f"the head commit's own tests do not pass with this patch{_named(disagreeing)}")
    if any(finding.severity is Severity.TAMPERING for finding in accused):
        verdict = VerificationVerdict.TAMPERING
    elif verdict is None and accused and not (tests_edit == "allow" and all(_allowed(one) for one in accused)):
        verdict = VerificationVerdict.NEEDS_APPROVAL
    return Verification(
        verdict or VerificationVerdict.VERIFIED,
        fixed=decisive.fixed,
        still_failing=decisive.still_failing,
        newly_failing=decisive.newly_failing,
        lost=decisive.lost,
        newly_skipped=decisive.newly_skipped,
        findings=tuple(accused),
        notes=tuple(dict.fromkeys(notes)),
        messages=decisive.messages,
        disagreeing=disagreeing,
    )


def _named(keys: Sequence[CaseKey]) -> str:
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f": {', '.join(key.case for key in keys[:NAMED])}{more}" if keys else ""


_FAILING = frozenset({VerificationVerdict.STILL_FAILING, VerificationVerdict.NEWLY_FAILING})


def _allowed(finding: Finding) -> bool:
    """What `tests.edit = allow` lets through: changes of tests as such, never of configuration or code."""
    return is_test_file(finding.path) and not is_check_configuration(finding.path)


class _Comparison:
    """The head's picture beside the patched tree's."""

    def __init__(self, baseline: Baseline, after: Sequence[CheckResult]) -> None:
        self._baseline = baseline
        self._after = {result.check: result for result in after}
        pairs = [(before, self._after.get(before.check)) for before in baseline.results]
        self._ran = [(before, now) for before, now in pairs if now is not None and now.not_run is None]
        self.not_run = tuple(before.check for before, now in pairs if now is None or now.not_run is not None)
        known = baseline.goal | baseline.flaky | baseline.preexisting
        failing = {key for result in after for key in result.failing_keys}
        self.fixed = tuple(sorted(key for key in baseline.goal if self._passes(key)))
        self.still_failing = tuple(sorted(baseline.goal - set(self.fixed)))
        self.newly_failing = tuple(sorted(failing - known))
        self.lost = tuple(sorted(key for before, now in self._ran for key in _lost(before, now)))
        self.newly_skipped = tuple(sorted(key for before, now in self._ran for key in _newly_skipped(before, now)))
        self.without_report = tuple(
            before.check for before, now in pairs if before.report and now is not None and not now.report
        )
        self.notes = tuple(note for result in after for note in result.notes)
        self.messages = {
            CaseKey(result.check, id_): result.cases[id_].message for result in after for id_ in result.failing
        }

    def failing_unlike(self, other: "_Comparison") -> tuple[CaseKey, ...]:
        """Cases that count and fail here, and do not fail there."""
        tolerated = self._baseline.flaky | self._baseline.preexisting
        return tuple(sorted(self.messages.keys() - other.messages.keys() - tolerated))

    def verdict(self) -> VerificationVerdict | None:
        """What the runs alone say against the patch; None where they say nothing against it."""
        if self.findings():
            return VerificationVerdict.TAMPERING
        if any(self._after.get(check) is None or not self._broken_by_patch(check) for check in self.not_run):
            return VerificationVerdict.NOT_RUN
        if self.still_failing:
            return VerificationVerdict.STILL_FAILING
        return VerificationVerdict.NEWLY_FAILING if self.newly_failing or self.lost else None

    def green(self) -> bool:
        """Whether every check ran and nothing fails that is not known to be flaky or older."""
        return not (self.not_run or self.newly_failing or any(key in self.messages for key in self._baseline.goal))

    def findings(self) -> tuple[Finding, ...]:
        """What only a patch that cheats leaves: a success from which tests are missing."""
        found = []
        for check in self.without_report:
            if self._after[check].exit_code == 0:
                message = f"check {check} ended with success and without its report: something ended the runner early"
                found.append(_of_runs("report-missing", message))
        successful = {before.check for before, now in self._ran if now.exit_code == 0 and now.report}
        for rule, keys, what in (
            ("tests-lost", self.lost, "no longer run"),
            ("newly-skipped", self.newly_skipped, "are skipped or expected to fail now"),
        ):
            missing = [key for key in keys if key.check in successful]
            if missing:
                names = ", ".join(key.case for key in missing[:3]) + (" ..." if len(missing) > 3 else "")  # noqa: PLR2004 - an excerpt
                found.append(_of_runs(rule, f"{len(missing)} tests of the head commit {what}: {names}"))
        return tuple(found)

    def _passes(self, key: CaseKey) -> bool:
        now = self._after.get(key.check)
        if now is None or (key.case not in now.cases and self._is_a_test(key)):
            return False
        return passes(now, key.case, self._baseline.tolerated(key.check))

    def _is_a_test(self, key: CaseKey) -> bool:
        """Whether it ran to its end at the head, and so stands for nothing but itself."""
        before = self._baseline.result(key.check)
        case = before.cases.get(key.case) if before is not None and not before.complaints else None
        return case is not None and key.case != key.check and case.outcome is not Outcome.ERROR

    def _broken_by_patch(self, check: str) -> bool:
        """Whether a check without a picture had one at the head: then the patch broke it, and the model is told."""
        before = self._baseline.result(check)
        now = self._after[check]
        return before is not None and now.not_run in {
            NotRun.COLLECTION,
            NotRun.CRASHED,
            NotRun.TIMEOUT,
            NotRun.NOTHING_COLLECTED,
        }


def _of_runs(rule: str, message: str) -> Finding:
    return Finding(rule, "", None, Severity.TAMPERING, message)


def _lost(before: CheckResult, now: CheckResult) -> Iterator[CaseKey]:
    if before.complaints or now.complaints:
        return
    for id_, case in before.cases.items():
        stands_for_more = id_ in {CHECK_DID_NOT_RUN, before.check} or (
            case.outcome is Outcome.ERROR and bool(inside(id_, now.cases))
        )
        if id_ not in now.cases and not stands_for_more:
            yield CaseKey(before.check, id_)


def _newly_skipped(before: CheckResult, now: CheckResult) -> Iterator[CaseKey]:
    for id_, case in now.cases.items():
        earlier = before.cases.get(id_)
        if case.outcome in _UNJUDGED and earlier is not None and earlier.outcome not in _UNJUDGED:
            yield CaseKey(before.check, id_)


_UNJUDGED = frozenset({Outcome.SKIPPED, Outcome.XFAILED})
