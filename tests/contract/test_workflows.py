"""The project's own workflows and the examples: valid, least in permissions, pinned, and clean under three linters."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "examples").glob("*.yml"))
EVERY = [*WORKFLOWS, *EXAMPLES]
MOST = {"contents": "write", "pull-requests": "write", "actions": "read"}
"""What a job that runs autofix may have (G8)."""
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def tool(name: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:/usr/bin:/bin")
    assert found, f"{name} is a development dependency"
    return found


def lint(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def load(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_zizmor_finds_nothing_even_when_pedantic():
    config = str(ROOT / ".github" / "zizmor.yml")
    options = ["--offline", "--no-progress", "--quiet", "--persona=pedantic", f"--config={config}"]
    lint(tool("zizmor"), *options, *map(str, EVERY), str(ROOT / "action.yml"))


def test_actionlint_finds_nothing():
    lint(tool("actionlint"), f"-shellcheck={shutil.which('shellcheck') or ''}", *map(str, EVERY))


def test_workflows_and_action_are_valid_against_their_schemas():
    check = tool("check-jsonschema")
    lint(check, "--builtin-schema", "vendor.github-workflows", *map(str, EVERY))
    lint(check, "--builtin-schema", "vendor.github-actions", str(ROOT / "action.yml"))


@pytest.mark.parametrize("path", EVERY, ids=names(EVERY))
def test_nothing_is_granted_at_the_top(path):
    assert load(path)["permissions"] == {}


@pytest.mark.parametrize(
    "path", [*EXAMPLES, ROOT / ".github" / "workflows" / "autofix.yml"], ids=lambda path: path.name
)
def test_a_job_that_runs_autofix_may_push_comment_and_read_what_failed_and_nothing_else(path):
    for job in load(path)["jobs"].values():
        for name, level in job["permissions"].items():
            assert name in MOST
            assert level in {"read", MOST[name]}


@pytest.mark.parametrize("path", EVERY, ids=names(EVERY))
def test_third_party_actions_are_pinned_by_commit_with_their_version(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if "uses: " in line and not re.search(
            r"uses: (?:\./|autofix/autofix@v1$|your-org/)", line.partition(" # z")[0]
        ):
            assert PINNED.search(line), line


@pytest.mark.parametrize("path", EXAMPLES, ids=names(EXAMPLES))
def test_an_example_uses_only_inputs_that_there_are(path):
    inputs = load(ROOT / "action.yml")["inputs"]
    steps = [step for job in load(path)["jobs"].values() for step in job.get("steps", ())]
    used = {name for step in steps if step.get("uses") == "autofix/autofix@v1" for name in step.get("with", {})}
    assert used <= set(inputs)
    assert used or path.name == "self-hosted.yml"
