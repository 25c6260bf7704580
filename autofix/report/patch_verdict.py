"""What `autofix verify` says of a patch: for machines as JSON, for people as lines. Versioned as result.json is."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from autofix import __version__
from autofix.checks.baseline import Baseline
from autofix.checks.finding import Finding
from autofix.checks.result import CaseKey, Check, CheckResult
from autofix.checks.verify import Verification, VerificationVerdict
from autofix.delivery.patch import Patch, PatchRefused
from autofix.delivery.verifier import Verified
from autofix.harness.fence import as_on_screen, revealed
from autofix.ports.model import JsonValue
from autofix.report.escape import for_log

SCHEMA_VERSION = 1
SHOWN = 20
"""Cases and findings of one kind that are printed for people; the JSON has them all."""
_LINE = 300
"""Characters of one printed line."""


class PatchVerdict(Enum):
    """How a patch is judged; only VERIFIED is exit code 0."""

    VERIFIED = "verified"
    NEEDS_APPROVAL = "needs_approval"
    """It passes, but it touches the measure or protected files: a person decides."""
    TAMPERING = "tampering"
    STILL_FAILING = "still_failing"
    NEWLY_FAILING = "newly_failing"
    INVALID_PATCH = "invalid_patch"
    NOT_RUN = "not_run"
    """A check gave no picture: nothing can be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchReport:
    """A patch judged.

    Attributes:
        base: the merge base, None where no base was named.
        patch: why it cannot be judged, or what it changes.
        baseline, verified: None where judging did not come so far.
        notes: what people should know of how it was judged.
    """

    head: str
    base: str | None
    sandbox: str
    checks: Sequence[Check]
    patch: Patch | PatchRefused
    baseline: Baseline | None = None
    verified: Verified | None = None
    notes: tuple[str, ...] = ()

    @property
    def verification(self) -> Verification | None:
        return self.verified.verification if self.verified else None

    @property
    def verdict(self) -> PatchVerdict:
        if isinstance(self.patch, PatchRefused):
            return PatchVerdict.INVALID_PATCH
        return _VERDICTS[self.verification.verdict] if self.verification else PatchVerdict.NOT_RUN

    @property
    def reason(self) -> str:
        """One line that explains the verdict."""
        if isinstance(self.patch, PatchRefused):
            return self.patch.reason
        if self.verification is None:
            return self.baseline.reason if self.baseline else "the checks were not run"
        return _reason(self.verification)

    @property
    def flaky(self) -> frozenset[CaseKey]:
        """Seen to pass and to fail on one and the same tree, and that without the patch."""
        of_baseline = self.baseline.flaky if self.baseline else frozenset()
        return of_baseline | (self.verified.flaky if self.verified else frozenset())

    @property
    def all_notes(self) -> tuple[str, ...]:
        of_baseline = self.baseline.notes if self.baseline else ()
        return (*self.notes, *of_baseline, *(self.verification.notes if self.verification else ()))


_VERDICTS = {
    VerificationVerdict.VERIFIED: PatchVerdict.VERIFIED,
    VerificationVerdict.NEEDS_APPROVAL: PatchVerdict.NEEDS_APPROVAL,
    VerificationVerdict.TAMPERING: PatchVerdict.TAMPERING,
    VerificationVerdict.STILL_FAILING: PatchVerdict.STILL_FAILING,
    VerificationVerdict.NEWLY_FAILING: PatchVerdict.NEWLY_FAILING,
    VerificationVerdict.NOT_RUN: PatchVerdict.NOT_RUN,
}


def _reason(seen: Verification) -> str:
    passing = (
        f"{_tests(seen.fixed)} that failed now pass{_es(seen.fixed)}, and nothing else changed"
        if seen.fixed
        else "nothing failed at the head, and nothing fails with the patch"
    )
    reasons = {
        VerificationVerdict.VERIFIED: passing,
        VerificationVerdict.NEEDS_APPROVAL: f"it passes, but a person has to look: {_first(seen.findings)}",
        VerificationVerdict.TAMPERING: _first(seen.findings),
        VerificationVerdict.STILL_FAILING: f"{_tests(seen.still_failing)} of the head still failing",
        VerificationVerdict.NEWLY_FAILING: f"{_tests((*seen.newly_failing, *seen.lost))} failing or lost by the patch",
        VerificationVerdict.NOT_RUN: f"a check did not run with the patch: {'; '.join(sorted(seen.messages.values()))}",
    }
    return reasons[seen.verdict]


def _tests(keys: Sequence[CaseKey]) -> str:
    return "1 test" if len(keys) == 1 else f"{len(keys)} tests"


def _es(keys: Sequence[CaseKey]) -> str:
    return "es" if len(keys) == 1 else ""


