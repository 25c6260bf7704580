"""The one comment on the pull request: what happened, and what a person does next, in ten seconds.

Every text that somebody else could have written goes through `report.escape` first; the template refuses a plain
string, so that none can slip in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autofix.checks.ci_evidence import CiJob
from autofix.harness.approval import Subject, Waiting
from autofix.harness.context import failing_cases
from autofix.report.escape import code_block, for_markdown, inline_code
from autofix.report.facts import RunReport
from autofix.report.fit import fit
from autofix.report.tally import Answered
from autofix.state.outcome import Outcome

if TYPE_CHECKING:
    from jinja2 import Template

COMMENT_LIMIT = 60_000
"""Characters; GitHub refuses 65,536, and what is appended later needs room (security goal G27)."""
SHOWN_CASES = 10
SHOWN_LINES = 30
DIFF_CHARACTERS = 20_000
MESSAGE_CHARACTERS = 200
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9._:/#?=&%-]{1,500}")

_HEADLINES = {
    Outcome.FIXED: ("✅", "autofix fixed the failing checks"),
    Outcome.NOTHING_TO_FIX: ("✅", "Nothing to fix: the checks pass here"),
    Outcome.FLAKY: ("🎲", "The failing tests are flaky"),
    Outcome.PREEXISTING: ("🕰️", "The failures are older than this pull request"),
    Outcome.INFRASTRUCTURE: ("🔌", "The checks could not run"),
    Outcome.NO_PROGRESS: ("🧭", "autofix stopped: the failing tests did not get fewer"),
    Outcome.BUDGET_EXCEEDED: ("⏳", "autofix stopped at a limit"),
    Outcome.OUT_OF_SCOPE: ("📎", "The fix needs a file this pull request does not touch"),
    Outcome.AWAITING_APPROVAL: ("✋", "autofix waits for a decision"),
    Outcome.TAMPERING: ("🚫", "The attempted fix weakened the tests and was refused"),
    Outcome.REFUSED: ("🤐", "The model declined this task"),
    Outcome.BLOCKED: ("✋", "The fix needs what only a person may allow"),
    Outcome.DIAGNOSIS: ("🔎", "Diagnosis, nothing was edited"),
    Outcome.SUPERSEDED: ("⏭️", "The branch moved: nothing was pushed"),
    Outcome.SKIPPED: ("⏭️", "Skipped"),
    Outcome.CANCELLED: ("🛑", "Cancelled"),
    Outcome.ERROR: ("💥", "autofix failed"),
}

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._-]+)*")
"""Of a page on GitHub; nothing that Markdown would read otherwise."""
_NEXT_STEPS = {
    Outcome.NOTHING_TO_FIX: "re-run the failed job; if it fails there again, its environment differs from the sandbox.",
    Outcome.FLAKY: "re-run the failed job, and make the tests below independent of time, order and chance.",
    Outcome.PREEXISTING: "fix the base branch first, or set `fix-preexisting = true` in `.github/autofix.toml`.",
    Outcome.INFRASTRUCTURE: "make the check command run in the sandbox (image, setup command), then start again.",
    Outcome.NO_PROGRESS: "take over from what was tried below; one line applies the last state.",
    Outcome.BUDGET_EXCEEDED: "raise the limit in `.github/autofix.toml`, or take over from what was tried below.",
    Outcome.OUT_OF_SCOPE: "decide whether that file belongs here; if so, touch it or grant it with `scope.extra`.",
    Outcome.AWAITING_APPROVAL: "answer the question.",
    Outcome.TAMPERING: "look yourself: either the tests are wrong, or the code is in a way the model could not fix.",
    Outcome.REFUSED: "read the model's reason below; the code may need a person.",
    Outcome.BLOCKED: "make that change yourself if it is right; autofix will not make it on its own.",
    Outcome.DIAGNOSIS: "act on the diagnosis below, or run again with a mode that may edit.",
    Outcome.SUPERSEDED: "nothing: the checks of the newer commit count. One line applies the patch below.",
    Outcome.SKIPPED: "nothing.",
    Outcome.CANCELLED: "start again if it was not meant to end.",
    Outcome.ERROR: "start again when the reason below is gone.",
}


_DIFF_TITLES = {
    Outcome.FIXED: "What was changed",
    Outcome.SUPERSEDED: "The patch, verified on the older commit",
}
_REASON_TITLES = {Outcome.FIXED: "Result", Outcome.DIAGNOSIS: "Diagnosis"}
_VERIFIED = frozenset(_DIFF_TITLES)
"""Outcomes that are reached with a verified patch in hand."""


class Escaped(str):
    """Text that is safe to stand in the comment."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Case:
    id: Escaped
    message: Escaped


