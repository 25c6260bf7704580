"""`autofix checks` as people call it: what would run, and why."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.repositories import Repository
from tests.scenarios.scene import PATH


def asked(repository: Repository, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "autofix", "checks", f"--repo={repository.path}", *options],
        env={"PATH": PATH, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "work")


def test_the_surest_check_runs_and_the_others_are_named(repository: Repository):
    repository.commit({"tox.ini": "[tox]\n", "tests/conftest.py": "", "ruff.toml": ""})

    done = asked(repository)

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "runs: python -m pytest -q (read as pytest): conftest.py is there",
        "would not run by itself: tox (read as tox): tox.ini configures tox",
        "would not run by itself: ruff check (read as ruff): ruff.toml configures it",
    ]


def test_configuration_of_the_base_decides_and_says_what_is_left_out(repository: Repository):
    toml = "".join(
        f'[[checks]]\nname = "{name}"\ncommand = "npm test"\ndirectory = "{name}"\n' for name in ("web", "api")
    )
    package = '{"scripts": {"test": "vitest run"}}'
    repository.commit({".github/autofix.toml": toml, "web/package.json": package, "api/package.json": "{}"})
    repository.commit({"web/gone.js": "1\n" * 9})
    repository.branch("feature")
    repository.commit({"web/gone.js": None, "docs/gone.js": "1\n" * 9, ".github/autofix.toml": ""}, "Move out of web")

    done = asked(repository, "--base=main", "--json")

    told = json.loads(done.stdout)
    assert [(one["name"], one["runner"], one["directory"]) for one in told["checks"]] == [("web", "vitest", "web")]
    assert [one["name"] for one in told["also_recognised"]] == ["api"]


def test_a_check_may_name_its_report_itself(repository: Repository):
    toml = '[[checks]]\nname = "lint"\ncommand = "./lint"\nreport = {format = "%s", path = "out.sarif"}\n'
    repository.commit({".github/autofix.toml": toml % "sarif"})
    good = asked(repository, "--base=main").stdout
    repository.commit({".github/autofix.toml": toml % "srif"})
    bad = asked(repository, "--base=main")

    assert good == "runs: ./lint (read as sarif): configured in .github/autofix.toml\n"
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)
    assert "no report format is named 'srif'" in bad.stderr


def test_nothing_recognised_is_said_with_what_to_do(repository: Repository):
    repository.commit({"README.md": "# Hello\n"})

    done = asked(repository)

    assert (done.returncode, done.stderr) == (10, "")
    assert "--check" in done.stdout


def test_a_named_check_is_read_by_the_script_it_starts(repository: Repository):
    repository.commit({"package.json": '{"scripts": {"test": "jest"}}'})

    said = asked(repository, "--check=npm test", "--check=npm test").stdout

    assert said == "runs: npm test (read as jest): named by the caller\n"


def test_wrong_words_are_refused_in_one_line(repository: Repository):
    repository.commit({"a": ""})

    done = asked(repository, "--head=nothing")

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
