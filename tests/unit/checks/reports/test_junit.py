"""JUnit XML, honest and hostile."""

import tracemalloc

import pytest

from autofix.checks.reports.junit import (
    ATTRIBUTE_LIMIT,
    DEPTH_LIMIT,
    NOT_KEPT,
    TRACE_LIMIT,
    TRACES_LIMIT,
    JUnitCase,
    read_junit,
)


def read(report: str | bytes) -> tuple[list[JUnitCase], str]:
    cases: list[JUnitCase] = []
    damage = read_junit(report.encode() if isinstance(report, str) else report, cases.append)
    return cases, damage


def suite(inner: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="s">{inner}</testsuite></testsuites>'


def test_a_case_is_read_with_all_it_says():
    cases, damage = read(
        suite(
            '<testcase classname="tests.test_a.TestX" name="test[a::b]" file="tests/test_a.py" line="3" time="0.25">'
            '<failure type="AssertionError" message="boo">trace &lt;here&gt;</failure></testcase>'
        )
    )

    assert damage == ""
    (case,) = cases
    assert case[:6] == ("tests.test_a.TestX", "test[a::b]", "tests/test_a.py", 3, 0.25, "s")
    (problem,) = case.problems
    assert (problem.kind, problem.type, problem.message, problem.text) == (
        "failure",
        "AssertionError",
        "boo",
        "trace <here>",
    )


def test_a_bare_suite_nested_suites_and_namespaces_are_read_alike():
    inner = '<testcase name="t"/>'
    for report in (
        f'<testsuite name="x">{inner}</testsuite>',
        f'<testsuites><testsuite name="a"></testsuite><testsuite name="x">{inner}</testsuite></testsuites>',
        f'<j:testsuites xmlns:j="urn:j"><j:testsuite name="x">{inner.replace("<", "<j:")}</j:testsuite></j:testsuites>',
    ):
        cases, damage = read(report)
        assert (len(cases), cases[0].suite, damage) == (1, "x", "")


def test_output_and_properties_of_a_case_are_no_problems_of_it():
    cases, _ = read(
        suite(
            '<testcase name="t"><properties><property name="failure" value="x"><failure>not mine</failure></property>'
            "</properties><system-out>text</system-out></testcase>"
        )
    )

    assert cases[0].problems == ()


def test_several_failures_of_one_case_stay_together():
    cases, _ = read(
        suite('<testcase name="t"><failure message="1"/><failure message="2"/><error message="3"/></testcase>')
    )

    assert [problem.message for problem in cases[0].problems] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "head",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">',
        "<!DOCTYPE x>",
    ],
)
def test_a_document_type_ends_the_reading(head: str):
    cases, damage = read(f'<?xml version="1.0"?>{head}<testsuite><testcase name="&b;"/></testsuite>')

    assert cases == []
    assert "document type" in damage


def test_what_was_complete_before_a_cut_is_kept_and_the_cut_is_said():
    whole = suite('<testcase name="a"/><testcase name="b"><failure>x</failure></testcase><testcase name="c"/>')

    cases, damage = read(whole[: whole.index('"c"')])

    assert [case.name for case in cases] == ["a", "b"]
    assert "damaged at line 1" in damage


@pytest.mark.parametrize("report", [b"", b"\0\0\0", b"not xml at all", b"<html><body>502</body>", b"\xff\xfe", b"{}"])
def test_what_is_no_report_gives_no_case_and_says_so(report: bytes):
    cases, damage = read(report)

    assert cases == []
    assert damage


def test_nesting_past_the_limit_ends_the_reading():
    cases, damage = read('<testsuite><testcase name="a"/>' + "<x>" * 1_000_000)

    assert [case.name for case in cases] == ["a"]
    assert f"more than {DEPTH_LIMIT} deep" in damage


