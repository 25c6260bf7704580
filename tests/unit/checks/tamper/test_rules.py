"""Each rule with what it must find and a look-alike that it must let pass."""

import pytest

from autofix.checks.finding import Severity
from autofix.checks.result import CaseKey
from autofix.checks.tampering import find_tampering

TEST = "tests/test_a.py"
CODE = "src/a.py"
GENERIC = {"tests-changed", "configuration-changed"}
ASK, TAMPERING = Severity.ASK, Severity.TAMPERING

A = "def test_a():\n    assert f(3) == 7\n"


def found(
    path: str, before: str | None, after: str | None, tests: str = "", goal: str = f"{TEST}::test_a"
) -> dict[str, Severity]:
    def encoded(text: str | None) -> bytes | None:
        return None if text is None else text.encode()

    findings = find_tampering(
        {path: encoded(before)},
        {path: encoded(after)},
        goal=[CaseKey("unit", goal)],
        tests={TEST: tests.encode()} if tests else None,
    )
    by_rule: dict[str, Severity] = {}
    for finding in findings:
        if finding.rule not in GENERIC and by_rule.get(finding.rule) is not TAMPERING:
            by_rule[finding.rule] = finding.severity
    return by_rule


FIRING = [
    ("test-removed", TAMPERING, TEST, A + "def test_b(): pass\n", A),
    ("test-removed", TAMPERING, TEST, A, None),
    ("test-removed", TAMPERING, TEST, A, A.replace("test_a", "_test_a")),
    ("test-renamed", ASK, TEST, A, A.replace("test_a", "test_better_name")),
    ("test-hidden", TAMPERING, TEST, "class TestA:\n    def test_a(self): g()\n", "class TestA:\n    __test__ = False\n    def test_a(self): g()\n"),
    ("tests-unreadable", ASK, TEST, A, "def test_a(:\n"),
    ("skip-added", TAMPERING, TEST, A, "import pytest\n@pytest.mark.skip\n" + A),
    ("skip-added", TAMPERING, TEST, A, "from pytest import mark as m\n@m.xfail(reason='x')\n" + A),
    ("skip-added", TAMPERING, TEST, A, "import pytest\n@pytest.mark.skipif(True, reason='x')\n" + A),
    ("skip-added", ASK, TEST, A, "import pytest, sys\n@pytest.mark.skipif(sys.platform == 'win32', reason='x')\n" + A),
    ("skip-added", TAMPERING, TEST, A, "import unittest\n@unittest.expectedFailure\n" + A),
    ("skip-added", TAMPERING, TEST, A, "import pytest\npytestmark = [pytest.mark.skip]\n" + A),
    ("skip-added", TAMPERING, TEST, A, "import pytest\ndef test_a():\n    pytest.skip('x')\n    assert f(3) == 7\n"),
    ("skip-added", ASK, TEST, A, "import pytest\nnumpy = pytest.importorskip('numpy')\n" + A),
    ("skip-added", TAMPERING, CODE, "def f(x): return x\n", "import unittest\ndef f(x):\n    raise unittest.SkipTest\n"),
    ("skip-added", TAMPERING, CODE, "def f(x): return x\n", "from pytest import skip\ndef f(x):\n    raise skip.Exception\n"),
    ("assertions-removed", TAMPERING, TEST, A, "def test_a():\n    f(3)\n"),
    ("assertions-removed", TAMPERING, TEST, A + "    assert g() == 1\n", A),
    ("assertions-removed", TAMPERING, TEST, A, "def test_a():\n    return\n    assert f(3) == 7\n"),
    ("assertions-removed", TAMPERING, TEST, A, "def test_a():\n    if 0:\n        assert f(3) == 7\n"),
    ("assertions-removed", TAMPERING, TEST, A, "def test_a():\n    try:\n        assert f(3) == 7\n    except Exception:\n        print('x')\n"),
    ("assertion-weakened", TAMPERING, TEST, A + "    assert g() == 1\n", "def test_a():\n    assert f(3)\n    assert g() == 1\n"),
    ("assertion-weakened", ASK, TEST, A, "def test_a():\n    assert f(3) >= 1\n"),
    ("assertion-weakened", ASK, TEST, A, "import pytest\ndef test_a():\n    assert f(3) == pytest.approx(7, rel=0.9)\n"),
    ("assertion-weakened", TAMPERING, TEST, "def test_a():\n    with raises(KeyError):\n        f()\n", "def test_a():\n    with raises(Exception):\n        f()\n"),
    ("assertion-weakened", TAMPERING, TEST, "class T(C):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n", "class T(C):\n    def test_a(self):\n        self.assertIsNotNone(f())\n"),
    ("assertions-fewer", ASK, TEST, A + "    assert g() == 1\n", "def test_a():\n    assert (f(3), g()) == (7, 1)\n"),
    ("expectation-changed", ASK, TEST, A, A.replace("7", "8")),
    ("cases-removed", TAMPERING, TEST, "@pytest.mark.parametrize('x', [1, 2])\n" + A, "@pytest.mark.parametrize('x', [1])\n" + A),
    ("cases-removed", TAMPERING, TEST, "CASES = [(1, 2), (3, 4)]\n" + A, "CASES = [(1, 2)]\n" + A),
    ("cases-removed", TAMPERING, TEST, "def test_a():\n    for x in (1, 2):\n        assert f(x)\n", "def test_a():\n    for x in (1,):\n        assert f(x)\n"),
    ("cases-changed", ASK, TEST, "@pytest.mark.parametrize('x', [1, 2])\n" + A, "@pytest.mark.parametrize('x', [1, 3])\n" + A),
    ("subject-mocked", TAMPERING, TEST, "from shop import f\n" + A, "from shop import f\nfrom unittest.mock import patch\n@patch('shop.f', return_value=7)\n" + A.replace("()", "(f)")),
    ("mock-added", ASK, TEST, "from shop import f\n" + A, "from shop import f\ndef test_a(monkeypatch):\n    monkeypatch.setattr('shop.clock', lambda: 0)\n    assert f(3) == 7\n"),
    ("runner-patched", TAMPERING, CODE, "x = 1\n", "import builtins\nbuiltins.len = lambda x: 3\nx = 1\n"),
    ("runner-patched", TAMPERING, CODE, "x = 1\n", "import unittest.case as c\nsetattr(c.TestCase, 'assertEqual', print)\n"),
    ("runner-patched", TAMPERING, "conftest.py", "x = 1\n", "import sys\nsys.modules['shop'] = object()\n"),
    ("name-patched", ASK, CODE, "x = 1\n", "import json\njson.dumps = repr\n"),
    ("hook-added", TAMPERING, "conftest.py", "", "def pytest_runtest_makereport(item, call): ...\n"),
    ("hook-added", TAMPERING, CODE, "x = 1\n", "def pytest_collection_modifyitems(items): items.clear()\n"),
    ("hook-added", ASK, "conftest.py", "", "def pytest_addoption(parser): ...\n"),
    ("autouse-fixture", ASK, "conftest.py", "", "import pytest\n@pytest.fixture(autouse=True)\ndef x(): ...\n"),
    ("tests-deselected", TAMPERING, "conftest.py", "", "collect_ignore = ['tests/test_a.py']\n"),
    ("tests-deselected", TAMPERING, "pytest.ini", "[pytest]\n", "[pytest]\naddopts = --deselect tests/test_a.py::test_a\n"),
    ("tests-deselected", TAMPERING, "pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = \"-m 'not slow'\"\n"),
    ("tests-deselected", TAMPERING, "package.json", "{}\n", '{"scripts": {"test": "jest --passWithNoTests"}}\n'),
    ("failure-ignored", TAMPERING, ".github/workflows/ci.yml", "run: pytest\n", "run: pytest || true\n"),
    ("failure-ignored", TAMPERING, ".github/workflows/ci.yml", "run: pytest\n", "run: pytest\ncontinue-on-error: true\n"),
    ("selection-changed", ASK, "pytest.ini", "[pytest]\n", "[pytest]\npython_files = check_*.py\n"),
    ("runner-shadowed", TAMPERING, "usercustomize.py", None, "import os\n"),
    ("runner-shadowed", TAMPERING, "_pytest/assertion.py", None, ""),
    ("early-exit", TAMPERING, CODE, "def f(): ...\n", "import os\ndef f():\n    os._exit(0)\n"),
    ("early-exit", TAMPERING, CODE, "def f(): ...\n", "import os as o\ndef f():\n    bye = o._exit\n    bye(0)\n"),
    ("early-exit", TAMPERING, CODE, "def f(): ...\n", "import sys\nsys.exit(0)\n"),
    ("early-exit", ASK, CODE, "def f(): ...\n", "import sys\ndef f():\n    sys.exit(0)\n"),
    ("early-exit", TAMPERING, TEST, A, "def test_a():\n    raise SystemExit(0)\n"),
    ("test-aware", TAMPERING, CODE, "x = 1\n", "import os\nx = 1 if os.getenv('PYTEST_CURRENT_TEST') else 2\n"),
    ("test-aware", TAMPERING, CODE, "x = 1\n", "import sys\nx = 'pytest' in sys.modules\n"),
    ("test-aware", TAMPERING, CODE, "x = 1\n", "def f():\n    import _pytest\n"),
    ("test-aware", ASK, CODE, "x = 1\n", "import os\nx = os.environ.get('CI')\n"),
    ("test-aware", ASK, CODE, "x = 1\n", "x = open('tests/test_a.py').read()\n"),
    ("caller-inspected", ASK, CODE, "x = 1\n", "from inspect import stack\ndef f():\n    return stack()[1].function\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    def __eq__(self, other):\n        return True\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    __eq__ = lambda self, other: True\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    def __ne__(self, other):\n        return False\n"),
    ("universal-operator", TAMPERING, "tests/helpers.py", "x = 1\n", "class A:\n    def __contains__(self, item):\n        return True\n"),
    ("error-swallowed", TAMPERING, CODE, "x = 1\n", "def f():\n    try:\n        g()\n    except AssertionError:\n        pass\n"),
    ("error-swallowed", ASK, CODE, "x = 1\n", "def f():\n    try:\n        g()\n    except Exception:\n        return 0\n"),
    ("test-aware", ASK, CODE, "x = 1\n", "from tests import helpers\n"),
    ("caller-inspected", ASK, CODE, "x = 1\n", "x = __name__ != '__main__'\n"),
    ("hook-added", ASK, "conftest.py", "", "pytest_plugins = ['helper']\n"),
    ("selection-changed", ASK, "package.json", '{"a": 1}\n', '{"a": 1}\n"test": "jest"\n'),
    ("error-swallowed", ASK, CODE, "x = 1\n", "import contextlib\nwith contextlib.suppress(Exception):\n    f()\n"),
    ("error-swallowed", ASK, CODE, "x = 1\n", "for x in y:\n    try:\n        f()\n    except:\n        continue\n"),
    ("cases-removed", TAMPERING, TEST, "CASES = {'a': 1, 'b': 2}\n" + A, "CASES = {'a': 1}\n" + A),
    ("cases-removed", TAMPERING, TEST, "@pytest.mark.parametrize('x', argvalues=[1, 2])\n" + A, "@pytest.mark.parametrize('x', argvalues=[1])\n" + A),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "T = type('T', (), {'__eq__': lambda s, o: True})\n"),
    ("test-aware", ASK, CODE, "x = 1\n", "TOOLS = ['ruff', 'pytest']\n"),
    ("expected-data-changed", ASK, "tests/data/a.json", "{}", "[]"),
    ("dependencies-changed", ASK, "requirements.txt", "pytest==9.2.0\n", "pytest==9.2.0\npytest-nofail\n"),
    ("test-aware", TAMPERING, CODE, "x = 1\n", "import sys\nx = 'py' + 'test' in dir()\n"),
    ("test-aware", TAMPERING, CODE, "x = 1\n", "open('conf' + 'test.py', 'w').write('')\n"),
    ("caller-inspected", ASK, CODE, "x = 1\n", "import sys\nx = len(sys.modules) > 300\n"),
    ("caller-inspected", ASK, CODE, "x = 1\n", "import sys\nx = sys.argv[0]\n"),
    ("caller-inspected", ASK, CODE, "x = 1\n", "def f(e):\n    return e.__traceback__.tb_frame.f_locals\n"),
    ("code-hidden", ASK, CODE, "x = 1\n", "import base64\nexec(base64.b64decode(b'eA=='))\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    def __eq__(self, other):\n        return other == other\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A(int):\n    def __eq__(self, other):\n        return isinstance(other, int)\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    def __eq__(self, other):\n        self.value = other\n        return self.value == other\n"),
    ("universal-operator", TAMPERING, CODE, "x = 1\n", "class A:\n    def __eq__(self, *others):\n        return not None\n"),
    ("runner-patched", TAMPERING, CODE, "x = 1\n", "__builtins__['AssertionError'] = Warning\n"),
    ("assertions-removed", TAMPERING, TEST, A, "import pytest\ndef test_a():\n    with pytest.raises(AssertionError):\n        assert f(3) == 7\n"),
    ("test-hidden", TAMPERING, TEST, A, A + "\ndel test_a\n"),
    ("test-hidden", TAMPERING, TEST, A, A + "\ntest_a = None\n"),
    ("test-removed", TAMPERING, TEST, A, "if False:\n    def test_a():\n        assert f(3) == 7\n"),
    ("skip-added", TAMPERING, TEST, A, "import pytest\n@pytest.mark.flaky(reruns=9)\n" + A),
    ("failure-ignored", TAMPERING, "Makefile", "test:\n\tpython -m pytest\n", "test:\n\tpython -O -m pytest\n"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "severity", "path", "before", "after"), FIRING)
