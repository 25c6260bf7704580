"""Every runner against reports that no honest program writes: an answer in bounded time, never an exception."""

import json

import pytest

from autofix.checks.reports.go_json import go_cases
from autofix.checks.reports.libtest import libtest_cases
from autofix.checks.reports.lines import LINE_LIMIT, lines
from autofix.checks.reports.numbering import Numbering
from autofix.checks.reports.places import below
from autofix.checks.reports.tap import tap_cases
from autofix.checks.runners import RUNNERS
from autofix.checks.runners.runner import Left

HOSTILE = {
    "nothing": b"",
    "binary": bytes(range(256)) * 50,
    "null": b"null",
    "a number": b"1e999",
    "deep": b"[" * 100_000,
    "cut": b'{"testResults": [{"assertionResults": [{"status": "fai',
    "wrong kinds": json.dumps(
        {
            "testResults": [3, {"assertionResults": [7, {"status": [], "ancestorTitles": {"a": 1}, "title": None}]}],
            "tests": [None, {"file": 3, "err": []}],
            "failures": "x",
            "examples": [[], {"file_path": {}, "exception": 3, "line_number": "x", "status": 1}],
            "messages": {"a": 1},
            "summary": [],
            "runs": [{"results": [{"locations": 3}]}, 4],
        }
    ).encode(),
    "bomb": b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuites>&b;</testsuites>',
    "numbers": b"1..99999999999999999999\nok 99999999999999999999 x\nrunning 999999999 tests\ntest a ... ok\n",
    "events": b'{"Package": "p", "Action": "fail", "Elapsed": NaN}\n{"Package": 3}\n{"Package": "p", "Test": {}}\n',
}


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("runner", RUNNERS)
def test_no_report_makes_a_runner_fall_over(runner: str, hostile: str):
    for exit_code in (0, 1):
        picture = RUNNERS[runner].parse(Left(HOSTILE[hostile], exit_code, "", root="/tree"))

        assert len({case.id for case in picture.cases}) == len(picture.cases)
        assert all("/etc" not in case.file and not case.file.startswith("/") for case in picture.cases)


def test_the_same_id_a_hundred_thousand_times_is_numbered_without_counting_again():
    taken: dict[str, int] = {}
    unique = Numbering(taken)
    for _ in range(100_000):
        taken[unique("a")] = 1

    assert list(taken)[:3] == ["a", "a#2", "a#3"]
    assert list(taken)[-1] == "a#100000"


def test_a_number_that_is_taken_already_is_passed_over():
    assert Numbering({"a", "a#2"})("a") == "a#3"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/tree/a/b.js", "a/b.js"),
        ("file:///tree/a%20b.py", "a b.py"),
        ("./a.py", "a.py"),
        ("/etc/passwd", ""),
        ("../../etc/passwd", ""),
        ("/tree/../etc/passwd", ""),
        ("/treehouse/a", ""),
        ("", ""),
    ],
)
def test_a_place_is_told_from_the_tree_or_not_at_all(path: str, told: str):
    assert below("/tree", path) == told


def test_what_a_rust_test_prints_is_no_result():
    report = b"""     Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)

running 1 test
test bad ... FAILED

failures:

---- bad stdout ----
test good ... ok
test result: ok. 9 passed

failures:
    bad
"""
    assert [(case.id, case.outcome.value) for case in libtest_cases(report)] == [("shop (src/lib.rs)::bad", "failed")]


def test_a_line_ends_where_the_runner_ended_it_and_no_line_is_endless():
    report = "a\r\nb\u2028test good ... ok\x0bc\n".encode() + b"x" * (LINE_LIMIT + 5)

    assert list(lines(report)) == ["a", "b\u2028test good ... ok\x0bc", "x" * LINE_LIMIT]


def test_a_rust_program_that_ends_before_its_tests_do_is_an_error():
    cases = libtest_cases(b"running 3 tests\ntest a ... ok\n")

    assert {case.id: case.outcome.value for case in cases} == {"tests::a": "passed", "tests": "error"}


@pytest.mark.parametrize(
    ("report", "last"),
    [
        (b"1..3\nok 1 a\n", "1 of 3 planned tests ran"),
        (b"ok 1 a\n", "it ended without its plan"),
        (b"1..2\nok 1 a\nBail out! no database\n", "no database"),
    ],
)
def test_tap_that_does_not_keep_its_plan_is_an_error(report: bytes, last: str):
    assert tap_cases(report)[-1].message == last


def test_a_go_test_without_its_end_did_not_pass():
    (case,) = go_cases(b'{"Action": "run", "Package": "p", "Test": "T"}\n')

    assert (case.id, case.outcome.value) == ("p.T", "error")
