"""Judges the tree as it stands: the patch from the scope alone, the whole check in a fresh tree, the comparison (I5).

The fresh tree is the head commit with the patch's code and the head's own measure (tests, their data, the runner's
and CI's configuration). Where a patch touches the measure, it is run once more as a whole, and both are compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding, TestsEdit
from autofix.checks.measure import is_measure, restore_measure
from autofix.checks.record import record_check
from autofix.checks.result import Check, CheckResult
from autofix.checks.run import run_check
from autofix.checks.tampering import find_tampering
from autofix.checks.verify import Verification, VerificationVerdict, verify
from autofix.delivery.patch import Patch, PatchLimits, PatchRefused, patch_of
from autofix.harness.context import failing_cases
from autofix.harness.scope import Scope
from autofix.loop.outcome import Finished, Judgement
from autofix.ports.git import Git
from autofix.ports.sandbox import Sandbox
from autofix.ports.tree import WorkTree
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder, texts

FILE_LIMIT = 64 * 1024 * 1024
"""Bytes of one file of the head that are compared; a larger one is refused by the patch limits long before."""

Files = Mapping[str, bytes | None]
FreshSandbox = Callable[[str, str, Files], AbstractContextManager[Sandbox]]
"""(commit, name, files laid over it) -> a sandbox over a fresh tree; tree and sandbox go when it closes."""

_BLAME = {
    VerificationVerdict.TAMPERING: Outcome.TAMPERING,
    VerificationVerdict.NEEDS_APPROVAL: Outcome.BLOCKED,
    VerificationVerdict.NOT_RUN: Outcome.INFRASTRUCTURE,
}


@dataclass(slots=True, kw_only=True)
class FreshTreeJudge:
    """`loop.outcome.Judge`; keeps the last patch and verification for delivery and report."""

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
        if patch.protected:
            path, why = next(iter(patch.protected.items()))
            reason = f"{path} may be changed only with a person's word: {why}"
            return Judgement(None, reason, blame=Outcome.BLOCKED, person_needed=True)
        self.patch = patch
        self.verification = self._verify(patch)
        return self._judgement(self.verification)

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
        before = self._at_head(patch.files)
        after = patch.files
        self._measured = self._run("measure", restore_measure(before, after))
        touched = any(is_measure(path) for path in after)
        patched = self._run("whole", after) if touched else None
        verification = verify(
            self.baseline,
            self._measured,
            self._findings(before, after),
            patched=patched,
            tests_edit=self.tests_edit,
        )
        self._record(verification)
        return verification

    def _findings(self, before: Files, after: Files) -> tuple[Finding, ...]:
        tests = self._at_head(case.file for case in failing_cases(self.baseline) if case.file)
        return find_tampering(
            before,
            after,
            self.tests_edit,
            self.baseline.goal,
            tests={path: content for path, content in tests.items() if content is not None},
        )

    def _at_head(self, paths: Iterable[str]) -> dict[str, bytes | None]:
        return {path: self.git.read(self.head, path, FILE_LIMIT) for path in paths}

    def _run(self, name: str, files: Files) -> tuple[CheckResult, ...]:
        results = []
        with self.fresh(self.head, f"verify-{self._count}-{name}", files) as sandbox:
            for check in self.checks:
                results.append(run_check(check, sandbox))
                record_check(self.recorder, results[-1], f"verification: {name}")
        return tuple(results)

    def _judgement(self, verification: Verification) -> Judgement:
        if verification.verdict is VerificationVerdict.VERIFIED:
            return Judgement(Finished(verification), "", self._measured)
        return Judgement(
            None,
            verification.evidence(),
            self._measured,
            blame=_BLAME.get(verification.verdict, Outcome.NO_PROGRESS),
            person_needed=verification.verdict is VerificationVerdict.NEEDS_APPROVAL,
        )

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
        )