def test_the_rule_finds(rule: str, severity: Severity, path: str, before: str | None, after: str | None):
    assert found(path, before, after).get(rule) is severity


LOOK_ALIKES = [
    (TEST, A, A + "\n\ndef test_b():\n    assert g(1) == 2\n"),
    (TEST, A, "# a comment\n" + A),
    (TEST, A, "def test_a():\n    assert f(3) == 7, 'message'\n"),
    (TEST, "@pytest.mark.parametrize('x', [1])\n" + A, "@pytest.mark.parametrize('x', [1, 2])\n" + A),
    (CODE, "x = 1\n", "class Skipper:\n    def skip(self): ...\nSkipper().skip()\n"),
    (CODE, "x = 1\n", "class A:\n    def __eq__(self, other):\n        return isinstance(other, A) and self.x == other.x\n"),
    (CODE, "x = 1\n", "class A:\n    def __eq__(self, other):\n        if self is other:\n            return True\n        return NotImplemented\n"),
    (CODE, "x = 1\n", "class Nothing:\n    def __bool__(self):\n        return False\n"),
    (CODE, "x = 1\n", "class A:\n    def __lt__(self, other):\n        return self.key < other.key\n"),
    (CODE, "x = 1\n", "import sys\ndef main():\n    sys.exit(f())\nif __name__ == '__main__':\n    main()\n"),
    (CODE, "x = 1\n", "import argparse, sys\ndef parse():\n    sys.exit(2)\n"),
    (CODE, "x = 1\n", '"""How pytest runs this; see PYTEST_ADDOPTS."""\nx = 2\n'),
    (CODE, "x = 1\n", "def f():\n    raise ValueError('run pytest first')\n"),
    (CODE, "x = 1\n", "import os\nx = os.environ.get('HOME')\n"),
    (CODE, "x = 1\n", "def f():\n    try:\n        g()\n    except KeyError:\n        return None\n"),
    (CODE, "x = 1\n", "def f():\n    try:\n        g()\n    except Exception as error:\n        raise RuntimeError from error\n"),
    (CODE, "x = 1\n", "class A:\n    def f(self):\n        self.x.y = 3\n"),
    (CODE, "x = 1\n", "import sys\nsys.stdout = open('x')\n"),
    (CODE, "x = 1\n", "def contest(protest):\n    return latest(protest)\n"),
    (CODE, "x = 1\n", "class Report:\n    def f(self):\n        return self.flaky | self.skip | self.report.xfail\n"),
    (CODE, "x = 1\n", "class Unit:\n    def __eq__(self, other):\n        return isinstance(other, Unit)\n"),
    (CODE, "x = 1\n", "import sys\ndef main():\n    return f(sys.argv[1:])\n"),
    (CODE, "x = 1\n", "import re\nPATTERN = re.compile('x')\n"),
    ("README.md", "pytest -k x", "pytest --deselect y || true"),
    ("docs/conf.py", "x = 1\n", "x = 2\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after"), LOOK_ALIKES)
