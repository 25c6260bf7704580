"""RSpec: its JSON formatter, asked for by SPEC_OPTS beside the usual words."""

import re
from collections.abc import Iterator, Mapping

from autofix.checks.reports import jsons
from autofix.checks.reports.jest_json import MESSAGE_LIMIT, SEPARATOR, TRACE_LIMIT, first_line
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner

_NOT_LOADED = re.compile(r"An error occurred (?:while loading|in) (\S+?)\.?\s")
_OUTCOMES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED, "pending": Outcome.SKIPPED}


def _variables(report: str, present: Mapping[str, str]) -> dict[str, str]:
    return {"SPEC_OPTS": f"{present.get('SPEC_OPTS', '')} --format progress --format json --out {report}".strip()}


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    return (Invocation(check.command, _variables(report, check.environment)),)


def _found(files: ProjectFiles) -> Detection:
    command = "bundle exec rspec" if "Gemfile" in files.paths else "rspec"
    if ".rspec" in files.paths:
        return command, ".rspec is there"
    spec = min((path for path in files.paths if path.endswith("_spec.rb")), default=None)
    return (command, f"{spec} is there") if spec else None


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    whole = jsons.parsed(left.report)
    if not isinstance(whole, dict) or "examples" not in whole:
        return Picture((), report=False, notes=("the report is no JSON of RSpec",))
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    for case in (*_examples(whole, left.root), *_outside(whole, left.root)):
        id_ = unique(case.id)
        cases[id_] = case._replace(id=id_)
    return Picture(tuple(cases.values()), report=True, not_run=None if cases else NotRun.NOTHING_COLLECTED)


def _examples(whole: jsons.Object, root: str) -> Iterator[Case]:
    for one in jsons.objects(whole["examples"]):
        path = below(root, jsons.text(one, "file_path"))
        error = jsons.inner(one, "exception")
        message = jsons.text(error, "message") or jsons.text(one, "pending_message")
        trace = "\n".join((jsons.text(error, "message"), *jsons.texts(error.get("backtrace"))))
        outcome = _OUTCOMES.get(jsons.text(one, "status"), Outcome.ERROR)
        yield Case(
            f"{path}{SEPARATOR}{jsons.text(one, 'full_description').strip()}",
            outcome,
            first_line(message)[:MESSAGE_LIMIT],
            trace[:TRACE_LIMIT] if outcome.failing else "",
            path,
            int(jsons.number(one, "line_number")) or None,
            jsons.number(one, "run_time"),
        )


def _outside(whole: jsons.Object, root: str) -> Iterator[Case]:
    """Files that could not be loaded; RSpec then runs nothing at all."""
    if not jsons.number(jsons.inner(whole, "summary"), "errors_outside_of_examples_count"):
        return
    for message in jsons.texts(whole.get("messages")):
        match = _NOT_LOADED.search(message)
        path = below(root, match[1]) if match else ""
        lines = [line for line in message.splitlines() if re.match(r"\w*(Error|Exception)\b", line)]
        told = lines[0] if lines else first_line(message)
        yield Case(path or "outside of examples", Outcome.ERROR, told[:MESSAGE_LIMIT], message[:TRACE_LIMIT], path)


RUNNER = SimpleRunner(frozenset({"rspec"}), parse, _ways, found=_found, variables=_variables)
