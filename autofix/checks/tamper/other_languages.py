"""Tests in languages we do not parse: what their usual words for skipping and asserting give away."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.languages import Language, holds_inline_tests, inline_tests_from, language_of
from autofix.checks.tamper.literal_pairs import literals
from autofix.checks.tamper.patch import ChangedFile, PatchFiles
from autofix.checks.tamper.source_text import views

_TRIVIAL = re.compile(
    r"expect\((true|1)\)\.(toBe|toEqual)\((true|1)\)|\bassert(\.ok|True)?\((true|1)\)|assert!\(true\)|assertTrue\(true\)"
    r"|assertEquals\((\w+), \4\)|Assert\.True\(true\)|expect\(true\)\.to eq\(?true"
)
_SWALLOWS = re.compile(
    r"\bcatch\s*(\([^)]*\))?\s*\{\s*\}|\brescue\b[^\n]*\n\s*(nil\s*\n\s*)?end\b|\brescue\s+nil\b|\brecover\(\)"
)
_ENDS_WELL = re.compile(
    r"\bos\.Exit\(0\)|\bprocess\.exit\(0?\)|\bSystem\.exit\(0\)|\bEnvironment\.Exit\(0\)|\bprocess::exit\(0\)"
    r"|^\s*(exit!?|_exit|abort)(\s*\(?0?\)?)?;?\s*$"
)
_RETURNS = re.compile(r"^\s*return;?\s*$")
_CUTS = re.compile(r"\[:0\]|\[0:0\]|\.slice\(0,\s*0\)|\.take\(0\)|\.first\(0\)|\.limit\(0\)|\.Take\(0\)|\[0\.\.\.?0\]")
_TABLE = re.compile(
    r"\b(each|for|forEach|where|cases|Theory|InlineData|MethodSource|CsvSource|ValueSource|dataProvider)\b|\.each\b"
)
_OPENS = re.compile(r"\b(fn|func|void|function|def)\b|=>\s*\{\s*$|\bdo\b\s*(\|[^|]*\|)?\s*$|\bTEST(_\w+)?\(")
"""Where a function begins: one whose test is gone while it stays is no longer run."""
_MOCKS = re.compile(
    r"\b(jest|vi)\.(mock|doMock|unstable_mockModule)\(\s*['\"](?P<path>[^'\"]+)|\bvi\.spyOn\(|\bjest\.spyOn\("
)
_BRINGS = r"(require\(|\bfrom\s+|\bimport\s+)\s*['\"]{}['\"]"


def weakened_elsewhere(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        language = language_of(file.path)
        if language is None:
            continue
        inline = holds_inline_tests(file, language)
        if file.is_test or inline:
            yield from _in_tests(_Change.of(file, language, inline=inline))
        if not file.is_test:
            yield from _in_code(file, language)


@dataclass(frozen=True, slots=True)
class _Change:
    """The tests of one file before and after: their lines without comments.

    Attributes:
        added: number and text of the lines that are new; of the code alone, or with comments where these can skip.
    """

    file: ChangedFile
    language: Language
    before: tuple[str, ...]
    after: tuple[str, ...]
    added: tuple[tuple[int, str], ...]
    inline: bool

    @classmethod
    def of(cls, file: ChangedFile, language: Language, *, inline: bool) -> "_Change":
        old, new = views(file.before, file.path).code, views(file.after, file.path).code
        start_old = inline_tests_from(old, language) if inline else 0
        start_new = inline_tests_from(new, language) if inline else 0
        raw = language.skips_in_comments
        added = tuple(
            (number, text if raw else new[number - 1]) for number, text in file.added_lines if number > start_new
        )
        return cls(file, language, old[start_old:], new[start_new:], added, inline)

    def found(self, rule: str, severity: Severity, message: str, line: int | None = None) -> Finding:
        return Finding(rule, self.file.path, line, severity, message)


def _in_tests(change: _Change) -> Iterator[Finding]:
    if change.inline and change.before != change.after:
        yield change.found("tests-changed", Severity.ASK, "the patch changes tests that stand beside the code")
    yield from _by_line(change)
    yield from _counted(change)
    yield from _weaker(change)
    yield from _rigged(change)


def _by_line(change: _Change) -> Iterator[Finding]:
    for line, text in change.added:
        if match := change.language.skips.search(text):
            sure = not re.match(r"//\s*(go:build|\+build)\s+(?!ignore)", match.string)
            severity = Severity.TAMPERING if sure else Severity.ASK
            yield change.found("skip-added", severity, f"tests are skipped or left out ({match[0].strip()})", line)
        elif match := _TRIVIAL.search(text):
            yield change.found(
                "assertion-weakened", Severity.TAMPERING, f"an assertion that always holds ({match[0]})", line
            )
        elif match := _CUTS.search(text):
            yield change.found("cases-removed", Severity.TAMPERING, f"no case of the list is left ({match[0]})", line)
        elif match := _ENDS_WELL.search(text):
            message = f"the test runner is ended as if all were well ({match[0].strip()})"
            yield change.found("early-exit", Severity.TAMPERING, message, line)
        elif _RETURNS.match(text):
            yield change.found("test-never-runs", Severity.ASK, "a test may now return before it asserts", line)
        elif match := _MOCKS.search(text):
            yield _mocked(change, line, match)


def _mocked(change: _Change, line: int, match: re.Match[str]) -> Finding:
    path = match["path"]
    if path and re.search(_BRINGS.format(re.escape(path)), "\n".join(change.before)):
        return change.found("subject-mocked", Severity.TAMPERING, f"replaces {path}, which the tests are about", line)
    return change.found("mock-added", Severity.ASK, "a test replaces what it used to run", line)


def _counted(change: _Change) -> Iterator[Finding]:
    """Tests and assertions that became fewer; where all their values are still compared, they were merged."""
    language = change.language
    tests = _count(change.before, language.tests), _count(change.after, language.tests)
    asserts = _count(change.before, language.asserts), _count(change.after, language.asserts)
    lost = _values(change.before, language) - _values(change.after, language)
    in_table = any(_TABLE.search(text) for _, text in change.added)
    bodies = _count(change.before, _OPENS) - _count(change.after, _OPENS)
    merged = not lost and asserts[1] > 0 and (asserts[1] >= asserts[0] or in_table) and bodies >= tests[0] - tests[1]
    gone = change.file.after is None
    if tests[1] < tests[0]:
        if merged:
            message = f"{tests[0]} tests became {tests[1]}, with the same values compared"
            yield change.found("test-renamed", Severity.ASK, message)
        else:
            yield change.found("test-removed", Severity.TAMPERING, f"{tests[0]} tests became {tests[1]}")
    if asserts[1] < asserts[0] and not (merged and tests[1] < tests[0]):
        severity = Severity.TAMPERING if gone or asserts[1] == 0 else Severity.ASK
        yield change.found("assertions-removed", severity, f"{asserts[0]} assertions became {asserts[1]}")
    elif (
        lost
        and not gone
        and tests[1] >= tests[0]
        and not _values(change.after, language) - _values(change.before, language)
    ):
        count = len(lost)
        yield change.found("cases-removed", Severity.ASK, f"{count} values are no longer compared, and none instead")


def _count(lines: Sequence[str], words: re.Pattern[str]) -> int:
    return sum(len(words.findall(line)) for line in lines)


def _values(lines: Sequence[str], language: Language) -> set[str]:
    """The literals of tests without their titles."""
    found: set[str] = set()
    for line in lines:
        values = [repr(one.value) for one in literals(line)]
        found.update(values[1:] if language.tests.search(line) else values)
    return found


def _weaker(change: _Change) -> Iterator[Finding]:
    words = change.language
    weak = _count(change.before, words.weak), _count(change.after, words.weak)
    strong = _count(change.before, words.asserts) - weak[0], _count(change.after, words.asserts) - weak[1]
    if weak[1] > weak[0] and strong[1] < strong[0]:
        shown = ((number, match[0]) for number, text in change.added if (match := words.weak.search(text)))
        line, word = next(shown, (None, ""))
        message = f"an assertion of a value became one that there is something ({word})"
        yield change.found("assertion-weakened", Severity.ASK, message, line)


def _rigged(change: _Change) -> Iterator[Finding]:
    old, new = "\n".join(change.before), "\n".join(change.after)
    if len(_SWALLOWS.findall(new)) > len(_SWALLOWS.findall(old)):
        yield change.found("error-swallowed", Severity.ASK, "what a test throws, a failed assertion too, is caught")
    if len(change.language.rigs.findall(new)) > len(change.language.rigs.findall(old)):
        message = "replaces what the tests' verdict rests on"
        yield change.found("runner-patched", Severity.TAMPERING, message)


def _in_code(file: ChangedFile, language: Language) -> Iterator[Finding]:
    if not file.is_code:
        return
    code, old = views(file.after, file.path).code, views(file.before, file.path).code
    end = inline_tests_from(code, language)
    is_program = bool(re.search(r"(^|/)(bin|cmd|cli|scripts)/|(^|/)(main|cli|index)\.\w+$", file.path))
    for line, _ in file.added_lines:
        text = code[line - 1] if line <= end else ""
        if (match := language.exits.search(text)) and not (is_program and not _asks_for_runner(match[0])):
            message = f"code under test ends the process or asks whether it is tested ({match[0].strip()})"
            yield Finding("test-aware", file.path, line, Severity.ASK, message)
    rigs = language.rigs
    if len(rigs.findall("\n".join(code[:end]))) > len(rigs.findall("\n".join(old))):
        message = "replaces what the tests' verdict rests on"
        yield Finding("runner-patched", file.path, None, Severity.TAMPERING, message)


def _asks_for_runner(match: str) -> bool:
    return not re.search(r"exit|Exit|argv|Args|GetCommandLineArgs|abort|die|PROGRAM_NAME|\$0", match)
