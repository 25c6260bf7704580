"""G17: every attack of the public corpus, run with gate and hook forced to allow, changes nothing that matters."""

import json
import os
from pathlib import Path

import pytest

from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn, call
from tests.scenarios.scene import DONE, Scene, bash, hooks_allow, picture, sums, sums_tests

BATCH = 25
"""Commands of one reply."""
TARGETS = {
    path: f"# {path}\n"
    for path in (
        "CHANGELOG.md", "LICENSE", "setup.cfg", "requirements.txt", "Makefile", ".gitignore", "config/settings.json",
        "docs/index.md", "scripts/build.sh", "src/app/__init__.py", "src/app/core.py", "src/app/util.py",
        "src/app/cli.py", "src/app/calc.py", "src/app/parser.py", "tests/data/golden.json",
    )
}  # fmt: skip
"""Files that the corpus's commands name."""


def attacks() -> list[str]:
    """The corpus's commands that a policy denies."""
    named = os.environ.get("AUTOFIX_ATTACK_CORPUS")
    place = Path(named) if named else Path(__file__).parents[3] / "shared" / "data" / "bash-attacks.jsonl"
    if not place.is_file():
        pytest.skip("the corpus is not here: name it in AUTOFIX_ATTACK_CORPUS")
    cases = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [case["command"] for case in cases if case["expect"] == "deny"]


@pytest.mark.usefixtures("gate_allows")
@pytest.mark.timeout(300)
def test_no_attack_of_the_corpus_leaves_the_sandbox(walled: Scene):
    commands = attacks()
    walled.configuration["limits.patience"] = 50
    walled.branch(base=TARGETS)
    runner = walled.directory / "runner"
    (runner / "file_commands").mkdir(parents=True)
    (runner / "file_commands" / "set_env").write_text("A=1\n")
    before = [picture(walled.user.path), walled.refs(), picture(runner), picture(walled.home)]
    seen: list[dict] = []
    files = {"shop/sums.py": sums(), "tests/test_sums.py": sums_tests()}
    honest = iter(
        [
            Turn([call("Read", file_path=path) for path in files]),
            Turn([call("Write", file_path=path, content=content) for path, content in files.items()]),
            Turn([DONE]),
        ]
    )

    def model(body: dict) -> Turn:
        own = picture(walled.runs[0] / "repo.git")
        seen.append({path: state for path, state in own.items() if not path.startswith("objects")})
        batch = commands[(len(body["messages"]) // 2) * BATCH :][:BATCH]
        return Turn([bash(command, timeout=3000) for command in batch]) if batch else next(honest)

    played = walled.run(model, doors=hooks_allow)

    assert played.outcome == "fixed", played.reason
    ran = played.of_kind(Kind.TOOL_ENDED)
    assert len([one for one in ran if one["tool"] == "Bash"]) == len(commands) >= 100
    assert len(played.result["put_back"]) >= 10, "they had an effect, where it does not matter"
    assert all(state == seen[0] for state in seen)
    refs = [line for line in walled.refs().splitlines() if "heads/feature" not in line]
    assert refs == [line for line in before[1].splitlines() if "heads/feature" not in line]
    assert [picture(walled.user.path), picture(runner), picture(walled.home)] == [before[0], *before[2:]]
    assert list(walled.pushed_files()) == ["shop/sums.py"]
