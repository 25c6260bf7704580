"""What a hook's exit and output mean: the protocol of Claude Code's hooks, read more strictly.

There, only exit 2 blocks: a hook that crashes, hangs or prints nonsense lets the call through. Here only exit 0 with
nothing, or with a well-formed answer, on stdout says yes; whatever else happens is a no that says what happened.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from autofix.harness.call import Decision
from autofix.ports.program import ProgramResult

HookEvent = Literal["PreToolUse", "PostToolUse", "Stop"]

REASON_LIMIT: Final = 500
"""Characters of a reason that reach the model and the journal: a sentence or two, not a log."""

CONTEXT_LIMIT: Final = 10_000
"""Characters of additional context a hook may add; Claude Code shortens at the same length."""

_BLOCK: Final = 2
"""The exit code that says no, with the reason on stderr."""

_DECISIONS: Final = {"allow": Decision.ALLOW, "ask": Decision.ASK, "defer": Decision.ASK, "deny": Decision.DENY}
_LEGACY: Final = {"approve": Decision.ALLOW, "block": Decision.DENY}

_FIELDS: Final[Mapping[str, type]] = {
    "continue": bool,
    "stopReason": str,
    "suppressOutput": bool,
    "systemMessage": str,
    "decision": str,
    "reason": str,
    "additionalContext": str,
    "hookSpecificOutput": dict,
}
_SPECIFIC: Final[Mapping[str, type]] = {
    "hookEventName": str,
    "permissionDecision": str,
    "permissionDecisionReason": str,
    "additionalContext": str,
}
_REWRITES: Final = ("updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "updatedPermissions")
"""Fields that would change the call or its result behind the gate's back: what was judged must be what runs."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A hook's word on one call.

    Attributes:
        decision: ALLOW means "no objection", never more.
        reason: why it objects; "" when it does not.
        context: text it wants the model to read; "" mostly.
        halt: it asked for the whole run to end (`"continue": false`).
        failed: it did not answer by the protocol, which is why the decision is DENY.
    """

    decision: Decision
    reason: str = ""
    context: str = ""
    halt: bool = False
    failed: bool = False


class _NotAnAnswer(Exception):  # noqa: N818 - it never leaves this module
    """The output is not what the protocol allows; the message says why."""


def read_answer(event: HookEvent, result: ProgramResult, *, timeout: float) -> Answer:
    """The answer in a finished hook's exit code, stdout and stderr."""
    said = plain(result.stderr.decode("utf-8", "replace"), REASON_LIMIT)
    failure = _how_it_failed(result, said, timeout)
    if failure:
        return _failure(failure)
    if result.exit_code == _BLOCK:
        return Answer(Decision.DENY, said or "the hook blocked this call and gave no reason")
    try:
        return _read_output(event, result.stdout)
    except _NotAnAnswer as error:
        return _failure(f"the hook's output is not an answer: {error}")


def _how_it_failed(result: ProgramResult, said: str, timeout: float) -> str:
    """Why a finished process is no answer at all; "" when it may be one."""
    if result.timed_out:
        return f"the hook gave no answer within {timeout:g} s"
    if result.overflowed:
        return "the hook printed more than is read of it"
    if result.exit_code < 0:
        return f"the hook was ended by signal {-result.exit_code}"
    if result.exit_code not in {0, _BLOCK}:
        return f"the hook failed with exit code {result.exit_code}" + (f": {said}" if said else "")
    return ""


def plain(text: str, limit: int) -> str:
    """`text` without control and format characters (line breaks become blanks), at most `limit` characters."""
    words = " ".join(text[: limit * 8].split())
    clean = "".join(character for character in words if character.isprintable())
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def _failure(reason: str) -> Answer:
    return Answer(Decision.DENY, plain(reason, REASON_LIMIT), failed=True)


def _read_output(event: HookEvent, stdout: bytes) -> Answer:
    try:
        text = stdout.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise _NotAnAnswer("it is not UTF-8") from None
    if not text:
        return Answer(Decision.ALLOW)
    fields = _object(text)
    specific = fields.get("hookSpecificOutput", {})
    assert isinstance(specific, dict)
    rewrite = next((name for name in _REWRITES if name in specific or name in fields), None)
    if rewrite is not None:
        return Answer(Decision.DENY, f"the hook asked to change the call ({rewrite}), which autofix refuses")
    _check(fields, _FIELDS, "")
    _check(specific, _SPECIFIC, "hookSpecificOutput.")
    if "hookSpecificOutput" in fields and specific.get("hookEventName") != event:
        raise _NotAnAnswer(f"hookSpecificOutput.hookEventName is not {event!r}")
    return _weigh(fields, specific)


def _weigh(fields: Mapping[str, object], specific: Mapping[str, object]) -> Answer:
    """The strictest of what the fields say."""
    halt = fields.get("continue") is False
    opinions = [(Decision.ALLOW, "")]
    if halt:
        opinions.append((Decision.DENY, _text(fields, "stopReason") or "the hook asked the run to stop"))
    if "decision" in fields:
        opinions.append((_choice(fields, "decision", _LEGACY), _text(fields, "reason")))
    if "permissionDecision" in specific:
        reason = _text(specific, "permissionDecisionReason")
        opinions.append((_choice(specific, "permissionDecision", _DECISIONS), reason))
    decision, reason = max(opinions, key=lambda opinion: (opinion[0], opinion[1] != ""))
    if decision is not Decision.ALLOW and not reason:
        reason = "the hook gave no reason"
    context = "\n".join(filter(None, (_text(source, "additionalContext") for source in (fields, specific))))
    return Answer(decision, plain(reason, REASON_LIMIT), context[:CONTEXT_LIMIT], halt)


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _NotAnAnswer(f"it is not JSON ({plain(str(error), 100)})") from None
    if not isinstance(value, dict):
        raise _NotAnAnswer("it is JSON, but not an object")
    if not isinstance(value.get("hookSpecificOutput", {}), dict):
        raise _NotAnAnswer("hookSpecificOutput is not an object")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys are each named once: two readers must not see two answers in one text."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands in it twice")
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _check(fields: Mapping[str, object], known: Mapping[str, type], prefix: str) -> None:
    for name, value in fields.items():
        kind = known.get(name)
        if kind is None:
            raise _NotAnAnswer(f"unknown field {prefix}{plain(name, 60)}")
        if type(value) is not kind:
            raise _NotAnAnswer(f"{prefix}{name} is not {_KIND_NAMES[kind]}")


_KIND_NAMES: Final = {bool: "true or false", str: "a string", dict: "an object"}


def _choice(fields: Mapping[str, object], name: str, choices: Mapping[str, Decision]) -> Decision:
    value = _text(fields, name)
    if value not in choices:
        raise _NotAnAnswer(f"{name} is {plain(value, 60)!r}, not one of {', '.join(choices)}")
    return choices[value]


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name, "")
    assert isinstance(value, str)
    return value
