"""The lines of `go test -json` to cases: `package.Test/subtest`; a package that failed as a whole is one, too."""

import re
from dataclasses import dataclass, field
from io import BytesIO

from autofix.checks.reports import jsons
from autofix.checks.result import Case, Outcome

MESSAGE_LIMIT = 500
TRACE_LIMIT = 8 * 1024
_ENDS = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED}
_FRAMES = ("=== ", "--- ", "    --- ", "FAIL", "PASS", "ok  ", "?   ", "exit status")
_NOT_BUILT = re.compile(r"FAIL\t(\S+) \[(?:build|setup) failed\]")
_LINE_LIMIT = 4_000


@dataclass(slots=True)
class _Running:
    """A test or package between its start and its end."""

    package: str
    output: list[str] = field(default_factory=list)
    size: int = 0
    outcome: Outcome | None = None
    seconds: float = 0.0

    def add(self, text: str) -> None:
        if self.size < TRACE_LIMIT:
            self.output.append(text[: TRACE_LIMIT - self.size])
            self.size += len(self.output[-1])


def go_cases(report: bytes, output: str = "") -> tuple[Case, ...]:
    """The cases of all packages; lines that are no events are the programs' own output and left out.

    Before Go 1.24 a package that does not build is told in words alone: among the events, or (by gotestsum, which keeps
    only events) in the command's `output`.
    """
    seen: dict[str, _Running] = {}
    failed_to_build = _NOT_BUILT.findall(output)
    for line in BytesIO(report):
        event = jsons.parsed(line) if line.startswith(b"{") else None
        if isinstance(event, dict) and jsons.text(event, "Package"):
            _take(event, seen)
        elif line.startswith(b"FAIL\t"):
            failed_to_build += _NOT_BUILT.findall(line[:_LINE_LIMIT].decode("utf-8", "replace"))
    for package in failed_to_build:
        running = seen.setdefault(package, _Running(package))
        running.outcome = Outcome.FAILED
        running.add("build failed")
    unhappy = {one.package for id_, one in seen.items() if id_ != one.package and one.outcome is not Outcome.PASSED}
    blamed = {one.package for id_, one in seen.items() if id_ != one.package and one.outcome is Outcome.FAILED}
    return tuple(
        _case(id_, running)
        for id_, running in seen.items()
        if id_ != running.package or _whole(running, failed=running.package in blamed, ended=running.package in unhappy)
    )


def _whole(running: _Running, *, failed: bool, ended: bool) -> bool:
    """Whether a package counts as a case: it failed, and none of its tests says why."""
    return running.outcome is Outcome.FAILED and not (failed and ended)


def _take(event: jsons.Object, seen: dict[str, _Running]) -> None:
    package, test = jsons.text(event, "Package"), jsons.text(event, "Test")
    running = seen.setdefault(f"{package}.{test}" if test else package, _Running(package))
    action = jsons.text(event, "Action")
    if action == "output":
        text = jsons.text(event, "Output")
        if not text.startswith(_FRAMES):
            running.add(text)
    elif action in _ENDS:
        running.outcome = _ENDS[action]
        running.seconds = jsons.number(event, "Elapsed")
        if jsons.text(event, "FailedBuild"):
            running.add("build failed")


def _case(id_: str, running: _Running) -> Case:
    text = "".join(running.output)
    if running.outcome is None:
        return Case(id_, Outcome.ERROR, "it did not end", text)
    if running.outcome is Outcome.PASSED:
        return Case(id_, Outcome.PASSED, seconds=running.seconds)
    outcome = Outcome.ERROR if id_ == running.package else running.outcome
    otherwise = "it failed without a word of its own (a subtest's, or an exit)" if outcome.failing else ""
    message = next((line.strip() for line in text.splitlines() if line.strip()), otherwise)
    return Case(id_, outcome, message[:MESSAGE_LIMIT], text if outcome.failing else "", "", None, running.seconds)
