"""Hooks as real processes: each way of failing denies, and hooks of the shapes people have run unchanged."""

import json
import os
import sys
from pathlib import Path

import pytest

from autofix.harness.call import Decision, ToolCall
from autofix.harness.hook_settings import parse_hooks
from autofix.harness.hooks import OUTPUT_LIMIT, HookCommand, Hooks, ShellHook
from autofix.world.process import ProcessPrograms

EDIT = ToolCall("t1", "Edit", {"file_path": "src/a.py", "old_string": "a", "new_string": "b"})


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """The directory of the base commit's files."""
    directory = tmp_path / "base"
    directory.mkdir()
    return directory


def script(base: Path, name: str, text: str, *, executable: bool = True) -> Path:
    path = base / ".claude" / "hooks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if executable else 0o644)
    return path


def hooks_of(base: Path, settings) -> Hooks:
    programs = ProcessPrograms()
    return Hooks(programs, ShellHook(programs), parse_hooks(settings), files=str(base))


def command(text: str, event: str = "PreToolUse", matcher: str = "", **fields):
    return {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": text, **fields}]}]}


def asked(base: Path, text: str, call: ToolCall = EDIT, **fields):
    """The configured hook's verdict on a call."""
    own, configured = hooks_of(base, command(text, **fields)).before(call, cwd="/workspace", session="run")
    assert own.decision is Decision.ALLOW
    return configured


FAILURES = {
    "exit 1": ("echo oops >&2; exit 1", "exit code 1: oops"),
    "exit 127": ("exec no-such-program-anywhere", "exit code 127"),
    "a signal": ("kill -SEGV $$", "signal 11"),
    "a time-out": ("sleep 60", "within 0.3 s"),
    "silence with a failure": ("exit 3", "exit code 3"),
    "text that is not JSON": ("echo all good", "not JSON"),
    "JSON of another schema": ("""echo '{"allow": true}'""", "unknown field allow"),
    "a missing file": ("$CLAUDE_PROJECT_DIR/.claude/hooks/missing.sh", "exit code 127"),
    "10 MB of output": ("head -c 10000000 /dev/zero | tr '\\0' ' '", "more than is read"),
    "bytes that are not UTF-8": (r"printf '\377\376{}'", "not UTF-8"),
    "a missing interpreter": ("$CLAUDE_PROJECT_DIR/.claude/hooks/odd", "exit code 12"),
    "a file without its mode": ("$CLAUDE_PROJECT_DIR/.claude/hooks/plain", "exit code 126"),
    "a closed stdout": ("exec >&-; echo x", "exit code 1"),
    "a crash of Python": (f"{sys.executable} -c 'raise SystemError'", "exit code 1"),
    "two answers": ("""echo '{"decision": "approve"}{"decision": "approve"}'""", "not JSON"),
    "an answer and a failure": ("""echo '{"decision": "approve"}'; exit 1""", "exit code 1"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_every_way_of_failing_denies(base, failure):
    script(base, "odd", "#!/no/such/interpreter\n")
    script(base, "plain", "#!/bin/sh\nexit 0\n", executable=False)
    text, says = FAILURES[failure]

    verdict = asked(base, text, timeout=0.3 if failure == "a time-out" else 30)

    assert verdict.decision is Decision.DENY
    assert says in verdict.reason


def test_a_hook_in_exec_form_that_does_not_exist_denies(base):
    verdict = asked(base, "/no/such/hook", args=[])
    assert verdict.decision is Decision.DENY
    assert "exit code 127" in verdict.reason


def test_output_up_to_the_limit_is_still_read(base):
    script(base, "long", f"#!/bin/sh\nhead -c {OUTPUT_LIMIT - 100} /dev/zero | tr '\\0' ' '; echo '{{}}'\n")
    assert asked(base, "$CLAUDE_PROJECT_DIR/.claude/hooks/long").decision is Decision.ALLOW


def test_a_logger_writes_its_line_and_lets_the_call_through(base, tmp_path):
    log = tmp_path / "calls.log"
    script(
        base,
        "log.sh",
        "#!/usr/bin/env bash\n"
        "set -euo pipefail\n"
        f'{sys.executable} -c \'import json, sys; call = json.load(sys.stdin); print(call["tool_name"], call["cwd"])\''
        f" >> {log}\n",
    )

    verdict = asked(base, '"$CLAUDE_PROJECT_DIR"/.claude/hooks/log.sh', matcher="*")

    assert verdict.decision is Decision.ALLOW
    assert log.read_text() == "Edit /workspace\n"


def test_a_formatter_after_an_edit_reports_what_it_did(base):
    script(
        base,
        "format.py",
        "import json, sys\n"
        "call = json.load(sys.stdin)\n"
        'path = call["tool_input"]["file_path"]\n'
        'if path.endswith(".py") and call["tool_response"]["ok"]:\n'
        '    answer = {"hookEventName": "PostToolUse", "additionalContext": f"{path} formatted"}\n'
        '    print(json.dumps({"suppressOutput": True, "hookSpecificOutput": answer}))\n',
    )
    settings = command(f"{sys.executable} .claude/hooks/format.py", "PostToolUse", "Edit|Write")

    after = hooks_of(base, settings).after(EDIT, {"ok": True}, cwd="/workspace", session="run")

    assert after.blocked is None
    assert after.feedback == ("PostToolUse-1: src/a.py formatted",)


def test_a_blocker_prints_its_denial(base):
    script(
        base,
        "guard.py",
        "#!/usr/bin/env python3\n"
        "import json, sys\n"
        "call = json.load(sys.stdin)\n"
        'if "secret" in call["tool_input"].get("file_path", ""):\n'
        '    decision = {"permissionDecision": "deny", "permissionDecisionReason": "no secrets"}\n'
        '    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}))\n'
        "sys.exit(0)\n",
    )
    text = f"{sys.executable} .claude/hooks/guard.py"

    denied = asked(base, text, ToolCall("t", "Edit", {"file_path": "secret.py"}), matcher="Edit")
    allowed = asked(base, text, ToolCall("t", "Edit", {"file_path": "open.py"}), matcher="Edit")

    assert (denied.decision, denied.reason) == (Decision.DENY, "no secrets")
    assert allowed.decision is Decision.ALLOW


def test_a_hook_sees_a_handful_of_variables_and_the_base_directory(base, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "canary")
    script(base, "look.sh", "#!/bin/sh\nenv | cut -d= -f1 | sort | tr '\\n' ' ' >&2; pwd >&2; exit 2\n")

    verdict = asked(base, ".claude/hooks/look.sh")

    names = set(verdict.reason.split())
    assert str(base) in names
    assert names - {str(base), "PWD", "SHLVL", "_", "OLDPWD"} == {
        *("PATH", "LC_ALL", "HOME", "CLAUDE_PROJECT_DIR", "PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE"),
    }


def test_nothing_beside_a_python_hook_or_in_the_work_tree_is_imported(base, tmp_path):
    marker = tmp_path / "marker"
    tree = tmp_path / "tree"
    tree.mkdir()
    planted = ["anthropic", "docker", "requests", "json", "sitecustomize", "usercustomize", "conftest", "autofix"]
    for directory in (base, base / ".claude" / "hooks", tree):
        directory.mkdir(parents=True, exist_ok=True)
        for name in planted:
            (directory / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write('{name} ')\n")
    script(base, "import.py", "import importlib, json\nfor name in " + repr(planted) + ":\n    try:\n        importlib.import_module(name)\n    except ImportError:\n        pass\n")  # fmt: skip

    hooks = hooks_of(base, command(f"{sys.executable} .claude/hooks/import.py"))
    verdicts = hooks.before(ToolCall("t", "Bash", {"command": "git status"}), cwd=str(tree), session="run")

    assert [verdict.decision for verdict in verdicts] == [Decision.ALLOW, Decision.ALLOW]
    assert not marker.exists()


def test_what_a_late_hook_started_does_not_outlive_it(base, tmp_path):
    pid_file = tmp_path / "pid"
    verdict = asked(base, f"sleep 300 & echo $! > {pid_file}; wait", timeout=1)

    assert "within 1 s" in verdict.reason
    assert not is_running(int(pid_file.read_text()))


def is_running(pid: int) -> bool:
    """A killed process may wait to be reaped by a parent that is not ours: a zombie does not run."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("call", "decision"),
    [
        (ToolCall("t", "Bash", {"command": "git push --force"}), Decision.DENY),
        (ToolCall("t", "Bash", {"command": "git status # é\ud83d\ude00 \n"}), Decision.ALLOW),
        (ToolCall("t", "Bash", {"command": "echo '\ud800'"}), Decision.DENY),
        (ToolCall("t", "Bash", {"command": "ls \0"}), Decision.DENY),
        (ToolCall("t", "Bash", {}), Decision.DENY),
        (ToolCall("t", "Bash", None), Decision.DENY),
        (ToolCall("t", "Read", {"file_path": "/proc/self/environ"}), Decision.DENY),
        (ToolCall("t", "Write", {"file_path": "src/a.py", "content": "\n" * 200_000}), Decision.ALLOW),
    ],
)
def test_the_shell_hook_answers_calls_as_the_harness_sends_them(call, decision):
    verdict = ShellHook(ProcessPrograms()).ask(call, cwd="/workspace", session="run")
    assert verdict.decision is decision
    assert (verdict.layer, verdict.rule) == ("hook", "block-destructive-git")
    assert bool(verdict.reason) is (decision is Decision.DENY)


@pytest.mark.parametrize(
    "text", [None, "exit 1\n", "kill -9 $$\n", "echo ok\n", "exec no-such-program\n", "syntax ( error\n"]
)
def test_a_missing_or_broken_shell_hook_denies(tmp_path, text):
    path = tmp_path / "hook.sh"
    if text is not None:
        path.write_text(text)
    verdict = ShellHook(ProcessPrograms(), path).ask(EDIT, cwd="/", session="run")
    assert verdict.decision is Decision.DENY
    assert verdict.reason


def test_all_hooks_are_asked_and_the_question_is_the_same_for_each(base, tmp_path):
    copies = [tmp_path / name for name in ("one", "two")]
    commands = [HookCommand("PreToolUse", "", ("sh", "-c", f"cat > {path}; exit 2"), path.name) for path in copies]
    programs = ProcessPrograms()

    verdicts = Hooks(programs, ShellHook(programs), commands, files=str(base)).before(EDIT, cwd="/w", session="s")

    assert [verdict.decision for verdict in verdicts] == [Decision.ALLOW, Decision.DENY, Decision.DENY]
    one, two = (json.loads(path.read_text()) for path in copies)
    assert one == two
    assert one["tool_input"] == EDIT.input
