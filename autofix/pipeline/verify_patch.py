"""Judges one patch that is already there: the baseline of a run, then a run's verification; no model, no delivery."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial

from autofix.checks.baseline import Baseline, BaselineVerdict, take_baseline
from autofix.checks.case_memory import CaseMemory
from autofix.checks.finding import Finding, Severity, TestsEdit
from autofix.checks.result import Check
from autofix.delivery.patch import Patch
from autofix.delivery.verifier import Verified, Verifier
from autofix.pipeline.workspace import Workspace
from autofix.ports.git import Git
from autofix.ports.sandbox import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a patch is judged by.

    Attributes:
        merge_base: what counts as failing before the head's changes fails here; None where nothing is to count so.
        renamed: files of other names at the merge base: path now -> path before.
        cases: what was found out about tests before; None where nothing may be remembered.
    """

    git: Git
    workspace: Workspace
    head: str
    merge_base: str | None
    checks: Sequence[Check]
    tests_edit: TestsEdit
    reruns: int
    cases: CaseMemory | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """`verified` is None where the checks cannot run at all."""

    baseline: Baseline
    verified: Verified | None


def judge_patch(trial: Trial, patch: Patch) -> Judged:
    """Run the head, then the head with the patch, each in fresh trees and sandboxes.

    Raises:
        SandboxError: a sandbox failed, which says nothing about the patch.
    """
    trial.workspace.set_up(trial.head)
    baseline = _baseline(trial)
    if baseline.verdict is BaselineVerdict.INFRASTRUCTURE:
        return Judged(baseline, None)

    @contextmanager
    def fresh(commit: str, name: str, files: Mapping[str, bytes | None]) -> Iterator[Sandbox]:
        with trial.workspace.opened(commit, name, files) as opened:
            yield opened.sandbox

    verifier = Verifier(checks=trial.checks, baseline=baseline, tests_edit=trial.tests_edit, git=trial.git, fresh=fresh)
    asking = [Finding("protected-path", path, None, Severity.ASK, why) for path, why in patch.protected.items()]
    return Judged(baseline, verifier.verify(trial.head, patch.files, "verify", asking))


def _baseline(trial: Trial) -> Baseline:
    workspace, merge_base = trial.workspace, trial.merge_base
    with ExitStack() as stack:
        head = stack.enter_context(workspace.opened(trial.head, "head")).sandbox

        def base(commit: str) -> Sandbox:
            return stack.enter_context(workspace.opened(commit, "base")).sandbox

        opens = None if merge_base is None else partial(base, merge_base)
        return take_baseline(trial.checks, head, opens, reruns=trial.reruns, memory=trial.cases, renamed=trial.renamed)