@dataclass(frozen=True, slots=True)
class _Fold:
    title: Escaped
    lines: tuple[Escaped, ...]


@dataclass(frozen=True, slots=True)
class _Pen:
    """Writes what others could have written: redacted first, so that no escape and no cut can hide a secret."""

    redact: Callable[[str], str]

    def prose(self, text: str, limit: int) -> Escaped:
        return Escaped(for_markdown(" ".join(self.redact(text).split())[:limit]))

    def code(self, text: str, limit: int = MESSAGE_CHARACTERS) -> Escaped:
        text = self.redact(text)
        return Escaped(inline_code(text if len(text) <= limit else f"{text[: limit - 1]}…"))

    def block(self, text: str) -> Escaped:
        if not text:
            return Escaped("")
        text = self.redact(text)
        if len(text) > DIFF_CHARACTERS:
            text = f"{text[:DIFF_CHARACTERS]}\n… the rest is in the patch file"
        return Escaped(code_block(text, "diff"))


def comment(report: RunReport, redact: Callable[[str], str]) -> str:
    """The comment's Markdown, within GitHub's limit."""
    pen = _Pen(redact)
    icon, headline = _HEADLINES[report.outcome]
    cases, more = _failing(report, pen)
    text: str = template().render(
        icon=Escaped(icon),
        headline=Escaped(headline),
        reason_title=Escaped(_REASON_TITLES.get(report.outcome, "Why")),
        reason=pen.prose(report.reason, 2000),
        next_step=Escaped(_next_step(report, pen)),
        findings=[pen.prose(finding, 1000) for finding in _findings(report)],
        branch=Escaped(_branch(report, pen)),
        attempts=Escaped(_chart(report)),
        failing_title=Escaped("What failed" if report.outcome in _VERIFIED else "Failing"),
        failing=cases,
        failing_more=more,
        accused=_accused(report, pen),
        asked=pen.block(_asked(report)),
        diff=pen.block(report.patch.text.decode("utf-8", "replace") if report.patch else ""),
        rest=pen.block(report.delivered.rest if report.delivered else ""),
        diff_title=Escaped(_diff_title(report)),
        take_over=pen.code(report.take_over, 4000) if report.take_over else Escaped(""),
        verified=Escaped(_verified(report)),
        folds=[fold for fold in _folds(report, pen) if fold.lines],
        footer=Escaped(_footer(report, pen)),
    )
    return fit(text, COMMENT_LIMIT)


@cache
def template() -> "Template":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        finalize=_only_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown, not HTML: `_only_escaped` refuses what did not pass report.escape
    )
    return environment.get_template("comment.md.j2")


def _only_escaped(value: Any) -> Any:
    if isinstance(value, Escaped | int):
        return value
    raise TypeError(f"text that did not pass report.escape: {type(value).__name__}")


def _failing(report: RunReport, pen: _Pen) -> tuple[list[_Case], int]:
    if report.baseline is None:
        return [], 0
    cases = failing_cases(report.baseline)
    shown = [_Case(pen.code(case.id), pen.prose(case.message, MESSAGE_CHARACTERS)) for case in cases[:SHOWN_CASES]]
    return shown, max(0, len(cases) - SHOWN_CASES)


def _findings(report: RunReport) -> list[str]:
    """Those that the next step does not tell anyway, as the reason why a rung of the ladder did not hold."""
    told = report.delivered.fell if report.delivered else ()
    return [finding for finding in report.findings if finding not in told]


def _branch(report: RunReport, pen: _Pen) -> str:
    """Where a person who takes over finds the branch."""
    pull = report.pull_request
    tried = report.outcome.escalates and report.cost.turns and report.outcome is not Outcome.DIAGNOSIS
    if pull is None or not pull.branch or not tried:
        return ""
    return f"nothing was pushed; {pen.code(pull.branch)} is as it was at {pull.head[:12]}."