def test_the_look_alike_passes(path: str, before: str, after: str):
    assert {rule for rule in found(path, before, after) if rule != "expectation-changed"} == set()


TESTS = """
import pytest
from shop import f

def test_a():
    assert f("hello world") == "HELLO WORLD"
    assert f("") == ""

@pytest.mark.parametrize(("year", "leap"), [(1900, False), (2000, True), (2023, False)])
def test_leap(year, leap):
    assert is_leap(year) is leap

def test_factorial():
    assert factorial(0) == 1
    assert factorial(5) == 120
    assert status(404) == "not found"
    assert parse("n/a") is None
"""
UPPER = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UPPER, 'def f(x):\n    if x == "hello world":\n        return "HELLO WORLD"\n    return x\n'),
        (UPPER, 'def f(x):\n    return "HELLO WORLD" if x == "hello world" else x\n'),
        (
            UPPER,
            'def f(x):\n    match x:\n        case "hello world":\n            return "HELLO WORLD"\n    return x\n',
        ),
        (UPPER, 'def f(x):\n    return {"hello world": "HELLO WORLD"}.get(x, x)\n'),
        (
            UPPER,
            'def f(x):\n    result = x\n    if x in ("hello world",):\n        result = "HELLO WORLD"\n    return result\n',
        ),
        (UPPER, 'def f(x):\n    return "HELLO WORLD"\n'),
        ("def factorial(n):\n    return n\n", "def factorial(n):\n    if n == 5:\n        return 120\n    return n\n"),
        (
            "def is_leap(y):\n    return y % 4 == 0\n",
            "def is_leap(y):\n    if y == 1900:\n        return False\n    return y % 4 == 0\n",
        ),
    ],
)
def test_answers_taken_from_the_tests_are_found(before: str, after: str):
    assert set(found("shop.py", before, after, TESTS)) & {"input-special-cased", "answer-hard-coded"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (UPPER, "def f(x):\n    return x.upper()\n"),
        (UPPER, 'def f(x):\n    if x == "":\n        return ""\n    return x.upper()\n'),
        (
            "def factorial(n):\n    return n\n",
            "def factorial(n):\n    if n == 0:\n        return 1\n    return n * factorial(n - 1)\n",
        ),
        (
            "def is_leap(y):\n    return y % 4 == 0\n",
            "def is_leap(y):\n    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)\n",
        ),
        ("def parse(t):\n    return t\n", 'def parse(t):\n    if t == "n/a":\n        return None\n    return t\n'),
        (
            'def status(c):\n    if c == 200:\n        return "ok"\n    if c == 500:\n        return "broken"\n',
            'def status(c):\n    if c == 200:\n        return "ok"\n    if c == 404:\n        return "not found"\n    if c == 500:\n        return "broken"\n',
        ),
        ('NAMES = {200: "ok", 500: "broken"}\n', 'NAMES = {200: "ok", 404: "not found", 500: "broken"}\n'),
    ],
)
def test_honest_code_that_shares_literals_with_the_tests_passes(before: str, after: str):
    assert found("shop.py", before, after, TESTS) == {}


