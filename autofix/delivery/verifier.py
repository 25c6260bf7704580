"""Verifies a patch, whoever wrote it: fresh trees, the head's own measure, the tampering rules, the comparison (I5).

The fresh tree is the head commit with the patch's code and the head's own measure (tests, their data, the runner's
and CI's configuration). Where a patch touches the measure, it is run once more as a whole, and both are compared.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding, TestsEdit
from autofix.checks.measure import is_measure, restore_measure
from autofix.checks.new_failures import HEAD_RUNS, failing_at_head, passing_again
from autofix.checks.repetition import Repetition
from autofix.checks.result import CaseKey, Check, CheckResult
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
    """What came out: the judgement, the runs it rests on, and those of the whole patch where it touches the measure.

    `flaky`: cases that failed for the first time with the patch, and were seen to be flaky without it.
    """

    verification: Verification
    measured: tuple[CheckResult, ...]
    patched: tuple[CheckResult, ...] | None
    flaky: frozenset[CaseKey] = frozenset()


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
        suspects: set[CaseKey] = set()
        measured = self._run(head, f"{name}-measure", restore_measure(before, patch), suspects)
        touched = any(is_measure(path) for path in patch)
        patched = self._run(head, f"{name}-whole", patch, suspects) if touched else None
        found = (*findings, *self._findings(head, before, patch))
        flaky = self._flaky(head, name, suspects)
        baseline = replace(self.baseline, flaky=self.baseline.flaky | flaky)
        verification = verify(baseline, measured, found, patched=patched, tests_edit=self.tests_edit)
        notes = (*verification.notes, *(_told(key, flaky) for key in sorted(suspects)))
        return Verified(replace(verification, notes=notes), measured, patched, flaky)

    def _findings(self, head: str, before: Files, after: Files) -> tuple[Finding, ...]:
        named = {case.file for case in failing_cases(self.baseline) if case.file}
        tests = head_tests(self.git, head, named, after.keys())
        return find_tampering(before, after, self.tests_edit, self.baseline.goal, tests=tests)

    def _at_head(self, head: str, paths: Iterable[str]) -> dict[str, bytes | None]:
        return {path: self.git.read(head, path, FILE_LIMIT) for path in paths}

    def _run(self, head: str, name: str, files: Files, suspects: set[CaseKey]) -> tuple[CheckResult, ...]:
        """Every check in a fresh tree; `suspects` gains new failures that did not come again in that same tree."""
        results = []
        with self.fresh(head, name, files) as sandbox:
            for check in self.checks:
                first = run_check(check, sandbox)
                self.on_check(first, name.rpartition("-")[2])
                results.append(self._repetition(check).believed(first, sandbox))
                new = self._new(results[-1])
                suspects |= {CaseKey(check.name, id_) for id_ in passing_again(check, sandbox, new, self._on_again)}
        return tuple(results)

    def _new(self, result: CheckResult) -> frozenset[str]:
        """Failures that the head did not show; none where a check did not run, or a linter complains."""
        if result.not_run is not None or result.complaints:
            return frozenset()
        return result.failing - self.baseline.wanted(result.check) - self.baseline.tolerated(result.check)

    def _flaky(self, head: str, name: str, suspects: Collection[CaseKey]) -> frozenset[CaseKey]:
        """Those of the suspects that fail in an untouched tree of the head, too."""
        found: set[CaseKey] = set()
        for check in self.checks:
            mine = {key.case for key in suspects if key.check == check.name}
            if mine:
                with self.fresh(head, f"{name}-head", {}) as sandbox:
                    failing = failing_at_head(check, sandbox, mine, lambda result: self.on_check(result, "head"))
                found |= {CaseKey(check.name, id_) for id_ in failing}
        return frozenset(found)

    def _repetition(self, check: Check) -> Repetition:
        return Repetition(
            check=check,
            goal=self.baseline.wanted(check.name),
            unsteady=self.baseline.doubtful(check.name),
            tolerated=self.baseline.tolerated(check.name),
            on_run=self._on_again,
        )

    def _on_again(self, result: CheckResult) -> None:
        self.on_check(result, "again")


def _told(key: CaseKey, flaky: Collection[CaseKey]) -> str:
    if key in flaky:
        return f"{key.case} is flaky: it failed and passed with the patch, and fails now and then without it"
    return f"{key.case} failed and passed in the same patched tree, and never failed in {HEAD_RUNS} runs without it"
