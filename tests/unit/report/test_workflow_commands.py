"""Commands for the runner, read back by a port of the runner's own parser (actions/runner, ActionCommand.cs)."""

import re

import pytest

from autofix.report.workflow_commands import annotation, group, mask

HOSTILE = [
    "::set-output name=x::y",
    "a\n::error::evil",
    "a\r::error::evil",
    "##[error]evil",
    "x ##[add-path]/evil",
    "%0A::warning::evil",
    "a,b:c=d",
    "\n\n##[group]g",
    "::stop-commands::t",
]


def commands(line: str) -> list[tuple[str, dict[str, str], str]]:
    """What the runner would do with a piece of log."""
    found = []
    for piece in re.split(r"\r\n|\n|\r", line):
        start = piece.lstrip()
        if start.startswith("::"):
            head, separator, data = start[2:].partition("::")
            if separator:
                name, _, fields = head.partition(" ")
                pairs = dict(field.split("=", 1) for field in fields.split(",") if "=" in field)
                found.append((name, {key: unescaped(value) for key, value in pairs.items()}, unescaped(data)))
                continue
        if v1 := re.search(r"##\[([^\]\s]+)[^\]]*\](.*)", piece):
            found.append((v1[1], {}, v1[2]))
    return found


def unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_an_annotation_says_it_is_one_annotation(text):
    (one,) = commands(annotation("error", text, title=text, file="a.py", line=3))
    name, fields, data = one
    assert (name, fields["file"], fields["line"]) == ("error", "a.py", "3")
    assert data == text.replace("##[", "## [")
    assert fields["title"] == text.replace("##[", "## [")


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_group_is_called_it_is_one_group(text):
    ((name, _, _),) = commands(group(text))
    assert name == "group"


def test_each_line_of_a_secret_is_masked_once():
    lines = list(mask("first\nsecond\n\nfirst\n100%"))
    assert [data for line in lines for _, _, data in commands(line)] == ["first", "second", "100%"]


def test_an_annotation_without_a_file_has_no_line():
    assert annotation("notice", "x", line=3) == "::notice::x"
