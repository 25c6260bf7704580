"""result.json: the run for machines. Versioned; fields are only ever added within a version."""

import json
from collections.abc import Callable, Iterable

from autofix import __version__
from autofix.ports.model import JsonValue
from autofix.report.facts import RunReport
from autofix.state.recorder import scrubbed_value

SCHEMA_VERSION = 1


def result_json(report: RunReport, redact: Callable[[str], str]) -> bytes:
    """The whole result as indented JSON with a final newline; every text in it is redacted before it is escaped."""
    text = json.dumps(scrubbed_value(result(report), redact), indent=2, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "backslashreplace")  # a name that is not UTF-8 becomes the escape that JSON has for it


def result(report: RunReport) -> dict[str, JsonValue]:
    pull_request, baseline = report.pull_request, report.baseline
    return {
        "schema_version": SCHEMA_VERSION,
        "autofix": __version__,
        "run_id": report.run_id,
        "status": "interrupted" if report.waiting else "ended",
        "outcome": report.outcome.value,
        "exit_code": report.outcome.exit_code,
        "reason": report.reason,
        "base": pull_request.base if pull_request else None,
        "head": pull_request.head if pull_request else None,
        "branch": pull_request.branch if pull_request else None,
        "checks": list(report.checks),
        "sandbox": report.sandbox,
        "model": report.model,
        "ci": _ci(report),
        "failing_before": _texts(baseline.goal) if baseline else None,
        "failing_after": list(report.failing_after) if report.failing_after is not None else None,
        "flaky": _texts(baseline.flaky) if baseline else [],
        "preexisting": _texts(baseline.preexisting) if baseline else [],
        "order_dependent": _texts(baseline.order_dependent) if baseline else [],
        "attempts": [{"number": one.number, "failing": one.failing, "best": one.best} for one in report.attempts],
        "patch": _patch(report),
        "verification": _verification(report),
        "delivery": _delivery(report),
        "commit": report.delivered.commit or None if report.delivered else None,
        "plan_versions": list(report.plans),
        "denials": [
            {"tool": one.tool, "input": one.input, "layer": one.layer, "rule": one.rule, "layers": list(one.layers)}
            for one in report.denials
        ],
        "denials_by_layer": dict(report.denials_by_layer),
        "put_back": dict(report.put_back),
        "ruled_out": [{"hypothesis": one.hypothesis, "evidence": one.evidence} for one in report.ruled_out],
        "refusal": report.last_words if report.outcome.value == "refused" else None,
        "last_words": report.last_words,
        "usage": _usage(report),
        "tool_calls": report.tool_calls,
        "model_retries": report.retries,
        "seconds": round(report.seconds, 3),
        "notes": list(report.notes),
        "findings": list(report.findings),
        "run_directory": report.run_directory,
        "trace_id": report.trace or None,
        "interruption": _interruption(report),
        "answers": [
            {"id": one.id, "wanted": one.wanted, "approved": one.approved, "by": one.by, "why": one.why}
            for one in report.answers
        ],
        "resumable": report.waiting is not None,
    }


def _ci(report: RunReport) -> JsonValue:
    """What failed in CI; null where that was not looked at."""
    found = report.evidence
    if found is None:
        return None
    return {
        "jobs": [{"name": job.name, "steps": list(job.steps), "url": job.url, "note": job.note} for job in found.jobs],
        "jobs_left_out": found.left_out,
        "failing": [case.name for case in found.cases],
        "notes": list(found.notes),
    }


def _interruption(report: RunReport) -> JsonValue:
    """What the run waits for, and how it goes on; null where it has ended."""
    if report.waiting is None:
        return None
    question = report.waiting.question
    call = question.call
    return {
        "reason": "approval_required",
        "id": report.waiting.id,
        "subject": question.subject.value,
        "wanted": question.wanted,
        "why": question.reason,
        "pending_tool_call": {"tool": call.name, "input": dict(question.pending_input)} if call else None,
        "expires": report.waiting.expires.isoformat(),
        "approve": report.answering.format(word="approve", id=report.waiting.id),
        "deny": report.answering.format(word="deny", id=report.waiting.id),
    }


def _texts(keys: Iterable[object]) -> list[JsonValue]:
    return [str(key) for key in sorted(keys, key=str)]


def _patch(report: RunReport) -> JsonValue:
    if not report.patch:
        return None
    return {
        "files": list(report.patch.files),
        "changed_lines": report.patch.changed_lines,
        "diff": report.patch.text.decode("utf-8", "replace"),
    }


def _verification(report: RunReport) -> JsonValue:
    seen = report.verification
    if seen is None:
        return None
    return {
        "verdict": seen.verdict.value,
        "fixed": _texts(seen.fixed),
        "still_failing": _texts(seen.still_failing),
        "newly_failing": _texts(seen.newly_failing),
        "lost": _texts(seen.lost),
        "newly_skipped": _texts(seen.newly_skipped),
        "findings": [str(finding) for finding in seen.findings],
    }


def _delivery(report: RunReport) -> JsonValue:
    done = report.delivered
    if done is None:
        return None
    return {
        "rung": done.rung,
        "branch": done.branch,
        "patch_file": done.patch_file,
        "apply": done.apply,
        "fell": list(done.fell),
        "url": done.url or None,
    }


def _usage(report: RunReport) -> JsonValue:
    usage = report.cost.usage
    return {
        "turns": report.cost.turns,
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "usd": f"{report.cost.usd:.6f}" if report.cost.usd is not None else None,
        "price_basis": report.cost.basis,
    }
