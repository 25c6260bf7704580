"""minitest: a small plug-in of ours, found by minitest on Ruby's load path, writes what each test did."""

import functools
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from autofix.checks.command import Word, program_at
from autofix.checks.reports import jsons
from autofix.checks.reports.jest_json import MESSAGE_LIMIT, TRACE_LIMIT, first_line
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.reports.summary import Summary
from autofix.checks.result import Case, Check, NotRun, Outcome
from autofix.checks.runners.runner import Invocation, Left, Picture, ProjectFiles

narrows = False

spoken = Summary(
    re.compile(r"^(?:  \d+\) )?([\w:]+#\w+)(?: \[.*\])?:", re.MULTILINE),
    lambda match: match[1],
    re.compile(r"^(\d+) (?:runs|tests), ", re.MULTILINE),
).picture

_END = "END_OF_MINITEST_PLUGIN"
_RUBY = frozenset({"ruby", "rake"})
_RAILS = frozenset({"rails", "bin/rails"})
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.rb$")
_OUTCOMES = {
    "passed": Outcome.PASSED,
    "failed": Outcome.FAILED,
    "error": Outcome.ERROR,
    "skipped": Outcome.SKIPPED,
}


def recognises(words: Sequence[str]) -> bool:
    command = tuple(Word.of(word) for word in words)
    at = program_at(command, _RUBY | _RAILS)
    following = [] if at is None else list(words[at + 1 :])
    return any(word == "test" or word.startswith("test:") or _TEST_FILE.search(word) for word in following)


def detect(files: ProjectFiles) -> tuple[str, str] | None:
    tests = sorted(path for path in files.paths if _TEST_FILE.search(path))
    for path in tests[:200]:
        if re.search(r"minitest|Minitest|ActiveSupport::TestCase", files.text(path)):
            why = f"{path} holds minitest's tests"
            if "bin/rails" in files.paths:
                return "bin/rails test", why
            if "Rakefile" in files.paths:
                return ("bundle exec rake test" if "Gemfile" in files.paths else "rake test"), why
            return f"ruby -Ilib -Itest -e 'ARGV.each {{ |path| require \"./#{{path}}\" }}' {' '.join(tests)}", why
    return None


def invocations(check: Check, tests: Sequence[str], report: str) -> tuple[Invocation, ...]:  # noqa: ARG001 - all are run
    place = f"{report}.d"
    plugin = f"{place}/minitest/autofix_plugin.rb"
    script = f"mkdir -p {place}/minitest\ncat > {plugin} <<'{_END}'\n{_plugin()}{_END}\n{check.command}"
    own = {
        "RUBYLIB": ":".join(part for part in (place, check.environment.get("RUBYLIB", "")) if part),
        "AUTOFIX_MINITEST_REPORT": report,
    }
    return (Invocation(script, own), Invocation(check.command))


@functools.cache
def _plugin() -> str:
    return (Path(__file__).parent / "minitest_plugin.rb").read_text(encoding="utf-8")


def injection(report: str, present: Mapping[str, str]) -> Mapping[str, str] | None:  # noqa: ARG001 - it needs a file
    return None


def missing(check: Check, output: str, tests: Sequence[str]) -> frozenset[str]:  # noqa: ARG001 - nothing is asked for by name
    return frozenset()


def parse(left: Left) -> Picture:
    if left.report is None:
        return Picture((), report=False)
    cases: dict[str, Case] = {}
    unique = Numbering(cases)
    damaged = False
    for line in BytesIO(left.report):
        told = jsons.parsed(line) if line.startswith(b"{") else None
        if not isinstance(told, dict) or jsons.text(told, "outcome") not in _OUTCOMES:
            damaged = True
            continue
        id_ = unique(f"{jsons.text(told, 'class')}#{jsons.text(told, 'name')}")
        cases[id_] = _case(id_, told, left.root)
    notes = ("the report could be read only in part",) if damaged else ()
    return Picture(tuple(cases.values()), report=True, not_run=None if cases else NotRun.NOTHING_COLLECTED, notes=notes)


def _case(id_: str, told: jsons.Object, root: str) -> Case:
    outcome = _OUTCOMES[jsons.text(told, "outcome")]
    message = jsons.text(told, "message")
    return Case(
        id_,
        outcome,
        first_line(message)[:MESSAGE_LIMIT],
        message[:TRACE_LIMIT] if outcome.failing else "",
        below(root, jsons.text(told, "file")),
        int(jsons.number(told, "line")) or None,
        jsons.number(told, "seconds"),
    )