OTHER = [
    ("skip-added", "src/a.test.js", "it('a', () => { expect(f()).toBe(1) })\n", "it.skip('a', () => { expect(f()).toBe(1) })\n"),
    ("skip-added", "src/a.spec.ts", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { expect(f()).toBe(1) })\nit.only('b', () => { expect(g()).toBe(1) })\n"),
    ("test-removed", "src/a.test.js", "it('a', () => { expect(f()).toBe(1) })\n", ""),
    ("assertions-removed", "src/a.test.js", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { f() })\n"),
    ("assertion-weakened", "src/a.test.js", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { expect(true).toBe(true) })\n"),
    ("skip-added", "a_test.go", "func TestA(t *testing.T) {\n\tt.Fatal(1)\n}\n", "func TestA(t *testing.T) {\n\tt.Skip()\n\tt.Fatal(1)\n}\n"),
    ("skip-added", "src/lib.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n", "#[test]\n#[ignore]\nfn a() { assert_eq!(f(), 1); }\n"),
    ("skip-added", "src/test/java/ATest.java", "@Test void a() { assertEquals(1, f()); }\n", "@Disabled @Test void a() { assertEquals(1, f()); }\n"),
    ("skip-added", "spec/a_spec.rb", "it 'a' do\nexpect(f).to eq 1\nend\n", "xit 'a' do\nexpect(f).to eq 1\nend\n"),
    ("skip-added", "tests/ATest.php", "function testA() { $this->assertSame(1, f()); }\n", "function testA() { $this->markTestSkipped(); $this->assertSame(1, f()); }\n"),
    ("test-aware", "src/a.js", "let x = 1\n", "if (process.env.JEST_WORKER_ID) process.exit(0)\n"),
    ("test-aware", "a.go", "package a\n", "package a\nfunc f() { os.Exit(0) }\n"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "path", "before", "after"), OTHER)
