"""Tests in languages we do not parse: what their usual words for skipping and asserting give away."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from autofix.checks.finding import Finding, Severity
from autofix.checks.tamper.patch import ChangedFile, PatchFiles


@dataclass(frozen=True, slots=True)
class Language:
    """A language's test words.

    Attributes:
        skips: what takes a test out of the count, or all the others (`only`).
        asserts: what can fail a test.
        tests: what begins a test.
        exits: what ends the runner, or asks whether it runs, in code under test.
    """

    skips: re.Pattern[str]
    asserts: re.Pattern[str]
    tests: re.Pattern[str]
    exits: re.Pattern[str]


_JAVASCRIPT = Language(
    re.compile(
        r"\b(it|test|describe|context|suite)\.(skip|only|todo|failing|fails|skipIf|runIf)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\("
        r"|\bthis\.skip\(|\bt\.(skip|todo)\(|\{\s*(skip|todo):\s*[^f]"
    ),
    re.compile(r"\b(expect|assert(\.\w+)*|should|t\.(is|deepEqual|true|false|throws|assert\.\w+))\s*\(|\.should\."),
    re.compile(r"\b(it|test)(\.each\([^)]*\))?\s*\("),
    re.compile(
        r"\bprocess\.(exit|abort|kill|reallyExit)\b|JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|process\.env\.(NODE_ENV|CI)\b"
    ),
)
_GO = Language(
    re.compile(r"\b[tb]\.(Skip|Skipf|SkipNow)\(|//go:build ignore|testing\.Short\(\)"),
    re.compile(r"\b[tb]\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(assert|require)\.\w+\("),
    re.compile(r"^func (Test|Example|Fuzz|Benchmark)\w*\("),
    re.compile(r"\bos\.Exit\(|\btesting\.Testing\(\)|flag\.Lookup\(\"test\."),
)
_RUST = Language(
    re.compile(r"#\[ignore|#\[should_panic|#\[cfg\((any\(\)|FALSE|not\(test\))"),
    re.compile(r"\b(debug_)?assert(_eq|_ne|_matches)?!|\bpanic!|\bunreachable!|\.unwrap\(\)|\.expect\("),
    re.compile(r"#\[(tokio::|async_std::)?test|#\[rstest"),
    re.compile(r"\bprocess::(exit|abort)\b|cfg!\(test\)|#\[cfg\((not\()?test\)"),
)
_JVM = Language(
    re.compile(r"@(Disabled|Ignore|DisabledIf\w*|EnabledIf\w*)\b|\b(assume\w*|Assumptions?\.\w+)\(|\.pending\b"),
    re.compile(r"\b(assert\w*|verify|expect\w*|fail)\s*\(|\.(isEqualTo|should\w*)\("),
    re.compile(r"@(Test|ParameterizedTest|RepeatedTest|Property)\b"),
    re.compile(r"\bSystem\.exit\(|Runtime\.getRuntime\(\)\.(exit|halt)|getStackTrace\(\)"),
)
_RUBY = Language(
    re.compile(
        r"\b(xit|xdescribe|xcontext|xspecify|skip|pending|fit|fdescribe|fcontext)\b|(skip|pending|focus):\s*(true|['\"])|:(skip|pending|focus)\b"
    ),
    re.compile(r"\b(expect|assert\w*|refute\w*|should\w*|must_\w+|flunk)\b"),
    re.compile(r"^\s*(it|specify|test|def test_\w+|scenario)\b"),
    re.compile(r"\b(exit!?|abort)\b|defined\?\((RSpec|Minitest)|ENV\[.(RAILS_ENV|CI)"),
)
_PHP = Language(
    re.compile(r"markTest(Skipped|Incomplete)|@(requires|group\s+skip)|->skip\("),
    re.compile(r"\bassert\w*\(|expectException\w*\(|->expect\w*\(|\bexpect\("),
    re.compile(r"function test\w*\(|@test\b|#\[Test\]"),
    re.compile(r"\b(exit|die)\s*[(;]|PHPUNIT_\w+"),
)
_DOTNET = Language(
    re.compile(r"\bSkip\s*=|\[(Ignore|Explicit)\b|Assert\.(Ignore|Inconclusive|Skip)"),
    re.compile(r"\bAssert\.\w+|\.Should\(\)"),
    re.compile(r"\[(Fact|Theory|Test|TestMethod|TestCase)\b"),
    re.compile(r"\bEnvironment\.(Exit|FailFast)\("),
)
_C = Language(
    re.compile(r"\bGTEST_SKIP|DISABLED_\w+|\[!?(mayfail|shouldfail|\.)\]|#if 0\b|\bSKIP\("),
    re.compile(r"\b(ASSERT|EXPECT|REQUIRE|CHECK)(_\w+)?\s*\(|\bassert\s*\("),
    re.compile(r"\bTEST(_F|_P|_CASE)?\s*\("),
    re.compile(r"\b(_?exit|abort|quick_exit)\s*\("),
)
_SHELL = Language(
    re.compile(r"^\s*skip\b|#\s*(SKIP|TODO)\b"),
    re.compile(r"^\s*(\[|\[\[|assert\w*|refute\w*|run)\b|^\s*(ok|is|is_deeply|like|cmp_ok)\b"),
    re.compile(r"^\s*@test\b"),
    re.compile(r"BATS_\w+"),
)
_BY_SUFFIX: dict[str, Language] = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"), _JAVASCRIPT),
    "go": _GO,
    "rs": _RUST,
    **dict.fromkeys(("java", "kt", "scala", "groovy"), _JVM),
    "rb": _RUBY,
    "php": _PHP,
    **dict.fromkeys(("cs", "fs", "vb"), _DOTNET),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp"), _C),
    **dict.fromkeys(("bats", "t", "sh"), _SHELL),
}
_TRIVIAL = re.compile(
    r"expect\((true|1)\)\.(toBe|toEqual)\((true|1)\)|\bassert(\.ok|True)?\((true|1)\)|assert!\(true\)|assertTrue\(true\)"
    r"|assertEquals\((\w+), \4\)|Assert\.True\(true\)|expect\(true\)\.to eq\(?true"
)


def weakened_elsewhere(patch: PatchFiles) -> Iterator[Finding]:
    for file in patch.files:
        language = _BY_SUFFIX.get(file.path.rpartition(".")[2])
        if language is None:
            continue
        yield from _in_tests(file, language) if _holds_tests(file, language) else _in_code(file, language)


def _holds_tests(file: ChangedFile, language: Language) -> bool:
    """Tests beside the code count too: Rust keeps them in the same file."""
    return file.is_test or (language is _RUST and any(language.tests.search(line) for line in file.old_lines))


def _in_tests(file: ChangedFile, language: Language) -> Iterator[Finding]:
    for line, text in file.added_lines:
        if match := language.skips.search(text):
            message = f"tests are skipped or left out ({match[0].strip()})"
            yield Finding("skip-added", file.path, line, Severity.TAMPERING, message)
        elif match := _TRIVIAL.search(text):
            message = f"an assertion that always holds ({match[0]})"
            yield Finding("assertion-weakened", file.path, line, Severity.TAMPERING, message)
    for rule, words, what in (
        ("test-removed", language.tests, "tests"),
        ("assertions-removed", language.asserts, "assertions"),
    ):
        before = sum(len(words.findall(line)) for line in file.old_lines)
        after = sum(len(words.findall(line)) for line in file.new_lines)
        if after < before:
            severity = (
                Severity.TAMPERING if file.after is None or after == 0 or rule == "test-removed" else Severity.ASK
            )
            message = f"{before} {what} became {after}"
            yield Finding(rule, file.path, None, severity, message)


def _in_code(file: ChangedFile, language: Language) -> Iterator[Finding]:
    if not file.is_code:
        return
    for line, text in file.added_lines:
        if match := language.exits.search(text):
            message = f"code under test ends the process or asks whether it is tested ({match[0].strip()})"
            yield Finding("test-aware", file.path, line, Severity.ASK, message)