def test_deep_but_allowed_nesting_is_no_damage():
    depth = DEPTH_LIMIT - 2

    cases, damage = read("<testsuite><testcase name='a'>" + "<x>" * depth + "</x>" * depth + "</testcase></testsuite>")

    assert (len(cases), damage) == (1, "")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_a_report_is_read_in_the_encoding_it_declares(encoding: str):
    text = f'<?xml version="1.0" encoding="{encoding}"?><testsuite><testcase name="größe"/></testsuite>'

    cases, damage = read(text.encode(encoding))

    assert (cases[0].name, damage) == ("größe", "")


@pytest.mark.parametrize(
    "report",
    [
        b'<testsuite><testcase name="a"/><testcase name="gr\xf6sse"/><testcase name="z"/></testsuite>',
        b'<?xml version="1.0" encoding="klingon"?><testsuite><testcase name="a"/><testcase name="m"/><testcase name="z"/></testsuite>',
        b'<testsuite><testcase name="a"/><testcase name="m"><failure>\x1b[31m red \x00</failure></testcase><testcase name="z"/></testsuite>',
        b'<?xml version="1.0" encoding="utf-7"?><testsuite><testcase name="a"/><testcase name="m"/><testcase name="z"/></testsuite>',
        b'<?xml version="1.0" encoding="hex"?><testsuite><testcase name="a"/><testcase name="m"/><testcase name="z"/></testsuite>',
        b'<testsuite><testcase name="a"/><testcase name="m&#27;&#0;"/><testcase name="z"/></testsuite>',
        b'<?xml version="1.0" encoding="utf-16"?><testsuite><testcase name="a"/><testcase name="m"/><testcase name="z"/></testsuite>',
    ],
)
def test_characters_that_cannot_be_read_are_replaced_and_each_case_is_kept_once(report: bytes):
    cases, damage = read(report)

    assert (len(cases), cases[0].name, cases[-1].name) == (3, "a", "z")
    assert "replaced" in damage


def test_long_text_is_cut_in_the_middle():
    cases, _ = read(suite(f'<testcase name="{"n" * 50_000}"><failure>HEAD{"x" * 10**6}TAIL</failure></testcase>'))

    text = cases[0].problems[0].text
    assert len(cases[0].name) == ATTRIBUTE_LIMIT
    assert text.startswith("HEAD")
    assert text.endswith("TAIL")
    assert "characters cut" in text
    assert len(text) < TRACE_LIMIT + 100


def test_all_traces_together_stay_within_their_budget():
    case = f'<testcase name="t"><failure>{"x" * TRACE_LIMIT}</failure></testcase>'

    cases, damage = read(suite(case * 2_000))

    assert (len(cases), damage) == (2_000, "")
    assert sum(len(case.problems[0].text) for case in cases) < TRACES_LIMIT * 1.1
    assert cases[-1].problems[0].text == NOT_KEPT


def test_reading_does_not_keep_what_it_has_read():
    report = suite(f'<testcase name="t"><system-out>{"x" * 4_000}</system-out></testcase>' * 4_000).encode()
    seen = []
    tracemalloc.start()
    try:
        read_junit(report, lambda case: seen.append(len(case.name)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(seen) == 4_000
    assert peak < 2 * 1024 * 1024 < len(report)


@pytest.mark.parametrize(
    ("line", "time", "expected"),
    [
        ("7", "1.5", (7, 1.5)),
        ("-1", "-1", (None, 0.0)),
        ("x", "nan", (None, 0.0)),
        ("", "inf", (None, 0.0)),
        ("9" * 5_000, "1e999", (None, 0.0)),
        ("²", "1,000.5", (None, 0.0)),
    ],
)
def test_numbers_that_are_none_are_left_out(line: str, time: str, expected: tuple):
    cases, _ = read(suite(f'<testcase name="t" line="{line}" time="{time}"/>'))

    assert (cases[0].line, cases[0].seconds) == expected


def test_suites_in_suites_are_named_from_the_outermost():
    cases, _ = read(
        '<testsuite name="a"><testsuite name="b"><testcase name="t"/></testsuite><testcase name="u"/></testsuite>'
    )

    assert [(case.suite, case.name) for case in cases] == [("a > b", "t"), ("a", "u")]
