"""mocha: its JSON reporter, written to a file."""

import re
from collections.abc import Iterator

from autofix.checks.reports import jsons
from autofix.checks.reports.jest_json import MESSAGE_LIMIT, SEPARATOR, TRACE_LIMIT, first_line
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.result import HOOKS, Case, NotRun, Outcome
from autofix.checks.runners.node_options import node_runner
from autofix.checks.runners.runner import Left, Picture

_HOOK = re.compile(r'(.*?)("(?:before|after)(?: each| all)" hook\b.*)$', re.DOTALL)
"""What mocha calls a hook that failed: the suites' titles, then the hook's."""


def mocha_picture(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    whole = jsons.parsed(left.report)
    if not isinstance(whole, dict) or "tests" not in whole:
        return Picture((), report=False, notes=("the report is no JSON of mocha",))
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    for case in _cases(whole, left.root):
        id_ = unique(case.id)
        cases[id_] = case._replace(id=id_)
    return Picture(tuple(cases.values()), report=True, not_run=None if cases else NotRun.NOTHING_COLLECTED)


def _cases(whole: jsons.Object, root: str) -> Iterator[Case]:
    """Tests in order, then failures that are none of them: hooks."""
    waiting = {_name(one) for one in jsons.objects(whole.get("pending"))}
    told = set()
    for one in jsons.objects(whole["tests"]):
        told.add(_name(one))
        failed = bool(jsons.inner(one, "err"))
        skipped = not failed and _name(one) in waiting
        yield _case(one, root, Outcome.FAILED if failed else Outcome.SKIPPED if skipped else Outcome.PASSED)
    for one in jsons.objects(whole.get("failures")):
        if _name(one) not in told:
            yield _hook(_case(one, root, Outcome.ERROR))


def _hook(case: Case) -> Case:
    """The suite whose hook failed, by which its tests are known again once they run."""
    suite = _HOOK.match(case.id)
    if suite is None:
        return case
    return case._replace(id=f"{suite[1]}{HOOKS}", message=f"{suite[2]}: {case.message}"[:MESSAGE_LIMIT])


def _name(one: jsons.Object) -> tuple[str, str]:
    return jsons.text(one, "file"), jsons.text(one, "fullTitle")


def _case(one: jsons.Object, root: str, outcome: Outcome) -> Case:
    error = jsons.inner(one, "err")
    path = below(root, jsons.text(one, "file"))
    title = jsons.text(one, "fullTitle")
    return Case(
        f"{path}{SEPARATOR}{title}" if path else title,
        outcome,
        first_line(jsons.text(error, "message"))[:MESSAGE_LIMIT],
        jsons.text(error, "stack")[:TRACE_LIMIT],
        path,
        None,
        jsons.number(one, "duration") / 1000,
    )


_SAY_IT_TOO = """const { readFileSync } = await import('node:fs');
process.on('exit', () => { try {
  const { stats, failures } = JSON.parse(readFileSync(REPORT, 'utf8'));
  console.log(`${stats.passes} passing, ${stats.pending} pending, ${stats.failures} failing`);
  for (const one of failures) console.log(`\\n${one.fullTitle}\\n${one.err.stack || one.err.message}`);
} catch {} });"""
"""mocha has one reporter alone: what it no longer prints is printed at the end."""

RUNNER = node_runner(
    "mocha",
    lambda report: ["--reporter=json", f"--reporter-option=output={report}"],
    mocha_picture,
    names=("_mocha",),
    also=_SAY_IT_TOO,
)
