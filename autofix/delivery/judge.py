"""Judges the tree as it stands: the patch from the scope alone, then its verification in a fresh tree (I5)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Severity, TestsEdit
from autofix.checks.kept import pack_verification, unpack_verification
from autofix.checks.record import record_check
from autofix.checks.result import Check, CheckResult
from autofix.checks.verify import Verification, VerificationVerdict
from autofix.delivery.patch import Patch, PatchLimits, PatchRefused, patch_of
from autofix.delivery.verifier import FreshSandbox, Verifier
from autofix.harness.allowed_edits import allowed_content
from autofix.harness.approval import Answer, Approvals, Question, Subject, Waiting
from autofix.harness.scope import Scope
from autofix.harness.tools import Artifacts
from autofix.harness.tools.file_text import EDITABLE_BYTES
from autofix.loop.outcome import Finished, Judgement
from autofix.ports.git import Git
from autofix.ports.tree import WorkTree
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder, texts

_BLAME = {
    VerificationVerdict.TAMPERING: Outcome.TAMPERING,
    VerificationVerdict.NEEDS_APPROVAL: Outcome.BLOCKED,
    VerificationVerdict.NOT_RUN: Outcome.INFRASTRUCTURE,
}
_FOR_A_PERSON = frozenset({VerificationVerdict.VERIFIED, VerificationVerdict.NEEDS_APPROVAL})


def _refusal(answer: Answer) -> str:
    why = f": {answer.why}" if answer.why else "."
    return f"{answer.by} looked at this patch and refused it{why}"


@dataclass(slots=True, kw_only=True)
class FreshTreeJudge:
    """`loop.outcome.Judge`; keeps the last patch and verification for delivery and report.

    Attributes:
        memory: keeps what each verification saw, for a run that is resumed.
    """

    tree: WorkTree
    head: str
    scope: Scope
    limits: PatchLimits
    checks: Sequence[Check]
    baseline: Baseline
    tests_edit: TestsEdit
    git: Git
    fresh: FreshSandbox
    recorder: Recorder
    memory: Artifacts
    approvals: Approvals | None = None
    """None where nobody can be asked."""
    patch: Patch | None = None
    verification: Verification | None = None
    _count: int = 0
    _measured: tuple[CheckResult, ...] = ()

    def __call__(self) -> Judgement:
        patch = patch_of(self.git, self.tree, self.scope, self.limits)
        if isinstance(patch, PatchRefused):
            return Judgement(None, patch.reason, blame=Outcome.BLOCKED)
        if not patch:
            return Judgement(None, f"nothing in scope was changed, and {len(self.baseline.goal)} still fail.")
        if self._protected(patch) and not self._can_ask:
            path, why = self._protected(patch)[0]
            reason = f"{path} may be changed only with a person's word: {why}"
            return Judgement(None, reason, blame=Outcome.BLOCKED, person_needed=True)
        self.patch = patch
        self.verification = self._verify(patch)
        return self._judgement(patch, self.verification)

    def snapshot(self) -> None:
        """Keep what the tree changes now, judged or not, for whoever takes over."""
        patch = patch_of(self.git, self.tree, self.scope, self.limits)
        self.patch = patch if isinstance(patch, Patch) and patch else self.patch

    def holds_on(self, patch: Patch) -> bool:
        """Judge a patch once more on the commit it was moved to; it is what delivery and report see from now on."""
        self.head, self.patch = patch.base, patch
        self.verification = self._verify(patch)
        return self.verification.verdict is VerificationVerdict.VERIFIED

    def _verify(self, patch: Patch) -> Verification:
        self._count += 1
        self.recorder.record(Kind.VERIFICATION_STARTED, number=self._count, files=texts(sorted(patch.files)))
        before = self.recorder.recall_end(Kind.VERIFIED)
        if before:
            verification, self._measured = unpack_verification(self.memory.read(str(before.data["kept"])) or b"")
            self.recorder.record(Kind.VERIFIED)
            return verification
        verifier = Verifier(
            checks=self.checks,
            baseline=self.baseline,
            tests_edit=self.tests_edit,
            git=self.git,
            fresh=self.fresh,
            on_check=lambda result, what: record_check(self.recorder, result, f"verification: {what}"),
        )
        done = verifier.verify(self.head, patch.files, f"verify-{self._count}")
        self._measured = done.measured
        self._record(done.verification)
        return done.verification

    def _judgement(self, patch: Patch, verification: Verification) -> Judgement:
        protected = self._protected(patch)
        if verification.verdict is VerificationVerdict.VERIFIED and not protected:
            return Judgement(Finished(verification), "", self._measured)
        if verification.verdict in _FOR_A_PERSON and self._can_ask:
            return self._asked(patch, verification, protected)
        return Judgement(
            None,
            verification.evidence(),
            self._measured,
            blame=_BLAME.get(verification.verdict, Outcome.NO_PROGRESS),
            person_needed=verification.verdict is VerificationVerdict.NEEDS_APPROVAL,
        )

    @property
    def _can_ask(self) -> bool:
        return self.approvals is not None and self.approvals.possible and self.tests_edit != "deny"

    def _protected(self, patch: Patch) -> list[tuple[str, str]]:
        """Protected files the patch changes, with the reason, that no person has allowed yet."""
        return [(path, why) for path, why in patch.protected.items() if not self._allowed(patch, path)]

    def _allowed(self, patch: Patch, path: str) -> bool:
        """Whether a person has seen and allowed all that the patch does to this file."""
        edits = self.approvals.allowed_edits(path) if self.approvals else []
        if not edits or path not in patch.files:
            return False
        return allowed_content(path, self.git.read(self.head, path, EDITABLE_BYTES), edits) == patch.files[path]

    def _asked(self, patch: Patch, verification: Verification, protected: list[tuple[str, str]]) -> Judgement:
        """Put a patch that holds to a person, where somebody has to say that it may be."""
        odd = [one for one in verification.findings if one.severity is Severity.ASK]
        reasons = [f"{path}: {why}" for path, why in protected] + [
            str(one) for one in odd if not self._allowed(patch, one.path)
        ]
        if odd and not reasons:
            return Judgement(Finished(verification), "", self._measured)
        assert self.approvals is not None, "asked only where somebody can be"
        answer = self.approvals.ask(
            Question(
                subject=Subject.PATCH,
                wanted=f"deliver a verified patch of {', '.join(sorted(patch.files))}",
                reason="; ".join(reasons or verification.notes),
                grant=f"patch:{hashlib.sha256(patch.text).hexdigest()}",
                detail=patch.text.decode("utf-8", "replace"),
            )
        )
        if isinstance(answer, Waiting):
            return Judgement(None, answer.line, blame=Outcome.AWAITING_APPROVAL, person_needed=True)
        if answer.approved:
            return Judgement(Finished(verification), "", self._measured)
        return Judgement(None, _refusal(answer), self._measured, blame=Outcome.BLOCKED)

    def _record(self, verification: Verification) -> None:
        self.recorder.record(
            Kind.VERIFIED,
            number=self._count,
            verdict=verification.verdict.value,
            fixed=texts(verification.fixed),
            still_failing=texts(verification.still_failing),
            newly_failing=texts(verification.newly_failing),
            lost=texts(verification.lost),
            newly_skipped=texts(verification.newly_skipped),
            findings=texts(verification.findings),
            kept=self.memory.keep("verification", pack_verification(verification, self._measured)),
        )
