"""The JSON that jest writes, and vitest in its likeness, to cases: `file > describe > test`."""

from collections.abc import Iterator

from autofix.checks.reports import jsons
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.result import Case, NotRun, Outcome
from autofix.checks.runners.runner import Left, Picture

SEPARATOR = " > "
MESSAGE_LIMIT = 500
TRACE_LIMIT = 8 * 1024
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "pending": Outcome.SKIPPED,
    "skipped": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
    "todo": Outcome.SKIPPED,
}


def jest_picture(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    whole = jsons.parsed(left.report)
    if not isinstance(whole, dict) or "testResults" not in whole:
        return Picture((), report=False, notes=("the report is no JSON of this runner",))
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    for file in jsons.objects(whole["testResults"]):
        for case in _of_file(file, left.root):
            id_ = unique(case.id)
            cases[id_] = case if id_ == case.id else case._replace(id=id_)
    return Picture(tuple(cases.values()), report=True, not_run=None if cases else NotRun.NOTHING_COLLECTED)


def _of_file(file: jsons.Object, root: str) -> Iterator[Case]:
    name = jsons.text(file, "name")
    path = below(root, name) or name.rpartition("/")[2]
    failed = False
    for one in jsons.objects(file.get("assertionResults")):
        outcome = _OUTCOMES.get(jsons.text(one, "status"))
        if outcome is None:
            continue  # "focused" and what later versions add: it did not run
        failed = failed or outcome.failing
        said = jsons.texts(one.get("failureMessages"))
        yield Case(
            SEPARATOR.join((path, *jsons.texts(one.get("ancestorTitles")), jsons.text(one, "title"))),
            outcome,
            first_line(said[0])[:MESSAGE_LIMIT] if said else "",
            "\n\n".join(said)[:TRACE_LIMIT] if outcome.failing else "",
            path,
            int(jsons.number(jsons.inner(one, "location"), "line")) or None,
            jsons.number(one, "duration") / 1000,
        )
    if jsons.text(file, "status") == "failed" and not failed:
        message = jsons.text(file, "message")
        yield Case(path, Outcome.ERROR, first_line(message)[:MESSAGE_LIMIT], message[:TRACE_LIMIT], path)


def first_line(text: str) -> str:
    """The first line that says something; jest's own headings (`● Test suite failed to run`) do not."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("●")), "")