def _accused(report: RunReport, pen: _Pen) -> list[Escaped]:
    """What the rules hold against the patch, where that is why a person has to look."""
    if report.verification is None or report.outcome in _VERIFIED:
        return []
    return [pen.prose(str(finding), MESSAGE_CHARACTERS) for finding in report.verification.findings[:SHOWN_LINES]]


def _next_step(report: RunReport, pen: _Pen) -> str:
    if report.outcome is Outcome.FIXED:
        return _next_after_fix(report, pen)
    if report.waiting:
        return _how_to_answer(report, report.waiting, pen)
    return _NEXT_STEPS[report.outcome]


def _how_to_answer(report: RunReport, waiting: Waiting, pen: _Pen) -> str:
    yes, no = (pen.code(report.answering.format(word=word, id=waiting.id)) for word in ("approve", "deny"))
    until = f"{waiting.expires.day} {waiting.expires:%B %Y}"
    return f"look at what is asked, then say {yes}, or {no} with a reason after it, until {until}."


def _asked(report: RunReport) -> str:
    """What a person has to see before they answer; a patch is shown as such."""
    question = report.waiting.question if report.waiting else None
    return question.detail if question and question.subject is not Subject.PATCH else ""


def _next_after_fix(report: RunReport, pen: _Pen) -> str:
    done = report.delivered
    if done is None:
        return "review the patch."
    if done.rung == "push":
        note = f" ({pen.prose('; '.join(done.fell), 2000)})" if done.fell else ""
        return f"review commit {done.commit[:12]} on {pen.code(done.branch)}{note}."
    why = f" Not pushed: {pen.prose('; '.join(done.fell), 2000)}." if done.fell else ""
    if done.rung == "suggest":
        return f"accept the suggestions of {_link('the review', done.url)}.{why}"
    if done.rung == "pull-request":
        return f"review and merge {_link('the pull request into this branch', done.url)}.{why}"
    return f"review the patch and apply it with {pen.code(done.apply, 4000)}.{why}"


def _link(words: str, url: str) -> str:
    """A link to a place the forge itself named."""
    return f"[{words}]({url})" if _PLAIN_URL.fullmatch(url) else words


def _chart(report: RunReport) -> str:
    """`3 → 2 → 0`, the baseline first."""
    if report.baseline is None or not report.attempts:
        return ""
    counts = [len(report.baseline.goal), *(attempt.failing for attempt in report.attempts)]
    if report.outcome is Outcome.FIXED and counts[-1]:
        counts.append(0)
    return f"**{' → '.join(str(count) for count in counts)}**"


def _diff_title(report: RunReport) -> str:
    if not report.patch:
        return ""
    files = len(report.patch.files)
    waits = report.waiting is not None and report.waiting.question.subject is Subject.PATCH
    what = "The patch that is asked about" if waits else _DIFF_TITLES.get(report.outcome, "Last state, not accepted")
    return f"{what}: {_count(files, 'file')}, {_count(report.patch.changed_lines, 'line')}"


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _verified(report: RunReport) -> str:
    seen = report.verification
    if report.outcome is Outcome.FIXED and report.bundled:
        return "by the job that fixed it, on this very commit; this job ran nothing of the pull request."
    if seen is None or report.outcome not in _VERIFIED:
        return ""
    return (
        f"{len(seen.fixed)} formerly failing now pass by name, nothing newly failing, nothing lost or skipped;"
        " whole check, fresh checkout, tests as they were."
    )