def _first(findings: Sequence[Finding]) -> str:
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return f"{findings[0]}{more}" if findings else "no finding"


def patch_json(report: PatchReport) -> str:
    """The whole report as indented JSON with a final newline; ASCII, so that no terminal is told anything by a test."""
    return json.dumps(patch_result(report), indent=2) + "\n"


def patch_result(report: PatchReport) -> dict[str, JsonValue]:
    baseline, seen, patch = report.baseline, report.verification, report.patch
    patched = report.verified.patched if report.verified else None
    return {
        "schema_version": SCHEMA_VERSION,
        "autofix": __version__,
        "verdict": report.verdict.value,
        "reason": report.reason,
        "head": report.head,
        "base": report.base,
        "sandbox": report.sandbox,
        "checks": [
            {"name": check.name, "command": check.command, "runner": check.runner, "directory": check.directory}
            for check in report.checks
        ],
        "files": [*sorted(patch.files)] if isinstance(patch, Patch) else [],
        "changed_lines": patch.changed_lines if isinstance(patch, Patch) else None,
        "failing_before": _failing(baseline.results) if baseline else None,
        "failing_after": _failing(report.verified.measured) if report.verified else None,
        "failing_after_with_patched_tests": None if patched is None else _failing(patched),
        "flaky": _keys(report.flaky),
        "preexisting": _keys(baseline.preexisting) if baseline else [],
        "order_dependent": _keys(baseline.order_dependent) if baseline else [],
        "unsteady": _keys(baseline.unsteady) if baseline else [],
        "fixed": _keys(seen.fixed) if seen else [],
        "still_failing": _keys(seen.still_failing) if seen else [],
        "newly_failing": _keys(seen.newly_failing) if seen else [],
        "lost": _keys(seen.lost) if seen else [],
        "newly_skipped": _keys(seen.newly_skipped) if seen else [],
        "disagreeing": _keys(seen.disagreeing) if seen else [],
        "findings": [_finding(finding) for finding in seen.findings] if seen else [],
        "notes": [*report.all_notes],
    }


def _failing(results: Sequence[CheckResult]) -> list[JsonValue]:
    return [
        {"check": result.check, "case": id_, "message": result.cases[id_].message}
        for result in results
        for id_ in sorted(result.failing)
    ]


def _keys(keys: Iterable[CaseKey]) -> list[JsonValue]:
    return [{"check": key.check, "case": key.case} for key in sorted(keys)]


def _finding(finding: Finding) -> JsonValue:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
    }


def patch_text(report: PatchReport) -> str:
    """For people, on a terminal or a job's log: nothing that came out of the sandbox can act there."""
    return "".join(f"{for_log(_on_one_line(line))}\n" for line in _lines(report))


def _lines(report: PatchReport) -> Iterator[str]:
    yield f"{report.verdict.value}: {report.reason}"
    base = f" against {report.base[:12]}" if report.base else ""
    yield f"head {report.head[:12]}{base}, sandbox {report.sandbox}"
    for check in report.checks:
        yield f"check {check.name}: {check.command} ({check.runner})"
    baseline, seen = report.baseline, report.verification
    if baseline is not None:
        yield from _listed("failing before", _told(baseline.results))
        yield from _listed("flaky", [str(key) for key in sorted(report.flaky)])
        yield from _listed("failing at the base, too", [str(key) for key in sorted(baseline.preexisting)])
        yield from _listed("order-dependent", [str(key) for key in sorted(baseline.order_dependent)])
        yield from _listed("known to pass now and then", [str(key) for key in sorted(baseline.unsteady)])
    if seen is not None and report.verified is not None:
        yield from _listed("failing after", _told(report.verified.measured))
        for title, keys in (
            ("fixed", seen.fixed),
            ("still failing", seen.still_failing),
            ("newly failing", seen.newly_failing),
            ("no longer run", seen.lost),
            ("newly skipped or expected to fail", seen.newly_skipped),
            ("failing with the head's own tests, not with the patch's", seen.disagreeing),
        ):
            yield from _listed(title, [str(key) for key in keys])
        yield from _listed("findings", [f"{one.severity.value}: {one}" for one in seen.findings])
    yield from (f"note: {note}" for note in report.all_notes)


def _told(results: Sequence[CheckResult]) -> list[str]:
    return [
        f"{result.check}: {id_}: {result.cases[id_].message}" for result in results for id_ in sorted(result.failing)
    ]


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}: {len(lines)}"
        yield from (f"  {line}" for line in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"  ... and {len(lines) - SHOWN} more"


def _on_one_line(text: str) -> str:
    indent = "  " if text.startswith("  ") else ""
    line = indent + " ".join(revealed(as_on_screen(text)).split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
