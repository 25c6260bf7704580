"""Checks that a project's files speak of."""

import json

import pytest

from autofix.checks.detect import check_for_command, concerned, detect, detect_below
from autofix.checks.result import Check
from autofix.checks.runners.runner import ProjectFiles


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


def project(files: dict[str, str]) -> ProjectFiles:
    return ProjectFiles(frozenset(files), lambda path: files[path].encode())


@pytest.mark.parametrize(
    ("script", "command", "runner"),
    [
        ("jest --coverage", "npm test", "jest"),
        ("npm run unit", "npm t", "vitest"),
        ("node --test", "pnpm run test", "node:test"),
        ("npm run test", "yarn test", "exit-code"),
        ("./check.sh", "npm test", "exit-code"),
        ("mocha", "npm ci && npm test -- --bail", "mocha"),
    ],
)
def test_a_script_of_package_json_is_known_for_what_it_starts(script: str, command: str, runner: str):
    files = project({"package.json": json.dumps({"scripts": {"test": script, "unit": "vitest run"}})})

    assert check_for_command(command, files=files).runner == runner
    assert check_for_command(command).runner == "exit-code"


MONOREPO = {
    "README.md": "",
    "web/package.json": '{"scripts": {"test": "jest"}}',
    "web/src/a.js": "",
    "services/api/pyproject.toml": "[tool.pytest.ini_options]\n",
    "services/api/api/a.py": "",
    "services/go.mod": "",
    "services/x_test.go": "",
    "docs/a.md": "",
}


def below(*touched: str):
    return [
        (one.check.name, one.check.directory, one.check.runner)
        for one in detect_below(list(MONOREPO), lambda path: MONOREPO[path].encode(), touched)
    ]


def test_of_several_projects_only_those_with_touched_files_are_checked():
    assert below("web/src/a.js") == [("web jest", "web", "jest")]
    assert below("services/api/api/a.py", "web/src/a.js") == [
        ("services/api pytest", "services/api", "pytest"),
        ("web jest", "web", "jest"),
    ]
    assert below("services/main.go") == [("services go", "services", "go")]
    assert below("docs/a.md", "README.md") == []


def test_configured_checks_are_taken_where_something_below_them_changed():
    checks = [
        Check("root", "make"),
        Check("web", "npm test", directory="web"),
        Check("api", "pytest", directory="./api/"),
    ]

    assert [check.name for check in concerned(checks, ["web/a.js"])] == ["root", "web"]
    assert [check.name for check in concerned(checks, ["api/a.py"])] == ["root", "api"]
    assert [check.name for check in concerned(checks[1:], ["docs/a.md"])] == ["web", "api"]
    assert [check.name for check in concerned(checks[1:], ["website/a.js"])] == ["web", "api"]
