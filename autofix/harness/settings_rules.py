"""Permission rules in the syntax of `.claude/settings.json`, with Claude Code's meaning.

    Bash                  every command                     Read(src/**)      gitignore patterns: relative to here,
    Bash(npm run build)   exactly this                      Edit(/docs/**)    to the repository,
    Bash(npm test:*)      this prefix, at a word's end      Read(~/.zshrc)    to the home directory,
    Bash(git * main)      `*` stands for any text           Read(//etc/**)    to the file system
    mcp__server           every tool of a server            mcp__server__tool, mcp__server__*

A command's parts are judged one by one: allowed is what has all its parts allowed, and one denied part denies it. An
`Edit` rule covers every tool that edits, a `Read` rule every tool that reads. A rule that cannot be read is an error
that names the line; a rule that silently means nothing would be worse than none.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from autofix.errors import UsageError
from autofix.harness.call import Decision

_LISTS = (("deny", Decision.DENY), ("ask", Decision.ASK), ("allow", Decision.ALLOW))
_SYNTAX = re.compile(r"([A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*(?:__\*)?)(?:\((.+)\))?", re.DOTALL)
_EDITING = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_READING = frozenset({"Read", "Grep", "Glob", "LS"})
_BARE = frozenset({"TodoWrite", "WebSearch", "RunChecks", "RequestScope", "RuledOut", "ToolSearch", "ExitPlanMode"})
_NAMED = frozenset({"WebFetch", "Agent", "Task", "Skill", "SlashCommand"})
"""Tools whose specifier is a name of their own world; accepted so that a shared file is not refused for them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a list. `text` is the rule as written, which is also its id on the record."""

    decision: Decision
    text: str
    tool: str
    pattern: Any
    kind: Literal["any", "command", "path", "name"]

    def names(self, tool: str) -> bool:
        if self.tool == "Edit" or self.tool in _EDITING:
            return tool in _EDITING
        if self.tool == "Read":
            return tool in _READING
        if self.tool.startswith("mcp__"):
            server = self.tool.removesuffix("__*")
            return tool == self.tool or (server.count("__") == 1 and tool.startswith(f"{server}__"))
        return tool == self.tool

    def covers(self, text: str) -> bool:
        return self.pattern is None or self.pattern.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one policy, strictest first."""

    rules: tuple[Rule, ...] = ()
    home: str = field(default="/root")

    @classmethod
    def parse(
        cls, *, allow: Iterable[str] = (), ask: Iterable[str] = (), deny: Iterable[str] = (), home: str = "/root"
    ) -> "RuleSet":
        """Rules from three lists; UsageError names the rule that cannot be read."""
        given = {"allow": allow, "ask": ask, "deny": deny}
        return cls(tuple(_rule(text, decision, home) for key, decision in _LISTS for text in given[key]), home)

    @classmethod
    def from_settings(cls, text: str, source: str, *, home: str = "/root") -> "RuleSet":
        """Rules from the text of a settings file; `source` is its name in errors."""
        try:
            permissions = json.loads(text).get("permissions", {})
            lists = {key: permissions.get(key, []) for key, _ in _LISTS}
        except (ValueError, AttributeError) as error:
            raise UsageError(f"{source}: not a settings file: {error}") from error
        rules = []
        for key, decision in _LISTS:
            if not isinstance(lists[key], list):
                raise UsageError(f"{source}: permissions.{key} must be a list of rules")
            for entry in cast("list[object]", lists[key]):
                try:
                    rules.append(_rule(entry, decision, home))
                except UsageError as error:
                    raise UsageError(f"{source}:{_line_of(text, entry)}: {error}") from error
        return cls(tuple(rules), home)

    def about_command(self, parts: Sequence[Sequence[str]]) -> Rule | None:
        """The rule that decides a command, given its parts, each in the forms it can be read in; None: no rule does."""
        rules = [rule for rule in self.rules if rule.names("Bash")]
        for rule in rules:
            if rule.decision is not Decision.ALLOW and any(rule.covers(form) for part in parts for form in part):
                return rule
        allowing = [rule for rule in rules if rule.decision is Decision.ALLOW]
        chosen = [next((rule for rule in allowing if any(map(rule.covers, part))), None) for part in parts]
        return chosen[0] if chosen and all(chosen) else None

    def about_path(self, tool: str, path: str) -> Rule | None:
        """The rule that decides what `tool` does to `path` (absolute, or relative to the repository)."""
        return next((rule for rule in self.rules if rule.names(tool) and rule.covers(path)), None)

    def about_tool(self, tool: str) -> Rule | None:
        """The rule that decides a tool by its name alone."""
        return next((rule for rule in self.rules if rule.kind == "any" and rule.names(tool)), None)


