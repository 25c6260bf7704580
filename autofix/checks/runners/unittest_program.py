"""Runs `unittest` as its own command line would, and writes what each test did as JUnit XML.

Carried into the sandbox as a file and started there by the project's Python, which may be older than ours: it uses the
standard library alone, imports nothing of autofix, and is never imported by it.


    python unittest_program.py REPORT [what `python -m unittest` takes]
"""

# ruff: noqa: N802, PTH100, PTH109, PTH123 - unittest's own names; plain paths, for old Pythons too

from __future__ import annotations

import os
import sys
import traceback
import unittest
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Raised = Any
"""What `sys.exc_info` gives; its precise type would not be read by the oldest Pythons this runs on."""


def legal(text: str) -> str:
    """The text without the characters that XML does not know."""
    return "".join(character if _is_legal(character) else "?" for character in text)


def _is_legal(character: str) -> bool:
    return (
        character in "\t\n\r"
        or " " <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character > "\uffff"
    )


def place(test: unittest.TestCase) -> tuple[str, int]:
    """File (below the working directory) and line of a test's method; empty where there is none."""
    try:
        code = getattr(type(test), test._testMethodName).__code__  # noqa: SLF001 - unittest offers no other way
        return os.path.relpath(code.co_filename), code.co_firstlineno
    except (AttributeError, TypeError, ValueError):
        return "", 0


class ReportingResult(unittest.TextTestResult):
    """Beside the usual text, keeps place and problems of every test, by its id."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen: dict[str, tuple[tuple[str, int], list[tuple[str, str, str, str]]]] = {}

    def note(self, test: unittest.TestCase, kind: str = "", why: str = "", trace: str = "", mark: str = "") -> None:
        id_ = test.id()
        if id_.startswith("unittest.loader._FailedTest."):
            id_ = id_[len("unittest.loader._FailedTest.") :]
        elif "Class (" in id_ or "Module (" in id_:
            id_ = id_[id_.index("(") + 1 : -1]
        problems = self.seen.setdefault(id_, (place(test), []))[1]
        if kind:
            problems.append((kind, why, trace, mark))

    def note_raised(self, test: unittest.TestCase, kind: str, raised: Raised) -> None:
        why = "".join(traceback.format_exception_only(raised[0], raised[1])).strip()
        self.note(test, kind, why, self._exc_info_to_string(raised, test))  # type: ignore[attr-defined]

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.note(test)

    def addError(self, test: unittest.TestCase, err: Raised) -> None:
        super().addError(test, err)
        self.note_raised(test, "error", err)

    def addFailure(self, test: unittest.TestCase, err: Raised) -> None:
        super().addFailure(test, err)
        self.note_raised(test, "failure", err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Raised) -> None:
        super().addExpectedFailure(test, err)
        self.note(test, "skipped", "expected failure", mark="xfail")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.note(test, "failure", "unexpected success")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Raised | None) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None and err[0] is not None:
            failed = issubclass(err[0], test.failureException)
            self.note_raised(test, "failure" if failed else "error", err)


class ReportingRunner(unittest.TextTestRunner):
    """Writes the report when the run is over."""

    resultclass = ReportingResult
    report = ""

    def run(self, test: unittest.TestSuite | unittest.TestCase) -> unittest.TextTestResult:
        result = super().run(test)
        assert isinstance(result, ReportingResult)
        with open(self.report, "w", encoding="utf-8", errors="replace") as report:
            report.write('<testsuite name="unittest">\n')
            for id_, ((file, line), problems) in result.seen.items():
                report.write(f'<testcase name={quoteattr(legal(id_))} file={quoteattr(legal(file))} line="{line}">')
                for kind, why, trace, mark in problems:
                    opened = f"<{kind} type={quoteattr(mark)} message={quoteattr(legal(str(why)))}>"
                    report.write(f"{opened}{escape(legal(trace))}</{kind}>")
                report.write("</testcase>\n")
            report.write("</testsuite>\n")
        return result


def main() -> None:
    ReportingRunner.report = os.path.abspath(sys.argv.pop(1))
    sys.path[0] = os.getcwd()
    sys.argv[0] = "python -m unittest"
    unittest.main(module=None, testRunner=ReportingRunner)


if __name__ == "__main__":
    main()
