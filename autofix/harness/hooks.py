"""Hooks: programs that are asked before a call, told after it, and asked before the run ends.

The shell hook of this package is always asked first; then the commands that `.claude/settings.json` of the base
commit names. Every one is asked even after a denial, so that the journal shows who would have stopped a call. A
hook's consent is the absence of an objection: it lifts no other layer's denial.

Hooks run in the harness's zone, from the base commit's files and never from the work tree, with an environment that
names a handful of variables.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from autofix.harness.call import Decision, ToolCall, Verdict
from autofix.harness.hook_answer import Answer, HookEvent, read_answer
from autofix.ports.model import JsonObject, JsonValue
from autofix.ports.program import MINIMAL_ENVIRONMENT, Programs

DEFAULT_TIMEOUT: Final = 60.0
"""Seconds a configured hook has, where its settings name no time-out."""

SHELL_HOOK_TIMEOUT: Final = 5.0
"""Seconds the shell hook has. It answers in milliseconds; the rest is for a machine under load."""

OUTPUT_LIMIT: Final = 1024 * 1024
"""Bytes read of a hook's output; a hook that prints more has failed."""

SHELL_HOOK: Final = Path(__file__).resolve().parent.parent / "hooks" / "block-destructive-git.sh"

_LIST_MATCHER: Final = re.compile(r"[A-Za-z0-9_ ,|-]+")
"""Matchers of these characters alone are lists of exact names; any other is a regular expression, unanchored."""


@dataclass(frozen=True, slots=True)
class HookCommand:
    """A configured hook.

    Attributes:
        matcher: which tools it is asked about: "" or "*" all, "Edit|Write" these, else a regular expression.
        argv: the program and its arguments (`bash -c TEXT` where the settings give shell text).
        name: what the journal calls it.
        timeout: seconds.
    """

    event: HookEvent
    matcher: str
    argv: tuple[str, ...]
    name: str
    timeout: float = DEFAULT_TIMEOUT

    def concerns(self, tool: str) -> bool:
        return matches(self.matcher, tool)


@dataclass(frozen=True, slots=True)
class HookVerdict(Verdict):
    """A hook's opinion before a call; `context` is what it wants the model to read besides."""

    context: str = ""


@dataclass(frozen=True, slots=True)
class AfterHooks:
    """What hooks said after a call, or before the run's end.

    Attributes:
        feedback: lines for the model, in the order of the hooks.
        blocked: the first objection; after a call, the result is shown with it; before an end, the run goes on.
    """

    feedback: tuple[str, ...] = ()
    blocked: str | None = None


def matches(matcher: str, tool: str) -> bool:
    """Whether a matcher of the settings concerns a tool, with Claude Code's meaning."""
    if matcher in {"", "*"}:
        return True
    if _LIST_MATCHER.fullmatch(matcher):
        return tool in (name.strip() for name in re.split(r"[|,]", matcher))
    return _pattern(matcher).search(tool) is not None


@lru_cache(maxsize=64)
def _pattern(matcher: str) -> re.Pattern[str]:
    return re.compile(matcher)


class ShellHook:
    """The always-on second opinion: `block-destructive-git.sh`, which shares nothing with the gate."""

    def __init__(self, programs: Programs, script: Path = SHELL_HOOK) -> None:
        self._programs = programs
        self._script = script

    def ask(self, call: ToolCall, *, cwd: str, session: str) -> HookVerdict:
        """The hook's opinion; DENY also where the hook itself is missing, broken or late."""
        question = _question("PreToolUse", cwd=cwd, session=session, call=call)
        result = self._programs.run(
            ("/bin/sh", str(self._script)),
            question,
            timeout=SHELL_HOOK_TIMEOUT,
            environment=MINIMAL_ENVIRONMENT,
            output_limit=OUTPUT_LIMIT,
        )
        answer = read_answer("PreToolUse", result, timeout=SHELL_HOOK_TIMEOUT)
        return _verdict(answer, self._script.stem)


