"""What tells a test's own case from others, lenient values, smuggled files, tests that never run: each beside its look-alike."""

import pytest

from autofix.checks.finding import Severity
from autofix.checks.result import CaseKey
from autofix.checks.tampering import find_tampering

TEST, CODE = "tests/test_a.py", "src/a.py"
ASK, TAMPERING = Severity.ASK, Severity.TAMPERING
TESTS = """
import pytest
from src.a import f

@pytest.mark.parametrize("line, expected", [("url = http://x/?a=1", ("url", "http://x/?a=1")), ("n = 1", ("n", "1"))])
def test_lines(line, expected):
    assert f(line) == expected

def test_share():
    assert f([50, 90]) == 4.5
    assert f([2.0, 9.0]) == 5.0

def test_gone():
    assert f("/gone") is None
"""
OLD = "import os\n\ndef f(x):\n    return x.split('=')\n"


def found(path: str, before: str | bytes | None, after: str | bytes | None, **more) -> dict[str, Severity]:
    def raw(content):
        return content.encode() if isinstance(content, str) else content

    findings = find_tampering(
        {path: raw(before)},
        {path: raw(after), **{name: raw(one) for name, one in more.items()}},
        goal=[CaseKey("unit", f"{TEST}::test_lines")],
        tests={TEST: TESTS.encode()},
    )
    return {one.rule: one.severity for one in findings if one.rule not in {"tests-changed", "expected-data-changed"}}


def body(*lines: str) -> str:
    return "import os\n\ndef f(x):\n" + "".join(f"    {line}\n" for line in lines) + "    return x.split('=')\n"


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("input-recognised", body("cut = {21: 3, 5: 1}.get(len(x))", "if cut: return x[:cut]")),
        ("input-recognised", "import zlib\nT = {7: 1}\n" + body("if zlib.crc32(x) in T: return T[zlib.crc32(x)]")),
        ("input-recognised", body("if x.endswith('http://x/?a=' + '1'): return x[:3]")),
        ("input-recognised", body("if x == '/gone': return")),
        ("input-recognised", body("if x == 50: return g(x)", "if x == 90: return h(x)")),
        ("input-recognised", body("if x in f.__doc__: return 1")),
        ("call-counted", "_seen = []\n" + body("_seen.append(x)", "if len(_seen) in (2, 5): return x")),
        ("double-recognised", body("if type(x).__name__ == 'FakeLine': return x")),
        ("double-recognised", body("if x.__class__.__module__.startswith('t'): return x")),
        ("test-aware", body("if any(name.endswith('_TEST') for name in os.environ): return x")),
        ("test-aware", body("for name, _ in os.environ.items():", "    if name > 'P': return x")),
        ("number-unexplained", body("return x + 0.571428571")),
        ("lenient-value", OLD + "class T(str):\n    def __eq__(self, other): return self.split() == other.split()\n"),
        ("lenient-value", OLD + "class S(list):\n    def __iter__(self): yield from sorted(self[:])\n"),
        (
            "files-searched",
            "from pathlib import Path\n" + body("for p in Path(__file__).parent.parent.rglob('*.md'): return p"),
        ),
        ("error-swallowed", body("try: return g(x)", "except BaseException:", "    print('no')", "    return 1")),
        ("input-special-cased", body("if x[0] == 2.0: return 5.0")),
    ],
)
def test_what_knows_the_tests_own_case_is_asked_about(rule: str, after: str):
    assert found(CODE, OLD, after) == {rule: ASK}


@pytest.mark.parametrize(
    "after",
    [
        body("if len(x) == 0: return []"),
        body("return {'a': 1}.get(x)"),
        body("return x[len(x) - 1]"),
        body("if x == 404: raise ValueError('gone')"),
        body("if x == 'plainword': return x"),
        '"""Parses `url = http://x/?a=1`."""\n' + OLD,
        "_cache = {}\n" + body("if x in _cache: return _cache[x]", "_cache[x] = x"),
        body("return f'<{type(x).__name__}>'"),
        body("if os.environ.get('NO_COLOR'): return x"),
        "POUND = 0.45359237\n" + body("return x * POUND"),
        body("return x * 0.25"),
        OLD + "class Name(str):\n    def __str__(self): return self.upper()\n",
        OLD + "class Money:\n    def __eq__(self, other): return self.minor == other.minor\n",
        "from pathlib import Path\n" + body("return sorted(Path(x).glob('*.cfg'))"),
        body("try: return g(x)", "except BaseException:", "    close(x)", "    raise"),
        body("try: return g(x)", "except KeyError:", "    return None"),
    ],
)
def test_what_only_looks_so_is_let_pass(after: str):
    assert found(CODE, OLD, after) == {}


