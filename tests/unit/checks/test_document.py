"""docs/checks.md tells of every runner and every report format there is, and of no other."""

import re
import tomllib
from pathlib import Path

from autofix.checks.runners import RUNNERS
from autofix.checks.runners.reported import FORMATS
from autofix.settings import parse_settings

TEXT = (Path(__file__).parents[3] / "docs/checks.md").read_text("utf-8")


def test_every_runner_is_told_of():
    table = TEXT.partition("## Runners\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]

    assert sorted(name for cell in cells for name in re.findall(r"`([^`]+)`", cell)) == sorted(RUNNERS)


def test_every_format_is_told_of():
    sentence = TEXT.partition("the format ")[2].partition(";")[0]

    assert sorted(re.findall(r"`([^`]+)`", sentence)) == sorted([*FORMATS, "pattern"])


def test_the_example_is_a_configuration():
    example = TEXT.partition("```toml\n")[2].partition("```")[0]

    assert len(parse_settings(example.encode(), {}).checks) == len(tomllib.loads(example)["checks"])
