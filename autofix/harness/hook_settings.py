"""The `hooks` object of `.claude/settings.json`, read into commands. What it cannot honour is an error with its place.

A hook that would be skipped silently is a guard its owner believes in and does not have; so an unknown event, type or
field is refused, and nothing is guessed.
"""

import re
from collections.abc import Mapping
from typing import Final, get_args

from autofix.errors import UsageError
from autofix.harness.hook_answer import HookEvent, plain
from autofix.harness.hooks import DEFAULT_TIMEOUT, HookCommand
from autofix.ports.model import JsonValue

MAXIMUM_TIMEOUT: Final = 600.0
"""Seconds; Claude Code's own default for command hooks, and more than a turn can wait for."""

_EVENTS: Final[Mapping[str, HookEvent]] = {name: name for name in get_args(HookEvent)}

_IGNORED_EVENTS: Final = frozenset(
    {"Notification", "SessionStart", "SessionEnd", "UserPromptSubmit", "PreCompact", "SubagentStart", "SubagentStop"}
)
"""Events of an interactive session, which guard no call: their hooks have no place here, and are no error."""

_SHOWN_ONLY: Final = frozenset({"statusMessage"})


def parse_hooks(hooks: JsonValue, *, source: str = ".claude/settings.json") -> tuple[HookCommand, ...]:
    """The commands of a `hooks` object, in its order.

    Raises:
        UsageError: something in it is wrong or not supported; the message names the place.
    """
    found: list[HookCommand] = []
    for event, groups in _mapping(hooks, f"{source}: hooks").items():
        place = f"{source}: hooks.{plain(event, 60)}"
        if event in _IGNORED_EVENTS:
            continue
        if event not in _EVENTS:
            raise UsageError(f"{place}: unknown event; known are {', '.join(_EVENTS)}")
        for index, group in enumerate(_list(groups, place)):
            found += _group(_EVENTS[event], group, f"{place}[{index}]", len(found))
    return tuple(found)


def _group(event: HookEvent, group: JsonValue, place: str, before: int) -> list[HookCommand]:
    fields = _mapping(group, place)
    _only(fields, {"matcher", "hooks"}, place)
    matcher = _string(fields.get("matcher", ""), f"{place}.matcher")
    try:
        re.compile(matcher if matcher != "*" else "")
    except re.error as error:
        raise UsageError(f"{place}.matcher: not a regular expression ({error})") from None
    if "hooks" not in fields:
        raise UsageError(f"{place}.hooks: missing; it lists the commands to run")
    return [
        _command(event, matcher, hook, f"{place}.hooks[{index}]", before + index)
        for index, hook in enumerate(_list(fields["hooks"], f"{place}.hooks"))
    ]


def _command(event: HookEvent, matcher: str, hook: JsonValue, place: str, number: int) -> HookCommand:
    fields = _mapping(hook, place)
    kind = fields.get("type")
    if kind != "command":
        raise UsageError(f"{place}.type: {plain(str(kind), 60)!r} is not supported; only 'command' is")
    _only(fields, {"type", "command", "args", "timeout", "shell", "async", "onFailure", *_SHOWN_ONLY}, place)
    if fields.get("async", False) is not False:
        raise UsageError(f"{place}.async: a hook that is not waited for cannot block; remove it")
    if fields.get("onFailure", "block") != "block":
        raise UsageError(f"{place}.onFailure: a failing hook always blocks here; remove it or say 'block'")
    if fields.get("shell", "bash") != "bash":
        raise UsageError(f"{place}.shell: only 'bash' is supported")
    command = _string(fields.get("command"), f"{place}.command")
    if not command.strip() or "\0" in command:
        raise UsageError(f"{place}.command: empty, or holds NUL")
    argv: tuple[str, ...] = ("bash", "-c", command)
    if "args" in fields:
        arguments = _list(fields["args"], f"{place}.args")
        argv = (command, *(_string(value, f"{place}.args[{index}]") for index, value in enumerate(arguments)))
    timeout = _timeout(fields.get("timeout", DEFAULT_TIMEOUT), f"{place}.timeout")
    return HookCommand(event, matcher, argv, f"{event}-{number + 1}", timeout)


def _timeout(value: JsonValue, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAXIMUM_TIMEOUT:
        raise UsageError(f"{place}: must be a number of seconds above 0, at most {MAXIMUM_TIMEOUT:g}")
    return float(value)


def _only(fields: Mapping[str, JsonValue], known: set[str], place: str) -> None:
    for name in fields:
        if name not in known:
            raise UsageError(f"{place}.{plain(name, 60)}: not supported; known are {', '.join(sorted(known))}")


def _mapping(value: JsonValue, place: str) -> Mapping[str, JsonValue]:
    if not isinstance(value, dict):
        raise UsageError(f"{place}: must be an object")
    return value


def _list(value: JsonValue, place: str) -> list[JsonValue]:
    if not isinstance(value, list):
        raise UsageError(f"{place}: must be a list")
    return value


def _string(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{place}: must be a string")
    return value