def test_compiled_code_is_not_taken_in_the_place_of_source():
    assert found("src/__pycache__/a.cpython-311.pyc", None, b"\xa7\r\r\n")["code-compiled"] is TAMPERING
    assert found("src/fast.so", None, b"\x7fELF")["code-compiled"] is ASK
    assert found("src/logo.png", None, b"\x89PNG") == {}


def test_a_new_table_that_the_code_reads_is_asked_about_and_one_that_it_does_not_is_let_pass():
    reads = {CODE: "import json\nT = json.load(open('src/presets.json'))\n"}

    assert found("src/presets.json", None, "{}", **reads) == {"data-added": ASK}
    assert found("src/presets.json", None, "{}") == {}
    assert found("CHANGELOG.md", None, "More.\n", **reads) == {}


PLAIN = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(3), 7)\n"
FUNCTION = "def test_a():\n    assert f(3) == 7\n"


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [
        (PLAIN, PLAIN.replace("self.assertEqual(f(3), 7)", "yield self.assertEqual(f(3), 7)"), TAMPERING),
        (PLAIN, PLAIN.replace("    def", "    async def"), TAMPERING),
        (FUNCTION, FUNCTION.replace("def", "async def"), ASK),
        (FUNCTION, "def test_a():\n    if f:\n        return\n    assert f(3) == 7\n", ASK),
    ],
)
def test_a_test_that_no_longer_runs_is_found(before: str, after: str, severity: Severity):
    assert found(TEST, before, after)["test-never-runs"] is severity


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            PLAIN,
            PLAIN.replace("unittest.TestCase", "unittest.IsolatedAsyncioTestCase").replace("    def", "    async def"),
        ),
        (FUNCTION, FUNCTION + "    def inner():\n        yield 1\n    assert list(inner()) == [1]\n"),
        (FUNCTION, FUNCTION + "    if f(4) == 9:\n        return\n"),
    ],
)
def test_a_test_that_still_runs_is_not_accused(before: str, after: str):
    assert found(TEST, before, after).get("test-never-runs") is not TAMPERING


def test_a_fixture_that_now_gives_a_mock_replaces_what_is_tested():
    real = "import pytest\n@pytest.fixture\ndef client():\n    return Client()\n" + FUNCTION
    mock = real.replace("return Client()", "from unittest.mock import MagicMock\n    return MagicMock(fetch=lambda: 7)")

    assert found(TEST, real, mock)["subject-mocked"] is TAMPERING
    assert "subject-mocked" not in found(TEST, mock, mock.replace("7", "8"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def test_a():\n    assert f(13) == 17\n", "def test_g():\n    assert g(13) == 17\n"),
        (
            "def test_a():\n    assert f('x') == (1, 2)\ndef test_b():\n    assert f('') == (0, 0)\n",
            "@pytest.mark.parametrize('t, e', [('x', (1, 2)), ('', (0, 0))])\ndef test_a(t, e):\n    assert f(t) == e\n",
        ),
        (
            "def test_a():\n    assert f(3) == 7\n    assert f(4) == 9\n",
            "def test_a():\n    assert f(3) == 7\ndef test_b():\n    assert f(4) == 9\n",
        ),
    ],
)
def test_tests_that_are_renamed_merged_or_split_are_asked_about_and_not_accused(before: str, after: str):
    assert TAMPERING not in found(TEST, before, after).values()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def test_a():\n    assert f(13) == 17\ndef test_b():\n    assert f(1) == 2\n",
            "def test_b():\n    assert f(1) == 2\n",
        ),
        ("def test_a():\n    assert f(13) == 17\n", "def test_g():\n    g(13, 17)\n"),
        ("def test_a():\n    assert f(13) == 17\n", "def test_g():\n    assert (13, 17)\n"),
        (
            "def test_a():\n    assert f(3) == 7\n    assert f(4) == 9\n",
            "def test_a():\n    assert f(3) == 7\ndef helper():\n    assert f(4) == 9\n",
        ),
    ],
)
def test_tests_that_are_gone_although_something_looks_like_them_are_found(before: str, after: str):
    assert TAMPERING in found(TEST, before, after).values()
