"""Verifies a patch, whoever wrote it: fresh trees, the head's own measure, the tampering rules, the comparison (I5).

The fresh tree is the head commit with the patch's code and the head's own measure (tests, their data, the runner's
and CI's configuration). Where a patch touches the measure, it is run once more as a whole, and both are compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding, TestsEdit
from autofix.checks.measure import is_measure, restore_measure
from autofix.checks.repetition import Repetition
from autofix.checks.result import Check, CheckResult
from autofix.checks.run import run_check
from autofix.checks.tampering import find_tampering
from autofix.checks.verify import Verification, verify
from autofix.delivery.head_tests import head_tests
from autofix.harness.context import failing_cases
from autofix.ports.git import Git
from autofix.ports.sandbox import Sandbox

FILE_LIMIT = 64 * 1024 * 1024
"""Bytes of one file of the head that are compared; a larger one is refused by the patch limits long before."""

Files = Mapping[str, bytes | None]
FreshSandbox = Callable[[str, str, Files], AbstractContextManager[Sandbox]]
"""(commit, name, files laid over it) -> a sandbox over a fresh tree; tree and sandbox go when it closes."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What came out: the judgement, the runs it rests on, and those of the whole patch where it touches the measure."""

    verification: Verification
    measured: tuple[CheckResult, ...]
    patched: tuple[CheckResult, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """Verifies patches against one baseline.

    Attributes:
        on_check: hears each check's result, and whether it measured the patch's code or the whole patch.
    """

    checks: Sequence[Check]
    baseline: Baseline
    tests_edit: TestsEdit
    git: Git
    fresh: FreshSandbox
    on_check: Callable[[CheckResult, str], None] = lambda _result, _why: None

    def verify(self, head: str, patch: Files, name: str, findings: Sequence[Finding] = ()) -> Verified:
        """Judge the patch on `head`.

        Args:
            head: the commit it applies to.
            patch: path -> new content, None where the file is deleted.
            name: begins the names of the trees.
            findings: what is held against the patch already.
        """
        before = self._at_head(head, patch)
        measured = self._run(head, f"{name}-measure", restore_measure(before, patch))
        touched = any(is_measure(path) for path in patch)
        patched = self._run(head, f"{name}-whole", patch) if touched else None
        found = (*findings, *self._findings(head, before, patch))
        verification = verify(self.baseline, measured, found, patched=patched, tests_edit=self.tests_edit)
        return Verified(verification, measured, patched)

    def _findings(self, head: str, before: Files, after: Files) -> tuple[Finding, ...]:
        named = {case.file for case in failing_cases(self.baseline) if case.file}
        tests = head_tests(self.git, head, named, after.keys())
        return find_tampering(before, after, self.tests_edit, self.baseline.goal, tests=tests)

    def _at_head(self, head: str, paths: Iterable[str]) -> dict[str, bytes | None]:
        return {path: self.git.read(head, path, FILE_LIMIT) for path in paths}

    def _run(self, head: str, name: str, files: Files) -> tuple[CheckResult, ...]:
        results = []
        with self.fresh(head, name, files) as sandbox:
            for check in self.checks:
                first = run_check(check, sandbox)
                self.on_check(first, name.rpartition("-")[2])
                results.append(self._repetition(check).believed(first, sandbox))
        return tuple(results)

    def _repetition(self, check: Check) -> Repetition:
        return Repetition(
            check=check,
            goal=self.baseline.wanted(check.name),
            unsteady=self.baseline.doubtful(check.name),
            tolerated=self.baseline.tolerated(check.name),
            on_run=lambda result: self.on_check(result, "again"),
        )
