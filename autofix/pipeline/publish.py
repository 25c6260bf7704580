"""What every end of a run leaves behind: the outcome on the journal, the comment, result.json.

What cannot be written is said where it can be: a refused comment in the result, a full disk on the log.
"""

from decimal import Decimal

from autofix.delivery.deliver import PATCH_FILE, apply_line
from autofix.delivery.patch import Patch
from autofix.errors import AutofixError
from autofix.loop.outcome import Stopped
from autofix.pipeline.attempt import Attempt
from autofix.pipeline.found import Found
from autofix.pipeline.order import COMMENT_FILE, RESULT_FILE, Order, World
from autofix.report.comment import comment
from autofix.report.facts import Cost, RunReport
from autofix.report.result import result_json
from autofix.report.spans import trace_hex
from autofix.report.tally import Tally
from autofix.state.events import Kind
from autofix.state.outcome import Outcome
from autofix.state.recorder import Recorder

PARTIAL_PATCH_FILE = "unverified.patch"


def publish(order: Order, world: World, recorder: Recorder, tally: Tally, found: Found) -> RunReport:
    """Write everything that can be written; the report as far as it is known."""
    report = _report(order, world, tally, found)
    world.account(report.cost.usd or Decimal(0))
    body = comment(report, world.redactor.text)
    trouble = []
    try:
        world.keep(COMMENT_FILE, body.encode("utf-8", "replace"))
        if order.delivery != "dry-run":
            recorder.record(Kind.COMMENT_STARTED)
            there = recorder.recall(Kind.COMMENTED)  # in a run that was killed after it had commented
            recorder.record(Kind.COMMENTED, location="" if there else world.forge.comment(body).location)
    except (AutofixError, OSError, UnicodeError) as error:
        trouble.append(f"the comment could not be written: {error}")
    try:
        if found.waiting:
            recorder.record(Kind.PAUSED, question=found.waiting.id, reason=report.reason)
        else:
            recorder.record(Kind.RUN_ENDED, phase=found.phase, outcome=report.outcome.value, reason=report.reason)
    except AutofixError as error:
        trouble.append(f"the journal could not be written: {error}")
    report = report.noting(trouble)
    try:
        world.keep(RESULT_FILE, result_json(report, world.redactor.text))
    except OSError as error:
        report = report.noting([f"{RESULT_FILE} could not be written: {error}"])
    return report


def _report(order: Order, world: World, tally: Tally, found: Found) -> RunReport:
    ended = found.ended or Stopped(Outcome.ERROR, "the run ended without an outcome")
    attempt = found.attempt
    judge = attempt.judge if attempt else None
    fixed = ended.outcome in {Outcome.FIXED, Outcome.SUPERSEDED}
    patch = judge.patch if judge else None
    if patch is not None and not fixed:
        world.keep(PARTIAL_PATCH_FILE, patch.text)
    return RunReport(
        run_id=order.run_id,
        outcome=ended.outcome,
        reason=ended.reason,
        model=order.model,
        sandbox=world.room.name,
        run_directory=order.run_directory,
        pull_request=order.pull_request,
        checks=tuple(check.command for check in order.checks),
        baseline=found.baseline,
        evidence=found.evidence,
        failing_after=_failing_after(found, fixed=fixed),
        attempts=tuple(tally.attempts),
        patch=patch,
        verification=judge.verification if judge else None,
        delivered=found.delivered,
        denials=tuple(tally.denials),
        denials_by_layer=tally.denials_by_layer,
        put_back=dict(tally.put_back),
        ruled_out=tuple(tally.ruled_out),
        plans=tuple(tally.plans),
        cost=_cost(order, attempt),
        tool_calls=tally.tool_calls,
        retries=tally.retries,
        seconds=world.clock.monotonic() - found.started,
        last_words=world.redactor.text(attempt.loop.last_words) if attempt else "",
        notes=_notes(found, tally),
        findings=order.findings,
        trace=trace_hex(order.run_id) if order.trace else "",
        page=order.page,
        take_over=_take_over(order, patch, found, fixed=fixed),
        waiting=found.waiting,
        answering=order.answering,
        answers=tuple(tally.answers),
    )


def _notes(found: Found, tally: Tally) -> tuple[str, ...]:
    """What was odd: at the head, in the last verification, on the way."""
    at_head = found.baseline.notes if found.baseline else ()
    verification = found.attempt.judge.verification if found.attempt else None
    return tuple(dict.fromkeys((*at_head, *(verification.notes if verification else ()), *tally.notes)))


def _take_over(order: Order, patch: Patch | None, found: Found, *, fixed: bool) -> str:
    """The line that applies a patch which nobody delivered: verified on an older head, or the last state."""
    if patch is None or found.delivered:
        return ""
    return apply_line(order.apply, order.run_directory, PATCH_FILE if fixed else PARTIAL_PATCH_FILE)


def _failing_after(found: Found, *, fixed: bool) -> tuple[str, ...] | None:
    if fixed:
        return ()
    if found.attempt is None:
        return None
    return tuple(sorted(str(key) for key in found.attempt.loop.progress.failing))


def _cost(order: Order, attempt: Attempt | None) -> Cost:
    if attempt is None:
        return Cost(basis=order.price_basis)
    spent = attempt.budget.spent
    return Cost(spent.usage, spent.turns, spent.usd if attempt.budget.priced else None, order.price_basis)
