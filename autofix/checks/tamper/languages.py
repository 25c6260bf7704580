"""The words by which languages we do not parse skip, assert, begin tests, end the runner and ask for it."""

import re
from dataclasses import dataclass

from autofix.checks.tamper.patch import ChangedFile


@dataclass(frozen=True, slots=True)
class Language:
    """A language's test words.

    Attributes:
        skips: what takes a test out of the count, or all the others (`only`).
        asserts: what can fail a test.
        tests: what begins a test.
        exits: what ends the runner, or asks whether it runs, in code under test.
        weak: asserts that only say that there is something, or of which kind.
        rigs: what stands in the place of the runner's or the language's own judgement.
        skips_in_comments: whether a comment can skip, too.
    """

    skips: re.Pattern[str]
    asserts: re.Pattern[str]
    tests: re.Pattern[str]
    exits: re.Pattern[str]
    weak: re.Pattern[str]
    rigs: re.Pattern[str]
    skips_in_comments: bool = False


_NEVER = re.compile(r"(?!)")

JAVASCRIPT = Language(
    skips=re.compile(
        r"\b(it|test|describe|context|suite)\.(skip|only|todo|failing|fails|skipIf|runIf)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\("
        r"|\bthis\.skip\(|\bt\.(skip|todo)\(|\{\s*(skip|todo):\s*[^f]"
    ),
    asserts=re.compile(
        r"\b(expect|assert(\.\w+)*|should|t\.(is|deepEqual|true|false|throws|assert\.\w+))\s*\(|\.should\."
    ),
    tests=re.compile(r"\b(it|test)(\.(each|concurrent|for)\b[^(]*)?\s*\("),
    exits=re.compile(
        r"\bprocess\.(exit|abort|kill|reallyExit|argv)\b|JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT"
        r"|\bprocess\.env\.(NODE_ENV|CI)\b|\btypeof\s*\(?(jest|vi|vitest|expect|describe|it|test|mocha)\b"
        r"|\bglobal(This)?\.(jest|vi|expect|describe|it|test|mocha)\b|\brequire\.main\b|\bmodule\.parent\b"
        r"|\bimport\.meta\.vitest\b|\bnew Error\([^)]*\)\.stack\b|\bcaptureStackTrace\b|\bcallee\.caller\b"
    ),
    weak=re.compile(
        r"\.toBe(Defined|Truthy|InstanceOf)\(|\.not\.toBe(Null|Undefined|NaN)\(|\bexpect\.(anything|any)\(|\bassert\.ok\("
        r"|\.to\.(exist|be\.ok|be\.an?)\b|\.should\.exist|\.not\.toThrow\("
    ),
    rigs=re.compile(
        r"\b(global(This)?|window)\.(expect|it|test|describe|assert)\s*=[^=]|\bexpect\s*=[^=]|\bjest\.retryTimes\("
        r"|\basymmetricMatch\b|\bObject\.(is|prototype\.\w+)\s*=[^=]"
    ),
)
GO = Language(
    skips=re.compile(r"\b[tb]\.(Skip|Skipf|SkipNow)\(|^//\s*(go:build|\+build)\b|\btesting\.Short\(\)"),
    asserts=re.compile(r"\b[tb]\.(Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(assert|require)\.\w+\("),
    tests=re.compile(r"^func (Test|Example|Fuzz|Benchmark)\w*\("),
    exits=re.compile(
        r"\bos\.Exit\(|\btesting\.Testing\(\)|\bflag\.Lookup\(\"test\.|\bos\.Args\b|\bruntime\.Callers?\(|\bdebug\.Stack\("
    ),
    weak=re.compile(r"\b(assert|require)\.(NotNil|NotEmpty|NoError|NotPanics|True|IsType|NotZero)\("),
    rigs=_NEVER,
    skips_in_comments=True,
)
RUST = Language(
    skips=re.compile(r"#\[ignore|#\[should_panic|#\[cfg\((any\(\)|FALSE|not\(test\))"),
    asserts=re.compile(r"\b(debug_)?assert(_eq|_ne|_matches)?!|\bpanic!|\bunreachable!|\.unwrap\(\)|\.expect\("),
    tests=re.compile(r"#\[(tokio::|async_std::)?test|#\[rstest"),
    exits=re.compile(
        r"\bprocess::(exit|abort)\b|cfg!\(test\)|#\[cfg\((not\()?test\)|\bcurrent_exe\(|\bthread::current\(\)\.name\("
    ),
    weak=re.compile(r"\bassert!\([^;]*\.is_(ok|some|empty)\(\)|\bassert_ne!"),
    rigs=re.compile(r"\bmacro_rules!\s*(assert|panic|unreachable)\w*|\bfn eq\([^)]*\)\s*->\s*bool\s*\{\s*true\s*\}"),
)
JVM = Language(
    skips=re.compile(r"@(Disabled|Ignore|DisabledIf\w*|EnabledIf\w*)\b|\b(assume\w*|Assumptions?\.\w+)\(|\.pending\b"),
    asserts=re.compile(r"\b(assert\w*|verify|expect\w*|fail)\s*\(|\.(isEqualTo|should\w*)\("),
    tests=re.compile(r"@(Test|ParameterizedTest|RepeatedTest|Property)\b"),
    exits=re.compile(
        r"\bSystem\.exit\(|\bRuntime\.getRuntime\(\)\.(exit|halt)|\bgetStackTrace\(\)|\bStackWalker\b|\"org\.junit"
        r"|\bsun\.java\.command\b|\bsurefire\b"
    ),
    weak=re.compile(r"\bassert(NotNull|DoesNotThrow|NotEquals|InstanceOf|True)\(|\.is(NotNull|InstanceOf|NotEmpty)\("),
    rigs=re.compile(
        r"\bboolean equals\([^)]*\)\s*\{\s*return true;|\bfun equals\([^)]*\)[^={]*(=\s*true|\{\s*return true)"
    ),
)
RUBY = Language(
    skips=re.compile(
        r"\b(xit|xdescribe|xcontext|xspecify|skip|pending|fit|fdescribe|fcontext)\b|(skip|pending|focus):\s*(true|['\"])|:(skip|pending|focus)\b"
    ),
    asserts=re.compile(r"\b(expect|assert\w*|refute\w*|should\w*|must_\w+|flunk)\b"),
    tests=re.compile(r"^\s*(it|specify|test|def test_\w+|scenario)\b"),
    exits=re.compile(
        r"\b(exit!?|abort)\b|defined\?\((RSpec|Minitest)|ENV\[.(RAILS_ENV|CI)|\$PROGRAM_NAME|\$0\b|\bcaller(_locations)?\b"
        r"|\bObjectSpace\b|\bat_exit\b"
    ),
    weak=re.compile(
        r"\bbe_truthy\b|\bbe_present\b|not_to (be_nil|raise_error)|\bbe_an?\b"
        r"|\b(assert_not_nil|refute_nil|assert_kind_of|assert)\b(?! *_)"
    ),
    rigs=re.compile(
        r"\bdef (==|eql\?|===)\(\w+\)\s*(=\s*|;\s*|\n\s*)?true\b"
        r"|\bclass (String|Integer|Array|Hash|Object|NilClass|Float)\s*\n\s*def (==|eql\?|===|!=|hash)"
    ),
)
PHP = Language(
    skips=re.compile(r"markTest(Skipped|Incomplete)|@(requires|group\s+skip)|->skip\("),
    asserts=re.compile(r"\bassert\w*\(|expectException\w*\(|->expect\w*\(|\bexpect\("),
    tests=re.compile(r"function test\w*\(|@test\b|#\[Test\]"),
    exits=re.compile(
        r"\b(exit|die)\s*[(;]|PHPUNIT_\w+|\bregister_shutdown_function\(|\bdebug_backtrace\(|class_exists\(.PHPUnit|\$_SERVER\[.argv|\$argv\b"
    ),
    weak=re.compile(r"\bassert(NotNull|NotEmpty|Is(Int|String|Array|Bool|Float)|InstanceOf|True|NotFalse)\("),
    rigs=re.compile(r"\brunkit7?_\w+\("),
    skips_in_comments=True,
)
DOTNET = Language(
    skips=re.compile(r"\bSkip\s*=|\[(Ignore|Explicit)\b|Assert\.(Ignore|Inconclusive|Skip)"),
    asserts=re.compile(r"\bAssert\.\w+|\.Should\(\)"),
    tests=re.compile(r"\[(Fact|Theory|Test|TestMethod|TestCase)\b"),
    exits=re.compile(
        r"\bEnvironment\.(Exit|FailFast|GetCommandLineArgs|StackTrace)\b|\bnew StackTrace\(|\bGetAssemblies\(\)"
    ),
    weak=re.compile(r"\bAssert\.(NotNull|IsNotNull|IsType|NotEmpty|True|IsInstanceOf\w*)\(|\.NotBeNull\("),
    rigs=re.compile(r"\bbool (Equals|operator ==)\([^)]*\)\s*(=>\s*true|\{\s*return true)"),
)
C = Language(
    skips=re.compile(r"\bGTEST_SKIP|DISABLED_\w+|\[!?(mayfail|shouldfail|\.)\]|#if 0\b|\bSKIP\("),
    asserts=re.compile(r"\b(ASSERT|EXPECT|REQUIRE|CHECK)(_\w+)?\s*\(|\bassert\s*\("),
    tests=re.compile(r"\bTEST(_F|_P|_CASE)?\s*\("),
    exits=re.compile(r"\b(_?exit|abort|quick_exit)\s*\("),
    weak=re.compile(r"\b(EXPECT|ASSERT)_(TRUE|NO_THROW|NE)\s*\("),
    rigs=re.compile(
        r"#\s*define\s+(EXPECT|ASSERT|REQUIRE|CHECK|TEST|assert)\w*|\boperator==\([^)]*\)[^{;]*\{\s*return true;"
    ),
)
SHELL = Language(
    skips=re.compile(r"^\s*skip\b|#\s*(SKIP|TODO)\b"),
    asserts=re.compile(r"^\s*(\[|\[\[|assert\w*|refute\w*|run)\b|^\s*(ok|is|is_deeply|like|cmp_ok)\b"),
    tests=re.compile(r"^\s*@test\b"),
    exits=re.compile(r"BATS_\w+"),
    weak=_NEVER,
    rigs=_NEVER,
    skips_in_comments=True,
)
_BY_SUFFIX: dict[str, Language] = {
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"), JAVASCRIPT),
    "go": GO,
    "rs": RUST,
    **dict.fromkeys(("java", "kt", "scala", "groovy"), JVM),
    "rb": RUBY,
    "php": PHP,
    **dict.fromkeys(("cs", "fs", "vb"), DOTNET),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp"), C),
    **dict.fromkeys(("bats", "t", "sh"), SHELL),
}


def language_of(path: str) -> Language | None:
    return _BY_SUFFIX.get(path.rpartition(".")[2])


def inline_tests_from(lines: tuple[str, ...] | list[str], language: Language) -> int:
    """The number of lines before the tests that stand in the same file as the code; all of them where there are none.

    Rust alone keeps them there, behind `#[cfg(test)]`.
    """
    if language is RUST:
        for number, line in enumerate(lines):
            if "#[cfg(test)]" in line:
                return number
        for number, line in enumerate(lines):
            if RUST.tests.search(line):
                return number
    return len(lines)


def holds_inline_tests(file: ChangedFile, language: Language) -> bool:
    return not file.is_test and inline_tests_from(file.old_lines, language) < len(file.old_lines)
