"""Hooks a team has in `.claude/settings.json`, as scripts they run elsewhere unchanged: a logger, a formatter, a
blocker, and one that does not let go before a note was written. Real programs, on a whole run."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autofix.state.events import Kind
from tests.fakes.anthropic_server import Turn
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, fix

LOGGER = """\
#!/usr/bin/env python3
import json, sys
asked = json.load(sys.stdin)
with open("{log}", "a") as log:
    log.write(f"{asked['hook_event_name']} {asked.get('tool_name', '')} {asked['tool_input'].get('command', '')}\\n")
"""
FORMATTER = """\
#!/bin/sh
# After an edit: says what a formatter would say. It sees the base's files, never the tree.
file=$(sed -n 's/.*"file_path": *"\\([^"]*\\)".*/\\1/p')
printf '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "formatted %s"}}' "$file"
"""
BLOCKER = """\
#!/usr/bin/env python3
import json, sys
command = json.load(sys.stdin)["tool_input"]["command"]
if "dist" in command:
    print("dist/ is made by the release job alone", file=sys.stderr)
    sys.exit(2)
"""
STOPPER = """\
#!/usr/bin/env python3
import json, sys
if not json.load(sys.stdin)["stop_hook_active"]:
    print(json.dumps({"decision": "block", "reason": "say in one sentence what was wrong"}))
"""
HOOKS = {"logger": LOGGER, "formatter": FORMATTER, "blocker": BLOCKER, "stopper": STOPPER}


def one(matcher: str, name: str) -> dict:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/.claude/{name}'}]}


SETTINGS = {
    "hooks": {
        "PreToolUse": [one("*", "logger"), one("Bash", "blocker")],
        "PostToolUse": [one("Edit|Write", "formatter")],
        "Stop": [{"hooks": one("", "stopper")["hooks"]}],
    }
}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    hooks = {f".claude/{name}": text.replace("{log}", str(tmp_path / "log.txt")) for name, text in HOOKS.items()}
    (scene.user.path / ".claude").mkdir(parents=True)
    for path, text in hooks.items():
        (scene.user.path / path).write_text(text)
        (scene.user.path / path).chmod(0o755)
    scene.branch(base={".claude/settings.json": json.dumps(SETTINGS)})
    yield scene
    scene.close()


def test_a_teams_logger_formatter_blocker_and_stopper_do_what_they_do_elsewhere(scene: Scene) -> None:
    said = {"type": "text", "text": "It subtracted instead of adding."}
    played = scene.run([Turn([bash("ls dist"), fix("add")]), Turn([MEASURE]), Turn([said])])
    told = "\n".join(played.told)
    assert played.outcome == "fixed"
    assert "dist/ is made by the release job alone" in told
    assert "formatted shop/sums.py" in told
    assert "say in one sentence what was wrong" in told
    logged = (scene.directory / "log.txt").read_text().splitlines()
    assert logged == ["PreToolUse Bash ls dist", "PreToolUse Edit ", "PreToolUse RunChecks "]
    assert [data["blocked"] != "" for data in played.of_kind(Kind.END_ASKED)] == [True, False]


def test_a_denial_by_a_hook_is_on_the_journal_under_its_own_name(scene: Scene) -> None:
    played = scene.run([Turn([bash("ls dist")]), Turn([fix("add")]), Turn([DONE]), Turn([DONE])])
    denied = next(one for one in played.of_kind(Kind.TOOL_CALLED) if one["decision"] == "deny")
    assert (denied["layer"], denied["reason"]) == ("hook", "dist/ is made by the release job alone")
