"""Checks that a project's files speak of."""

from autofix.checks.detect import detect


def detected(files: dict[str, str]):
    return detect(files, lambda path: files[path].encode())


def test_a_pytest_project_gets_one_check_with_its_reason():
    (found,) = detected({"pytest.ini": "", "tests/test_a.py": "import pytest"})

    assert (found.check.name, found.check.runner, found.check.command) == ("pytest", "pytest", "python -m pytest -q")
    assert found.why == "pytest.ini is there"


def test_a_project_of_no_known_kind_gets_none():
    assert detected({"README.md": "hello", "src/main.zig": ""}) == ()


def test_files_that_cannot_be_read_are_only_names():
    assert detect(["tests/test_a.py", "pyproject.toml"], lambda _: None) == ()
