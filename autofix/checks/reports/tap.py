"""TAP, the Test Anything Protocol, to cases. Only the outermost count; a subtest's lines are its parent's trace."""

import re
from collections.abc import Iterable

from autofix.checks.reports.lines import lines
from autofix.checks.reports.numbering import Numbering
from autofix.checks.result import THE_PLAN, Case, Outcome

MESSAGE_LIMIT = 500
TRACE_LIMIT = 8 * 1024
FILE_MARK = "# file: "
"""Begins what a further file printed, where several are told in one report."""
_LINE = re.compile(r"(not )?ok\b(?:[ \t]+(\d{1,9}))?(?:[ \t]*-[ \t]|[ \t]+|$)?(.*)$")
_PLAN = re.compile(r"1\.\.(\d{1,9})(?:\s*#\s*(skip)\b.*)?$", re.IGNORECASE)
_DIRECTIVE = re.compile(r"(?:^|\s)#\s*(skip|todo)\S*\s*(.*)$", re.IGNORECASE)
_TIME = re.compile(r"\s*#\s*(?:in|time=?)\s*[\d.]+\s*(?:ms|s)$")
_BAIL = "Bail out!"


class _File:
    """One program's stream."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases: list[Case] = []
        self.planned: int | None = None
        self.bailed: str | None = None
        self._after: list[str] = []
        self._before: list[str] = []

    def line(self, text: str) -> None:
        plan, result = _PLAN.match(text), _LINE.match(text)
        if text.startswith(_BAIL):
            self.bailed = text[len(_BAIL) :].strip() or "it bailed out"
        elif plan:
            self.planned = int(plan[1])
        elif result:
            self._close()
            self._add(result)
        elif text.startswith((" ", "\t")) and not self._is_diagnostic(text):
            self._before.append(text)
        else:
            self._after.append(text.removeprefix("# ").removeprefix("#"))

    def _is_diagnostic(self, text: str) -> bool:
        """YAML belongs to the test before it, a subtest to the one that follows."""
        return bool(self.cases) and (
            text.strip() in {"---", "..."} or bool(self._after and self._after[0].strip() == "---")
        )

    def _add(self, result: re.Match[str]) -> None:
        description = _TIME.sub("", result[3]).strip()
        directive = _DIRECTIVE.search(description)
        if directive:
            description = description[: directive.start()].strip()
        name = description or f"test {result[2] or len(self.cases) + 1}"
        kind = directive[1].casefold() if directive else ""
        failed = bool(result[1])
        if kind == "skip":
            outcome = Outcome.SKIPPED
        elif kind == "todo":
            outcome = Outcome.XFAILED if failed else Outcome.PASSED
        else:
            outcome = Outcome.FAILED if failed else Outcome.PASSED
        self.cases.append(Case(name, outcome, (directive[2] if directive else "")[:MESSAGE_LIMIT], file=self.name))

    def _close(self) -> None:
        lines = [*self._before, *self._after]
        if self.cases and self.cases[-1].outcome.failing and lines:
            message = next((line.strip() for line in self._after or self._before if line.strip(" \t-")), "")
            trace = "\n".join(lines)[:TRACE_LIMIT]
            self.cases[-1] = self.cases[-1]._replace(message=message[:MESSAGE_LIMIT], trace=trace)
        self._after = []
        self._before = []

    def end(self) -> list[Case]:
        self._close()
        whole = self.name or THE_PLAN
        if self.bailed is not None:
            return [*self.cases, Case(whole, Outcome.ERROR, self.bailed[:MESSAGE_LIMIT], file=self.name)]
        if self.cases and self.planned is None:
            return [*self.cases, Case(whole, Outcome.ERROR, "it ended without its plan", file=self.name)]
        if self.planned is not None and self.planned != len(self.cases):
            message = f"{len(self.cases)} of {self.planned} planned tests ran"
            return [*self.cases, Case(whole, Outcome.ERROR, message, file=self.name)]
        return self.cases


def tap_cases(report: bytes) -> tuple[Case, ...]:
    """Ids are descriptions, behind their file's name where files are told apart by `FILE_MARK`."""
    found: dict[str, Case] = {}
    unique = Numbering(found)
    for file in _files(lines(report)):
        for case in file.end():
            name = f"{file.name} > {case.id}" if file.name and case.id != file.name else case.id
            id_ = unique(name)
            found[id_] = case._replace(id=id_)
    return tuple(found.values())


def _files(told: Iterable[str]) -> list[_File]:
    files = [_File("")]
    for line in told:
        if line.startswith(FILE_MARK):
            files.append(_File(line[len(FILE_MARK) :].strip()))
        else:
            files[-1].line(line)
    return files
