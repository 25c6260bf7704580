"""What could not be run at all is named so that its tests are known again once they run: as the programs report it."""

import json

import pytest

from autofix.checks.runners import RUNNERS
from autofix.checks.runners.runner import Left

MOCHA = json.dumps(
    {
        "tests": [{"fullTitle": "other", "file": "/tree/test/a.js"}],
        "failures": [
            {"fullTitle": 'd "before each" hook for "one"', "file": "/tree/test/a.js", "err": {"message": "no"}},
            {"fullTitle": '"after all" hook in "{root}"', "file": "/tree/test/a.js", "err": {"message": "no"}},
        ],
    }
)
NODE = (
    '<testsuites><testcase name="/tree/a.test.js" classname="test"><failure message="test failed">x</failure></testcase>'
    '<testcase name="reads a.js" classname="test"/></testsuites>'
)
BATS = (
    '<testsuites><testsuite name="./a.bats"><testcase classname="./a.bats" name=""><failure>no</failure></testcase></testsuite>'
    '<testsuite name="./b.bats"><testcase classname="./b.bats" name="begin 3 two"/></testsuite></testsuites>'
)
SUREFIRE = (
    '<testsuite name="TEST-shop.xml"><testcase classname="shop.A" name="shop.A"><error>no</error></testcase>'
    '<testcase classname="shop.B" name="initializationError"><error>no</error></testcase>'
    '<testcase classname="shop.C" name="good"/></testsuite>'
)


@pytest.mark.parametrize(
    ("runner", "report", "truth"),
    [
        (
            "mocha",
            MOCHA,
            {"test/a.js > other": "passed", "test/a.js > d (hooks)": "error", "test/a.js > (hooks)": "error"},
        ),
        ("node:test", NODE, {"a.test.js (file)": "error", "reads a.js": "passed"}),
        ("bats", BATS, {"a.bats": "error", "b.bats > two": "passed"}),
        ("maven", SUREFIRE, {"shop.A": "error", "shop.B": "error", "shop.C#good": "passed"}),
        ("tap", "1..3\nok 1 - good\n", {"good": "passed", "the plan": "error"}),
    ],
)
def test_a_whole_is_told_from_its_tests(runner: str, report: str, truth: dict[str, str]):
    picture = RUNNERS[runner].parse(Left(report.encode(), 1, "", root="/tree"))

    assert {case.id: case.outcome.value for case in picture.cases} == truth
    assert all(case.message for case in picture.cases if case.outcome.failing)
