"""Reports of runners whose programs are not run here, in the formats their makers document, and what they are read as."""

import pytest

from autofix.checks.runners import RUNNERS
from autofix.checks.runners.runner import Left

DOTNET = """  Determining projects to restore...
Test run for /src/bin/Debug/net8.0/Shop.Tests.dll (.NETCoreApp,Version=v8.0)
A total of 1 test files matched the specified pattern.
  Passed Shop.Tests.Sums.Good [3 ms]
  Failed Shop.Tests.Sums.Bad(a: 1, b: 2) [< 1 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 1
Actual:   2
  Stack Trace:
     at Shop.Tests.Sums.Bad(Int32 a, Int32 b) in /src/Sums.cs:line 9
  Skipped Shop.Tests.Sums.Later [1 ms]

Test Run Failed.
Total tests: 3
     Passed: 1
     Failed: 1
    Skipped: 1
"""
NEXTEST = """    Finished `test` profile [unoptimized + debuginfo] target(s) in 0.02s
------------
 Nextest run ID 0b1d with nextest profile: default
    Starting 4 tests across 2 binaries (1 test skipped)
        PASS [   0.003s] (1/4) shop tests::good
        FAIL [   0.004s] (2/4) shop tests::bad
  TRY 1 FAIL [   0.004s] shop::it wobbles
  TRY 2 PASS [   0.004s] shop::it wobbles
        PASS [   0.003s] shop::it from_outside
------------
     Summary [   0.007s] 4 tests run: 3 passed, 1 failed, 1 skipped
        FAIL [   0.004s] (2/4) shop tests::bad
error: test run failed
"""
GRADLE = """<testsuites>
<testsuite name="core/build/test-results/test/TEST-shop.SumsTest.xml">
<testsuite name="shop.SumsTest" tests="3" skipped="1" failures="1" errors="0" timestamp="2026-01-02T03:04:05" hostname="h" time="0.01">
  <properties/>
  <testcase name="good()" classname="shop.SumsTest" time="0.001"/>
  <testcase name="bad()" classname="shop.SumsTest" time="0.002">
    <failure message="org.opentest4j.AssertionFailedError: expected: &lt;1&gt; but was: &lt;2&gt;" type="x">trace</failure>
  </testcase>
  <testcase name="later()" classname="shop.SumsTest" time="0.0"><skipped/></testcase>
  <system-out><![CDATA[]]></system-out>
</testsuite>
</testsuite>
</testsuites>
"""
TAP14 = """TAP version 14
1..4
ok 1 - good
not ok 2 - bad
  ---
  message: "1 is not 2"
  severity: fail
  ...
# Subtest: nested
    ok 1 - inner
    not ok 2 - deep
    1..2
not ok 3 - nested
ok 4 - later # TODO not yet
"""
MESSAGE = "expected: <1> but was: <2>"


@pytest.mark.parametrize(
    ("runner", "report", "truth"),
    [
        (
            "dotnet",
            DOTNET,
            {
                "Shop.Tests.Sums.Good": "passed",
                "Shop.Tests.Sums.Bad(a: 1, b: 2)": "failed",
                "Shop.Tests.Sums.Later": "skipped",
            },
        ),
        (
            "nextest",
            NEXTEST,
            {
                "shop tests::good": "passed",
                "shop tests::bad": "failed",
                "shop::it wobbles": "passed",
                "shop::it from_outside": "passed",
            },
        ),
        (
            "gradle",
            GRADLE,
            {
                "core: shop.SumsTest#good()": "passed",
                "core: shop.SumsTest#bad()": "failed",
                "core: shop.SumsTest#later()": "skipped",
            },
        ),
        ("tap", TAP14, {"good": "passed", "bad": "failed", "nested": "failed", "later": "passed"}),
    ],
)
def test_a_documented_report_is_read_whole(runner: str, report: str, truth: dict[str, str]):
    picture = RUNNERS[runner].parse(Left(report.encode(), 1, report, root="/src"))

    assert {case.id: case.outcome.value for case in picture.cases} == truth
    assert picture.report
    assert picture.not_run is None


def test_a_failing_case_of_each_says_why():
    said = {}
    for runner, report in (("dotnet", DOTNET), ("gradle", GRADLE), ("tap", TAP14)):
        picture = RUNNERS[runner].parse(Left(report.encode(), 1, report))
        said[runner] = next(case.message for case in picture.cases if case.outcome.failing)

    assert said == {
        "dotnet": "Assert.Equal() Failure: Values differ",
        "gradle": f"org.opentest4j.AssertionFailedError: {MESSAGE}",
        "tap": 'message: "1 is not 2"',
    }
