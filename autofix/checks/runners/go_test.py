"""Go's tests: `go test` asked for JSON by GOFLAGS, gotestsum for a JSON file by a variable of its own."""

from collections.abc import Mapping

from autofix.checks.reports.go_json import go_cases
from autofix.checks.reports.go_words import go_picture
from autofix.checks.result import Check, NotRun
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles
from autofix.checks.runners.simple import Detection, SimpleRunner, with_arguments

_GO = frozenset({"go"})


def _ways(check: Check, report: str) -> tuple[Invocation, ...]:
    """The JSON takes the place of what `go test` prints, so that the rest of it is shown apart."""
    asked = with_arguments(check.command, _GO, "-json", after="test")
    environment = {} if asked else {"GOFLAGS": f"{check.environment.get('GOFLAGS', '')} -json".strip()}
    shown = f"(\n{asked or check.command}\n) > {report}\ncode=$?\ngrep -v '^{{' {report} | tail -n 200\nexit $code"
    return (Invocation(shown, environment), Invocation(check.command))


def _found(files: ProjectFiles) -> Detection:
    if "go.mod" in files.paths and any(path.endswith("_test.go") for path in files.paths):
        return "go test ./...", "go.mod and _test.go files are there"
    return None


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    cases = go_cases(left.report, left.output)
    nothing = left.exit_code == 0 and not cases
    return Picture(cases, report=bool(cases), not_run=NotRun.NOTHING_COLLECTED if nothing else None)


def _sum_variables(report: str, present: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG001 - nothing is joined
    return {"GOTESTSUM_JSONFILE": report}


def _sum_ways(check: Check, report: str) -> tuple[Invocation, ...]:
    return (Invocation(check.command, {"GOTESTSUM_JSONFILE": report}),)


GO = SimpleRunner(_GO, parse, _ways, verb="test", found=_found, spoken=go_picture)
GOTESTSUM = SimpleRunner(frozenset({"gotestsum"}), parse, _sum_ways, variables=_sum_variables)