def _rule(entry: object, decision: Decision, home: str) -> Rule:
    syntax = _SYNTAX.fullmatch(entry) if isinstance(entry, str) else None
    if syntax is None:
        raise UsageError(f"cannot read the rule {entry!r}; write Tool or Tool(what), for example Bash(npm test:*)")
    tool, what = syntax[1], syntax[2]
    text = syntax[0]
    if tool.startswith("mcp__"):
        if what is not None or tool.count("__") > 2 + tool.endswith("__*"):
            raise UsageError(f"cannot read the rule {text!r}; write mcp__server, mcp__server__tool or mcp__server__*")
        return Rule(decision, text, tool, None, "any")
    if tool not in _EDITING | _READING | _BARE | _NAMED | {"Bash"}:
        raise UsageError(f"the rule {text!r} names no tool that autofix knows")
    if what is None or what == "*":
        return Rule(decision, text, tool, None, "any")
    if tool == "Bash":
        return Rule(decision, text, tool, _command_pattern(what), "command")
    if tool in _EDITING | _READING:
        return Rule(decision, text, tool, _path_pattern(what, home), "path")
    if tool in _NAMED:
        return Rule(decision, text, tool, _linear(re.escape(what)), "name")
    raise UsageError(f"the rule {text!r} gives {tool} a specifier, which it does not take")


def _command_pattern(what: str) -> Any:
    if what.endswith((":*", " *")):
        prefix = what[:-2]
        return _linear(_any_text(prefix) + r"(?:\s.*)?")
    return _linear(_any_text(what))


def _linear(pattern: str) -> Any:
    """A compiled pattern that is matched in time linear in the text: a command is hostile."""
    import re2  # late: start-up time

    return re2.compile(f"(?s){pattern}")


def _any_text(what: str) -> str:
    return ".*".join(re.escape(piece) for piece in what.split("*"))


def _path_pattern(what: str, home: str) -> Any:
    """A gitignore pattern as a regular expression over `/`-separated paths; relative ones start at the repository."""
    if what.startswith("//"):
        anchor, rest = "/", what[2:]
    elif what.startswith("~/"):
        anchor, rest = home.rstrip("/") + "/", what[2:]
    else:
        bare = what.removeprefix("./")
        floating = "/" not in bare.rstrip("/") and not what.startswith("./")
        anchor, rest = "", ("**/" + bare if floating else bare.lstrip("/"))
    return _linear(re.escape(anchor) + _glob(rest) + r"(?:/.*)?")


_GLOB = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[[^\]]+\]|[^*?\[]+|\[")
_GLOB_MEANING = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _glob(pattern: str) -> str:
    pieces = []
    for match in _GLOB.finditer(pattern.rstrip("/")):
        piece = match[0]
        if piece in _GLOB_MEANING:
            pieces.append(_GLOB_MEANING[piece])
        elif len(piece) > 1 and piece.startswith("["):
            pieces.append("[" + piece[1:-1].replace("\\", r"\\").replace("!", "^", 1) + "]")
        else:
            pieces.append(re.escape(piece))
    return "".join(pieces)


def _line_of(text: str, entry: object) -> int:
    position = text.find(json.dumps(entry, ensure_ascii=False))
    return text.count("\n", 0, max(position, 0)) + 1
