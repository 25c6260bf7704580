"""The runner's files hold the harness's own keys and nothing else, whatever the values say (G26)."""

import pytest

from autofix.world.runner_files import RunnerFiles
from tests.scenarios.action.stage import file_command

HOSTILE = [
    "",
    "a\nb",
    "x<<EOF\nevil\nEOF",
    "pushed=true",
    "\r\nname=value",
    "ünï\ud800",
    "autofix-\nname=x",
    "%0A",
    "<<",
    "a" * 100_000,
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_can_neither_end_early_nor_set_another_key(tmp_path, value):
    files = RunnerFiles(tmp_path / "output", None)
    files.set_outputs({"reason": "before"})
    files.set_outputs({"reason": value, "outcome": "fixed"})
    text = (tmp_path / "output").read_bytes().decode().replace("\r", "<cr>")
    assert set(file_command(text)) == {"reason", "outcome"}
    assert file_command(text)["outcome"] == "fixed"


def test_no_two_delimiters_are_alike(tmp_path):
    files = RunnerFiles(tmp_path / "output", None)
    files.set_outputs({f"n{number}": "x" for number in range(50)})
    heads = [line.partition("<<")[2] for line in (tmp_path / "output").read_text().splitlines() if "<<" in line]
    assert len(set(heads)) == 50
    assert all(len(head) >= 32 for head in heads)


def test_outside_actions_nothing_is_written():
    RunnerFiles.of({}).set_outputs({"a": "b"})
    RunnerFiles.of({}).add_summary("x")
