"""The words of a command, as far as we read shell."""

import pytest

from autofix.checks.command import program_at, simple_commands
from autofix.checks.detect import check_for_command, runner_for
from autofix.errors import UsageError

PYTEST = frozenset({"pytest"})


def words(text: str) -> list[list[str]] | None:
    commands = simple_commands(text)
    return None if commands is None else [[word.value for word in command] for command in commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pytest -q", [["pytest", "-q"]]),
        ("a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("pytest -k 'a b' \"c d\" e\\ f", [["pytest", "-k", "a b", "c d", "e f"]]),
        ("pytest > log 2>&1 -q", [["pytest", "-q"]]),
        ("pytest a#b", [["pytest", "a#b"]]),
        ("", []),
    ],
)
def test_plain_commands_are_read(text: str, expected: list[list[str]]):
    assert words(text) == expected


@pytest.mark.parametrize("text", ["(pytest)", "pytest $(ls)", "pytest `ls`", "cat <<E\nx\nE", "pytest 'open", "# only"])
def test_what_is_more_than_that_is_left_alone(text: str):
    assert words(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "pytest",
        "./venv/bin/pytest -q",
        "python -m pytest",
        "python3.13 -X dev -m pytest",
        "A=1 env B=2 timeout 60 poetry run pytest",
        "coverage run --branch -m pytest",
        "cd pkg && pytest tests",
    ],
)
def test_the_runner_is_found_behind_its_launchers(text: str):
    assert runner_for(text) == "pytest"


@pytest.mark.parametrize(
    "text", ["echo pytest", "grep pytest setup.cfg", "pip install pytest", "make test", "cat pytest.ini"]
)
def test_a_word_that_is_only_an_argument_is_no_runner(text: str):
    assert runner_for(text) == "exit-code"


def test_a_check_is_named_after_its_runner_or_its_command():
    assert check_for_command("pytest -q").name == "pytest"
    assert check_for_command("make test").name == "make test"
    assert check_for_command("make test", "unit").name == "unit"


@pytest.mark.parametrize("command", ["", "  \n"])
def test_an_empty_command_is_refused(command: str):
    with pytest.raises(UsageError, match="--check"):
        check_for_command(command)


def test_reading_words_takes_linear_time():
    assert simple_commands("a " * 200_000 + '"' + "\\" * 100_000) is None


def test_where_the_program_stands_is_known():
    (command,) = simple_commands("env A=1 pytest -q")

    assert program_at(command, PYTEST) == 2