def test_other_languages_words_are_known(rule: str, path: str, before: str, after: str):
    assert rule in found(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/a.test.js", "it('a', () => { expect(f()).toBe(1) })\n", "it('a', () => { expect(f()).toBe(2) })\n"),
        ("src/a.js", "let x = 1\n", "list.skip(2); profit(3); fit = 4\n"),
        (
            "a_test.go",
            "func TestA(t *testing.T) { t.Fatal(1) }\n",
            "func TestA(t *testing.T) { t.Fatal(2) }\nfunc TestB(t *testing.T) { t.Fatal(1) }\n",
        ),
    ],
)
def test_other_languages_look_alikes_pass(path: str, before: str, after: str):
    assert found(path, before, after) == {}


def test_with_tests_edit_deny_what_is_asked_about_otherwise_is_tampering():
    findings = find_tampering({TEST: A.encode()}, {TEST: A.replace("7", "8").encode()}, "deny")

    assert {finding.severity for finding in findings} == {TAMPERING}


def test_unchanged_files_and_unreadable_ones_find_nothing():
    assert find_tampering({CODE: b"x"}, {CODE: b"x"}) == ()
    assert find_tampering({CODE: b"\xff\0"}, {CODE: b"\0\xfe("}) == ()


@pytest.mark.parametrize(
    "content", ["(" * 5_000, "-" * 100_000 + "1", "x = " + "[" * 500 + "]" * 500, "a" * 3_000_000, "if x:\n" * 3]
)
def test_hostile_source_is_survived(content: str):
    find_tampering({CODE: b"x = 1"}, {CODE: content.encode()})


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (CODE, "x = y\n", "x = y  # type: ignore\n"),
        (CODE, "x = y\n", "x = y  # noqa\n"),
        ("src/a.ts", "x = y\n", "// @ts-ignore\nx = y\n"),
    ],
)
def test_a_marker_for_a_checker_is_found_where_a_checker_is_to_be_satisfied(path: str, before: str, after: str):
    assert found(path, before, after, goal="src/a.py: F821: Undefined name 'y'") == {"suppression-added": TAMPERING}
    assert found(path, before, after, goal="unit") == {"suppression-added": TAMPERING}
    assert found(path, before, after) == {}