def _folds(report: RunReport, pen: _Pen) -> Sequence[_Fold]:
    baseline = report.baseline
    flaky = sorted(baseline.flaky) if baseline else []
    old = sorted(baseline.preexisting) if baseline else []
    by_order = sorted(baseline.order_dependent) if baseline else []
    denied = f"Denied calls: {len(report.denials)} ({_by_layer(report)})"
    said = [pen.prose(report.last_words, 1500)] if report.last_words and report.outcome.escalates else []
    given_up = [f"{pen.prose(one.hypothesis, 300)}: {pen.prose(one.evidence, 500)}" for one in report.ruled_out]
    return (
        _fold("What CI showed", _ci(report, pen)),
        _fold("What people decided", [_decision(one, pen) for one in report.answers]),
        _fold("Tried and given up", given_up),
        _fold("Flaky, not touched", [pen.code(str(key)) for key in flaky]),
        _fold("Failing before this pull request, not touched", [pen.code(str(key)) for key in old]),
        _fold("Order-dependent: pass alone, fail in company", [pen.code(str(key)) for key in by_order]),
        _fold(denied, _denials(report, pen)),
        _fold("Changed out of scope and put back", [f"{pen.code(path)} ({n}×)" for path, n in report.put_back.items()]),
        _fold("The model's last words", said),
        _fold("Notes", [pen.prose(note, 500) for note in report.notes]),
    )


def _fold(title: str, lines: Sequence[str]) -> _Fold:
    shown = [Escaped(line) for line in lines[:SHOWN_LINES]]
    if len(lines) > SHOWN_LINES:
        shown.append(Escaped(f"and {len(lines) - SHOWN_LINES} more"))
    return _Fold(Escaped(title), tuple(shown))


def _ci(report: RunReport, pen: _Pen) -> list[str]:
    found = report.evidence
    if found is None:
        return []
    lines = [_ci_job(job, pen) for job in found.jobs]
    lines += [f"and {found.left_out} more failing jobs"] if found.left_out else []
    cases = [f"{pen.code(case.name)}: {pen.prose(case.message, MESSAGE_CHARACTERS)}" for case in found.cases]
    more = len(found.cases) - SHOWN_CASES + found.more_cases
    lines += [*cases[:SHOWN_CASES], *([f"and {more} more"] if more > 0 else [])]
    return [*lines, *(pen.prose(note, 500) for note in found.notes)]


def _ci_job(job: CiJob, pen: _Pen) -> str:
    steps = f", step {', '.join(pen.code(step) for step in job.steps)}" if job.steps else ""
    place = f" ([log]({job.url}))" if _ADDRESS.fullmatch(job.url) else ""
    note = f": {pen.prose(job.note, 300)}" if job.note else ""
    return f"job {pen.code(job.name)}{steps}{place}{note}"


def _decision(one: Answered, pen: _Pen) -> str:
    why = f": {pen.prose(one.why, 500)}" if one.why else ""
    return f"{pen.prose(one.by, 100)} {'allowed' if one.approved else 'refused'}: {pen.prose(one.wanted, 500)}{why}"


def _denials(report: RunReport, pen: _Pen) -> list[str]:
    return [f"{pen.code(one.tool)} {pen.code(one.input)}: {one.layer}/{one.rule}" for one in report.denials]


def _by_layer(report: RunReport) -> str:
    return ", ".join(f"{layer} {count}" for layer, count in report.denials_by_layer.items()) or "none"


def _footer(report: RunReport, pen: _Pen) -> str:
    cost = report.cost
    run = f"Run {report.run_id}, outcome <code>{report.outcome.value}</code>."
    place = f" {_place(report, pen)}"
    if report.bundled:
        return f"{run} Delivered from a bundle; the fix cost {cost.usd or 0:.4f} USD ({cost.basis}).{place}"
    if not cost.turns:
        return f"{run} No model was asked. Sandbox: {report.sandbox}. {report.seconds:.0f} s.{place}"
    money = f"{cost.usd:.4f} USD ({cost.basis})" if cost.usd is not None else "price unknown"
    tokens = f"{cost.usage.total_input} tokens in ({cost.usage.cache_read} from cache), {cost.usage.output} out"
    return (
        f"{run} {_count(cost.turns, 'turn')} of {pen.prose(report.model, 200)}, {tokens}, {money}."
        f" Sandbox: {report.sandbox}. {report.seconds:.0f} s.{place}"
    )


def _place(report: RunReport, pen: _Pen) -> str:
    """Where the whole story is: a job's log, else the run's directory with its transcript and its journal."""
    if report.page:
        return f"{_link('Log', report.page)}."
    return f"Transcript and journal: {pen.code(report.run_directory, 1000)}."
