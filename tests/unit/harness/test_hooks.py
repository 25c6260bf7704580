"""Hooks with a scripted programs' door: who is asked, what is sent, and what each answer means."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from autofix.errors import UsageError
from autofix.harness.call import Decision, ToolCall
from autofix.harness.hook_answer import REASON_LIMIT, plain, read_answer
from autofix.harness.hook_settings import parse_hooks
from autofix.harness.hooks import HookCommand, Hooks, ShellHook, matches
from autofix.ports.program import ProgramResult

SILENT = ProgramResult(0, b"", b"")
CALL = ToolCall("t1", "Bash", {"command": "git status"})


class ScriptedPrograms:
    """Answers by program name and keeps what it was asked; a program without a script is an error of the test."""

    def __init__(self, **answers: ProgramResult | Callable[[Mapping[str, Any]], ProgramResult]) -> None:
        self.answers = {"sh": SILENT, **answers}
        self.asked: list[tuple[Sequence[str], dict[str, Any], dict[str, Any]]] = []

    def run(self, argv: Sequence[str], stdin: bytes, **options: Any) -> ProgramResult:
        question = json.loads(stdin)
        self.asked.append((tuple(argv), question, options))
        answer = self.answers[argv[0].rsplit("/", 1)[-1]]
        return answer(question) if callable(answer) else answer

    @property
    def names(self) -> list[str]:
        return [argv[0].rsplit("/", 1)[-1] for argv, _, _ in self.asked]


def printed(answer: object) -> ProgramResult:
    return ProgramResult(0, json.dumps(answer).encode(), b"")


def specific(event: str = "PreToolUse", **fields: object) -> ProgramResult:
    return printed({"hookSpecificOutput": {"hookEventName": event, **fields}})


def hook(name: str, event: Any = "PreToolUse", matcher: str = "") -> HookCommand:
    return HookCommand(event, matcher, (name,), name)


def hooks(programs: ScriptedPrograms, *commands: HookCommand) -> Hooks:
    return Hooks(programs, ShellHook(programs), commands, files="/base")


def before(programs: ScriptedPrograms, *commands: HookCommand, call: ToolCall = CALL):
    return hooks(programs, *commands).before(call, cwd="/tree", session="run-1")


def test_the_shell_hook_is_asked_first_and_the_others_in_order_even_after_a_denial() -> None:
    programs = ScriptedPrograms(sh=ProgramResult(2, b"", b"no\n"), a=ProgramResult(1, b"", b""), b=SILENT)

    verdicts = before(programs, hook("a"), hook("b"))

    assert programs.names == ["sh", "a", "b"]
    assert [verdict.decision for verdict in verdicts] == [Decision.DENY, Decision.DENY, Decision.ALLOW]
    assert [verdict.rule for verdict in verdicts] == ["block-destructive-git", "a", "b"]
    assert {verdict.layer for verdict in verdicts} == {"hook"}
    assert verdicts[0].message == "Blocked by autofix (hook/block-destructive-git): no"


def test_a_hook_reads_the_call_in_the_protocol_s_fields() -> None:
    programs = ScriptedPrograms(a=SILENT)

    before(programs, hook("a"), call=ToolCall("t9", "Edit", {"file_path": "é\ud800", "new_string": "x"}))

    (_, own, own_options), (_, question, options) = programs.asked
    assert own == question
    assert question == {
        "session_id": "run-1",
        "transcript_path": "",
        "cwd": "/tree",
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": "é\ud800", "new_string": "x"},
        "tool_use_id": "t9",
    }
    assert options["cwd"] == "/base"
    assert own_options["environment"].keys() == {"PATH", "LC_ALL"}
    assert options["environment"] == {
        "PATH": own_options["environment"]["PATH"],
        "LC_ALL": "C",
        "HOME": "/nonexistent",
        "CLAUDE_PROJECT_DIR": "/base",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_a_call_whose_input_was_no_object_is_still_asked_about() -> None:
    programs = ScriptedPrograms()
    before(programs, call=ToolCall("t", "Bash", None))
    assert programs.asked[0][1]["tool_input"] is None


@pytest.mark.parametrize(
    ("matcher", "tool", "expected"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("Edit|Write", "MultiWrite", False),
        ("mcp__.*", "mcp__github__get", True),
        ("mcp__github", "mcp__github__get", False),
        (".*Edit", "MultiEdit", True),
        ("^Edit$", "MultiEdit", False),
        ("bash", "Bash", False),
    ],
)
def test_a_matcher_means_what_it_means_in_claude_code(matcher: str, tool: str, expected: bool) -> None:
    assert matches(matcher, tool) is expected


def test_only_hooks_of_the_event_whose_matcher_fits_are_asked() -> None:
    programs = ScriptedPrograms(a=SILENT, b=SILENT, c=SILENT)
    before(programs, hook("a", matcher="Edit"), hook("b", matcher="Ba.*"), hook("c", "PostToolUse"))
    assert programs.names == ["sh", "b"]


@pytest.mark.parametrize(
    ("answer", "decision", "reason"),
    [
        (SILENT, Decision.ALLOW, ""),
        (ProgramResult(0, b" \n", b"a note for the log"), Decision.ALLOW, ""),
        (printed({}), Decision.ALLOW, ""),
        (printed({"continue": True, "suppressOutput": True, "systemMessage": "hi"}), Decision.ALLOW, ""),
        (printed({"decision": "approve", "reason": "fine"}), Decision.ALLOW, "fine"),
        (printed({"decision": "block", "reason": "why"}), Decision.DENY, "why"),
        (printed({"decision": "block"}), Decision.DENY, "the hook gave no reason"),
        (printed({"continue": False, "stopReason": "enough"}), Decision.DENY, "enough"),
        (specific(permissionDecision="allow"), Decision.ALLOW, ""),
        (specific(permissionDecision="ask", permissionDecisionReason="sure?"), Decision.ASK, "sure?"),
        (specific(permissionDecision="defer"), Decision.ASK, "the hook gave no reason"),
        (specific(permissionDecision="deny", permissionDecisionReason="no"), Decision.DENY, "no"),
        (ProgramResult(2, b"ignored", b"  no\nway\x1b[31m \n"), Decision.DENY, "no way[31m"),
        (ProgramResult(2, b"", b""), Decision.DENY, "the hook blocked this call and gave no reason"),
        (
            printed({"decision": "approve", "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}),
            Decision.DENY,
            "the hook gave no reason",
        ),
        (specific(updatedInput={"command": "ls"}), Decision.DENY, "the hook asked to change the call (updatedInput), which autofix refuses"),
    ],
)  # fmt: skip
def test_an_answer_in_the_protocol_is_taken_at_its_word(answer: ProgramResult, decision: Decision, reason: str) -> None:
    read = read_answer("PreToolUse", answer, timeout=5)
    assert (read.decision, read.reason, read.failed) == (decision, reason, False)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (ProgramResult(1, b"", b"Traceback"), "exit code 1: Traceback"),
        (ProgramResult(1, b'{"decision": "approve"}', b""), "exit code 1"),
        (ProgramResult(126, b"", b""), "exit code 126"),
        (ProgramResult(127, b"", b"x: not found"), "exit code 127: x: not found"),
        (ProgramResult(-9, b"", b""), "signal 9"),
        (ProgramResult(0, b"", b"", timed_out=True), "within 5 s"),
        (ProgramResult(0, b"{}", b"", overflowed=True), "more than is read"),
        (ProgramResult(2, b"", b"", timed_out=True), "within 5 s"),
        (ProgramResult(0, b"ok", b""), "not JSON"),
        (ProgramResult(0, b"{} {}", b""), "not JSON"),
        (ProgramResult(0, b"[]", b""), "not an object"),
        (ProgramResult(0, b"null", b""), "not an object"),
        (ProgramResult(0, b'"allow"', b""), "not an object"),
        (ProgramResult(0, b'{"continue": NaN}', b""), "not JSON"),
        (ProgramResult(0, b'{"decision": "block", "decision": "approve"}', b""), "stands in it twice"),
        (ProgramResult(0, b"[" * 100_000, b""), "not JSON"),
        (ProgramResult(0, b"\xff\xfe{}", b""), "not UTF-8"),
        (ProgramResult(0, b'{"reason": "\xc3("}', b""), "not UTF-8"),
        (printed({"verdict": "allow"}), "unknown field verdict"),
        (printed({"decision": "allow"}), "'allow', not one of approve, block"),
        (printed({"decision": True}), "decision is not a string"),
        (printed({"continue": "false"}), "continue is not true or false"),
        (printed({"continue": 0}), "continue is not true or false"),
        (printed({"hookSpecificOutput": []}), "hookSpecificOutput is not an object"),
        (printed({"hookSpecificOutput": {}}), "hookEventName is not 'PreToolUse'"),
        (specific("PostToolUse", permissionDecision="allow"), "hookEventName is not 'PreToolUse'"),
        (specific(permissionDecision="approve"), "not one of allow, ask, defer, deny"),
        (specific(permissionDecision=None), "permissionDecision is not a string"),
        (specific(decision="x"), "unknown field hookSpecificOutput.decision"),
    ],
)
def test_whatever_is_no_answer_is_a_denial_that_says_what_happened(answer: ProgramResult, says: str) -> None:
    read = read_answer("PreToolUse", answer, timeout=5)
    assert read.decision is Decision.DENY
    assert read.failed
    assert says in read.reason
    assert len(read.reason) <= REASON_LIMIT


def test_a_reason_is_one_short_line_without_control_characters() -> None:
    text = plain("a\r\n\x00b\u202e\u200b\x1b]0;c\x07 " + "d" * 10_000, REASON_LIMIT)
    assert text.startswith("a b]0;c d")
    assert len(text) == REASON_LIMIT
    assert text.isprintable()


def test_additional_context_reaches_the_caller_with_the_verdict() -> None:
    programs = ScriptedPrograms(a=specific(additionalContext="run the linter first"))
    assert before(programs, hook("a"))[1].context == "run the linter first"


def test_after_a_call_the_response_is_told_and_objections_and_context_are_feedback() -> None:
    programs = ScriptedPrograms(
        a=printed({"decision": "block", "reason": "lint failed"}),
        b=specific("PostToolUse", additionalContext="formatted"),
        c=ProgramResult(7, b"", b""),
    )
    commands = [hook(name, "PostToolUse") for name in "abc"]

    after = hooks(programs, *commands).after(CALL, {"stdout": "x"}, cwd="/tree", session="s")

    assert programs.names == ["a", "b", "c"]
    assert programs.asked[0][1]["tool_response"] == {"stdout": "x"}
    assert programs.asked[0][1]["hook_event_name"] == "PostToolUse"
    assert after.blocked == "a: lint failed"
    assert after.feedback == ("a: lint failed", "c: the hook failed with exit code 7", "b: formatted")


def test_after_a_call_silence_is_no_feedback() -> None:
    programs = ScriptedPrograms(a=SILENT)
    after = hooks(programs, hook("a", "PostToolUse")).after(CALL, "text", cwd="/t", session="s")
    assert (after.feedback, after.blocked) == ((), None)


def test_a_stop_hook_can_keep_the_run_going_and_learns_that_it_did() -> None:
    def stubborn(question: Mapping[str, Any]) -> ProgramResult:
        return SILENT if question["stop_hook_active"] else ProgramResult(2, b"", b"tests first")

    ours = hooks(ScriptedPrograms(a=stubborn), hook("a", "Stop", matcher="Bash"))

    assert ours.stop(cwd="/t", session="s").blocked == "a: tests first"
    assert ours.stop(cwd="/t", session="s", active=True).blocked is None


def test_a_broken_stop_hook_blocks_once_and_then_only_reports() -> None:
    ours = hooks(ScriptedPrograms(a=ProgramResult(1, b"", b"")), hook("a", "Stop"))

    assert ours.stop(cwd="/t", session="s").blocked == "a: the hook failed with exit code 1"
    again = ours.stop(cwd="/t", session="s", active=True)
    assert again.blocked is None
    assert again.feedback == ("a: the hook failed with exit code 1",)


def test_a_stop_hook_that_wants_the_end_does_not_block_it() -> None:
    ours = hooks(ScriptedPrograms(a=printed({"continue": False, "stopReason": "done"})), hook("a", "Stop"))
    assert ours.stop(cwd="/t", session="s").blocked is None


def test_settings_become_commands_in_their_order() -> None:
    settings = {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {"type": "command", "command": "cat >> log", "timeout": 5},
                    {
                        "type": "command",
                        "command": "./guard",
                        "args": ["--strict", "$HOME"],
                        "statusMessage": "guarding",
                    },
                ],
            },
            {"hooks": [{"type": "command", "command": "true", "onFailure": "block", "async": False, "shell": "bash"}]},
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
        "SessionStart": [{"hooks": [{"type": "prompt"}]}],
    }

    assert parse_hooks(settings) == (
        HookCommand("PreToolUse", "Bash", ("bash", "-c", "cat >> log"), "PreToolUse-1", 5.0),
        HookCommand("PreToolUse", "Bash", ("./guard", "--strict", "$HOME"), "PreToolUse-2", 60.0),
        HookCommand("PreToolUse", "", ("bash", "-c", "true"), "PreToolUse-3", 60.0),
        HookCommand("Stop", "", ("bash", "-c", "true"), "Stop-4", 60.0),
    )


def one(hook: object, **group: object) -> dict[str, Any]:
    return {"PreToolUse": [{"hooks": [hook], **group}]}


def command(**fields: object) -> dict[str, Any]:
    return one({"type": "command", "command": "true", **fields})


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ([], "hooks: must be an object"),
        ({"PreToolUse": {}}, "hooks.PreToolUse: must be a list"),
        ({"PreTool": []}, "hooks.PreTool: unknown event"),
        ({"PreToolUse": ["x"]}, "hooks.PreToolUse[0]: must be an object"),
        ({"PreToolUse": [{}]}, "hooks.PreToolUse[0].hooks: missing"),
        ({"PreToolUse": [{"hooks": {}}]}, "hooks.PreToolUse[0].hooks: must be a list"),
        (one("x"), "hooks.PreToolUse[0].hooks[0]: must be an object"),
        (one({"type": "http", "url": "x"}), "hooks[0].type: 'http' is not supported"),
        (one({"command": "x"}), "hooks[0].type: 'None' is not supported"),
        (one({"type": "command"}), "hooks[0].command: must be a string"),
        (command(command=" "), "hooks[0].command: empty"),
        (command(command="a\0b"), "hooks[0].command: empty, or holds NUL"),
        (command(timeout=0), "hooks[0].timeout: must be a number"),
        (command(timeout=601), "hooks[0].timeout: must be a number"),
        (command(timeout=True), "hooks[0].timeout: must be a number"),
        (command(timeout="5"), "hooks[0].timeout: must be a number"),
        (command(**{"async": True}), "hooks[0].async"),
        (command(**{"if": "Bash(git *)"}), "hooks[0].if: not supported"),
        (command(onFailure="continue"), "hooks[0].onFailure"),
        (command(shell="powershell"), "hooks[0].shell"),
        (command(args="x"), "hooks[0].args: must be a list"),
        (command(args=[1]), "hooks[0].args[0]: must be a string"),
        (one({"type": "command", "command": "x"}, matcher=3), "hooks.PreToolUse[0].matcher: must be a string"),
        (one({"type": "command", "command": "x"}, matcher="(x"), "hooks.PreToolUse[0].matcher: not a regular expression"),
        (one({"type": "command", "command": "x"}, match="x"), "hooks.PreToolUse[0].match: not supported"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_honoured_are_an_error_with_its_place(settings: Any, place: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_hooks(settings)
    assert str(caught.value).startswith(".claude/settings.json: ")
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)
