"""Which files are the measure."""

import pytest

from autofix.checks.measure import is_check_configuration, is_measure, is_test_file, restore_measure


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "test_a.py",
        "pkg/a_test.py",
        "pkg/tests.py",
        "tests/data/golden.json",
        "src/__tests__/x.js",
        "src/a.test.tsx",
        "src/a.spec.mjs",
        "src/__snapshots__/a.snap",
        "pkg/a_test.go",
        "spec/a_spec.rb",
        "src/test/java/ATest.java",
        "t/basic.t",
        "Tests/X.cs",
        "a/fixtures/x.json",
    ],
)
def test_tests_and_what_lives_with_them_are_tests(path: str):
    assert is_test_file(path)


@pytest.mark.parametrize(
    "path", ["src/calc.py", "src/contest.py", "latest.py", "attestation/x.py", "src/protest.js", "README.md"]
)
def test_code_that_only_sounds_like_a_test_is_none(path: str):
    assert not is_measure(path)


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "a/b/conftest.py",
        "pytest.ini",
        "pyproject.toml",
        "tox.ini",
        "setup.cfg",
        ".github/workflows/ci.yml",
        "jest.config.js",
        "vitest.config.ts",
        "package.json",
        "sitecustomize.py",
        "x.pth",
        "pytest.py",
        "src/unittest/__init__.py",
        "Makefile",
        ".coveragerc",
        ".mocharc.yml",
        "phpunit.xml.dist",
    ],
)
def test_what_decides_how_checks_run_is_configuration(path: str):
    assert is_check_configuration(path)


@pytest.mark.parametrize(
    "path", ["src/config.py", "conftest.md", "docs/pytest.md", "src/package_json.py", "settings.ini"]
)
def test_other_configuration_is_none_of_the_checks(path: str):
    assert not is_check_configuration(path)


def test_the_measure_goes_back_to_the_head_and_the_code_stays_patched():
    head = {"src/a.py": b"old", "tests/test_a.py": b"strict"}
    patch = {"src/a.py": b"new", "tests/test_a.py": b"lax", "conftest.py": b"hook", "src/b.py": None}

    assert restore_measure(head, patch) == {
        "src/a.py": b"new",
        "tests/test_a.py": b"strict",
        "conftest.py": None,
        "src/b.py": None,
    }