class Hooks:
    """The shell hook and the configured ones."""

    def __init__(
        self, programs: Programs, shell_hook: ShellHook, commands: Sequence[HookCommand] = (), files: str = "/"
    ) -> None:
        """Know the hooks of a run.

        Args:
            programs: where processes start.
            shell_hook: asked first, about every call.
            commands: configured hooks, in the order of the settings.
            files: directory holding the base commit's files; configured hooks start there.
        """
        self._programs = programs
        self._shell_hook = shell_hook
        self._commands = tuple(commands)
        self._files = files

    def before(self, call: ToolCall, *, cwd: str, session: str) -> tuple[HookVerdict, ...]:
        """Every hook's opinion on a call that has not run yet."""
        question = _question("PreToolUse", cwd=cwd, session=session, call=call)
        own = self._shell_hook.ask(call, cwd=cwd, session=session)
        asked = (_verdict(self._run(command, question), command.name) for command in self._for("PreToolUse", call.name))
        return (own, *asked)

    def after(self, call: ToolCall, response: JsonObject | str, *, cwd: str, session: str) -> AfterHooks:
        """Tell the hooks what a call did; a hook that fails is an objection like any other."""
        fields: dict[str, JsonValue] = {"tool_response": response if isinstance(response, str) else dict(response)}
        question = _question("PostToolUse", cwd=cwd, session=session, call=call, fields=fields)
        commands = self._for("PostToolUse", call.name)
        answers = [(command, self._run(command, question)) for command in commands]
        return _collect(answers)

    @property
    def guard_the_end(self) -> bool:
        """Whether a hook wants to be asked before the end."""
        return bool(self._for("Stop", ""))

    def stop(self, *, cwd: str, session: str, active: bool = False) -> AfterHooks:
        """Ask the hooks whether the run may end.

        Args:
            cwd: the tree's root as commands see it.
            session: the run's id.
            active: the run goes on because a Stop hook blocked its end before. Then a hook that fails no longer
                blocks, so that a broken one cannot spend the whole budget.
        """
        question = _question("Stop", cwd=cwd, session=session, fields={"stop_hook_active": active})
        answers = [(command, self._run(command, question)) for command in self._for("Stop", "")]
        return _collect([(command, _end(answer, active=active)) for command, answer in answers])

    def _for(self, event: HookEvent, tool: str) -> list[HookCommand]:
        """Hooks of an event; a Stop has no tool, so every matcher fits it."""
        return [
            command
            for command in self._commands
            if command.event == event and (event == "Stop" or command.concerns(tool))
        ]

    def _run(self, command: HookCommand, question: bytes) -> Answer:
        result = self._programs.run(
            command.argv,
            question,
            timeout=command.timeout,
            environment=self._environment(),
            cwd=self._files,
            output_limit=OUTPUT_LIMIT,
        )
        return read_answer(command.event, result, timeout=command.timeout)

    def _environment(self) -> Mapping[str, str]:
        return {
            **MINIMAL_ENVIRONMENT,
            "HOME": "/nonexistent",
            "CLAUDE_PROJECT_DIR": self._files,
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def _question(
    event: HookEvent,
    *,
    cwd: str,
    session: str,
    call: ToolCall | None = None,
    fields: Mapping[str, JsonValue] | None = None,
) -> bytes:
    """The JSON object a hook reads on stdin, in ASCII: any text of the model fits, and no byte of it is special."""
    question: dict[str, JsonValue] = {
        "session_id": session,
        "transcript_path": "",
        "cwd": cwd,
        "hook_event_name": event,
    }
    if call is not None:
        question["tool_name"] = call.name
        question["tool_input"] = None if call.input is None else dict(call.input)
        question["tool_use_id"] = call.id
    return json.dumps({**question, **(fields or {})}).encode()


def _verdict(answer: Answer, rule: str) -> HookVerdict:
    return HookVerdict(answer.decision, "hook", rule, answer.reason, answer.context)


def _end(answer: Answer, *, active: bool) -> Answer:
    """A Stop hook's answer turned to its event: `continue: false` wants the end, and so does not block it."""
    if answer.halt or (answer.failed and active):
        return Answer(Decision.ALLOW, context="" if answer.halt else answer.reason)
    return answer


def _collect(answers: Sequence[tuple[HookCommand, Answer]]) -> AfterHooks:
    objections = [
        f"{command.name}: {answer.reason}" for command, answer in answers if answer.decision is not Decision.ALLOW
    ]
    contexts = [f"{command.name}: {answer.context}" for command, answer in answers if answer.context]
    return AfterHooks((*objections, *contexts), objections[0] if objections else None)
