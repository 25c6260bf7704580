"""The documents speak of files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_a_document_names_exists(document):
    text = (ROOT / document).read_text("utf-8")
    named = re.findall(r"`((?:tests|autofix|benchmarks|docs|examples)/[\w/.-]+)`", text)
    named += re.findall(r"\]\(([A-Z]+\.md)\)", text)
    named += [f"autofix/{path}" for path in re.findall(r"`((?!tests/|autofix/|benchmarks/)[a-z_/]+\.(?:py|sh))`", text)]
    assert named
    missing = [path for path in named if not (ROOT / path).exists()]
    assert missing == [], document


def test_every_make_target_a_document_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        named = {
            word
            for line in re.findall(r"make ([a-z -]+)", (ROOT / document).read_text("utf-8"))
            for word in line.split()
        }
        unknown = (named & {"demo", "test", "lint", "types", "contract", "format", "bench"}) - targets
        assert unknown == set(), document
