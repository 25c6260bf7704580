"""What the image is made with is named by hash, satisfies pyproject.toml, and is the only thing the build installs (G31)."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {
    "image.txt": PROJECT["project"]["dependencies"],
    "build.txt": PROJECT["build-system"]["requires"],
}
ENTRY = re.compile(r"([A-Za-z0-9._-]+)==([^ \\]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")


def text_of(name: str) -> str:
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def pinned(name: str) -> dict[str, str]:
    return {canonicalize_name(found[1]): found[2] for found in ENTRY.finditer(text_of(name))}


@pytest.mark.parametrize("name", LOCKS)
def test_every_dependency_is_pinned_to_a_version_that_the_project_accepts(name):
    known = pinned(name)
    for wanted in map(Requirement, LOCKS[name]):
        assert wanted.specifier.contains(known[canonicalize_name(wanted.name)]), wanted


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_versions_with_hashes_and_nothing_else(name):
    """No index, no address, no option, no path: it is the same list on every machine."""
    left = ENTRY.sub("", text_of(name))
    assert [line for line in left.splitlines() if not line.startswith("#")] == []
    assert not re.search(r"://|--|/", left.replace("# ", ""))


def test_the_build_installs_by_hash_from_wheels_or_without_any_index():
    told = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    instructions = [line for line in told.splitlines() if not line.startswith("#")]
    calls = [
        part for line in instructions for part in line.split("&&") if re.search(r"\bpip\b.*\b(install|wheel)\b", part)
    ]
    assert len(calls) == 4
    for call in calls:
        by_hash = "--require-hashes" in call and "--only-binary :all:" in call and "-r requirements/" in call
        assert by_hash or ("--no-index" in call and "--no-deps" in call), call
    assert any("--no-build-isolation" in call for call in calls if " wheel " in call)
