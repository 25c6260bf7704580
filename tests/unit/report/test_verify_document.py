"""docs/verify.md tells of every verdict and every field that `autofix verify` has, and of no other."""

import re
from pathlib import Path

from autofix.report.patch_schema import SCHEMA
from autofix.report.patch_verdict import PatchVerdict

TEXT = (Path(__file__).parents[3] / "docs/verify.md").read_text("utf-8")


def first_column(heading: str) -> list[str]:
    """The names in the first column of the table below a heading."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_every_verdict_is_told_of():
    assert sorted(first_column("Verdicts")) == sorted(verdict.value for verdict in PatchVerdict)


def test_every_field_of_the_schema_is_told_of():
    assert sorted(first_column("The report")) == sorted(SCHEMA["properties"])
