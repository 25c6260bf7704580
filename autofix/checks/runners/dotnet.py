""".NET: `dotnet test` read by the words of its console logger, which names every test when asked to be normal."""

import re

from autofix.checks.reports.lines import lines
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, captured, with_arguments

MESSAGE_LIMIT = 500
TRACE_LIMIT = 8 * 1024
_DOTNET = frozenset({"dotnet"})
_RESULT = re.compile(r"  (Passed|Failed|Skipped) (.+?)(?: \[[<>]? ?[\d.,]+ ?m?s(?: \d+ ?ms)?\])?$")
_OUTCOMES = {"Passed": Outcome.PASSED, "Failed": Outcome.FAILED, "Skipped": Outcome.SKIPPED}
_SUMMARY = Summary(
    re.compile(r"^  Failed (.+?)(?: \[[<>]? ?[\d.,]+ ?m?s(?: \d+ ?ms)?\])?$", re.MULTILINE),
    lambda match: match[1],
    re.compile(r"^(?:Passed|Failed)! .*\bTotal: +(\d+)|^Total tests: (\d+)", re.MULTILINE),
)
_HEADINGS = ("Error Message:", "Stack Trace:", "Standard Output Messages:")


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    asked = with_arguments(check.command, _DOTNET, '--logger "console;verbosity=normal"', after="test")
    return (Invocation(captured(asked or check.command, report), {"DOTNET_CLI_UI_LANGUAGE": "en", "NO_COLOR": "1"}),)


def _found(files: ProjectFiles) -> Detection:
    path = min((path for path in files.paths if path.endswith((".sln", ".slnx"))), default=None)
    path = path or next((path for path in sorted(files.paths) if path.endswith("Tests.csproj")), None)
    return ("dotnet test", f"{path} is there") if path else None


def parse(left: Left) -> Picture:
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    current = ""
    said: dict[str, list[str]] = {}
    for line in lines(left.report or b""):
        match = _RESULT.match(line)
        if match:
            current = unique(match[2])
            cases[current] = Case(current, _OUTCOMES[match[1]])
        elif line.startswith("  ") and current:
            said.setdefault(current, []).append(line)
        else:
            current = ""
    for id_, words in said.items():
        if cases[id_].outcome.failing:
            message = next((line.strip() for line in words if line.strip() not in {"", *_HEADINGS}), "")
            cases[id_] = cases[id_]._replace(message=message[:MESSAGE_LIMIT], trace="\n".join(words)[:TRACE_LIMIT])
    nothing = not cases and left.exit_code == 0 and "No test is available" in left.output
    return Picture(tuple(cases.values()), report=bool(cases), not_run=NotRun.NOTHING_COLLECTED if nothing else None)


RUNNER = SimpleRunner(_DOTNET, parse, _ways, verb="test", found=_found, spoken=_SUMMARY.picture)
