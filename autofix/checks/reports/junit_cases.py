"""JUnit XML as most runners write it, to cases: which id a testcase has is the runner's to say."""

from collections.abc import Callable

from autofix.checks.reports.junit import JUnitCase, Problem, read_junit
from autofix.checks.reports.numbering import Numbering
from autofix.checks.result import Case, NotRun, Outcome
from autofix.checks.runners.runner import Left, Picture

MESSAGE_LIMIT = 500
"""Characters of a case's one line."""
_EXPECTED = frozenset({"todo", "xfail", "pytest.xfail"})
"""Types of a skip that is an expected failure."""


def junit_picture(
    left: Left, id_of: Callable[[JUnitCase], str], message_of: Callable[[Problem], str] | None = None
) -> Picture:
    """The report's cases; without a report the exit code says whether the runner crashed."""
    if left.report is None:
        return Picture((), report=False)
    cases: dict[str, Case] = {}
    told, unique = message_of or first_line, Numbering(cases)

    def keep(raw: JUnitCase) -> None:
        id_ = unique(id_of(raw))
        cases[id_] = _case(id_, raw, told)

    damage = read_junit(left.report, keep)
    return Picture(
        tuple(cases.values()),
        report=bool(cases) or not damage,
        not_run=None if cases else NotRun.CRASHED if damage else NotRun.NOTHING_COLLECTED,
        notes=(f"the report could be read only in part: {damage}",) if damage else (),
    )


def first_line(problem: Problem) -> str:
    """The message's first line that is not empty, else the text's."""
    lines = (line.strip() for text in (problem.message, problem.text) for line in text.splitlines())
    return next((line for line in lines if line), "")


def _case(id_: str, raw: JUnitCase, message_of: Callable[[Problem], str]) -> Case:
    outcome = _outcome(raw.problems)
    told = [problem for problem in raw.problems if problem.kind != "skipped"] or list(raw.problems)
    message = message_of(told[0])[:MESSAGE_LIMIT] if told else ""
    if len(told) > 1:
        message = f"{message} (and {len(told) - 1} more)"
    trace = "\n\n".join(problem.text.strip() for problem in told) if outcome.failing else ""
    return Case(id_, outcome, message, trace, raw.file, raw.line, raw.seconds)


def _outcome(problems: tuple[Problem, ...]) -> Outcome:
    if not problems:
        return Outcome.PASSED
    kinds = {problem.kind for problem in problems}
    if any(problem.kind == "skipped" and problem.type in _EXPECTED for problem in problems):
        return Outcome.XFAILED
    if "failure" in kinds:
        return Outcome.FAILED
    if "error" in kinds:
        return Outcome.ERROR
    return Outcome.SKIPPED
