"""What the gate is asked with: the policy in force, the eyes and the parser it may use, and one question.

Everything here is a value or a Protocol; the decisions are in `gate` and in `rules/`, one layer a file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from autofix.harness.call import ToolCall
from autofix.harness.denylist import DenyList
from autofix.harness.scope import Scope
from autofix.harness.settings_rules import RuleSet
from autofix.harness.tool_input import ToolInput

if TYPE_CHECKING:
    from autofix.harness.bash.analysis import Analysis
    from autofix.harness.bash.syntax import BashParser, Unparsed


class Mode(Enum):
    """How much goes ahead without a person. No mode lifts the deny-list, the structure, the scope or a rule."""

    DEFAULT = "default"
    """Ask before an edit that no rule allows."""
    ACCEPT_EDITS = "accept-edits"
    """Edits in scope go ahead."""
    PLAN = "plan"
    """Nothing is changed: only reading and talking."""
    BYPASS = "bypass-permissions"
    """What is asked only for want of a rule goes ahead."""


class Tier(Enum):
    """What a tool can do at worst."""

    READ = "read"
    EDIT = "edit"
    EXECUTE = "execute"
    TALK = "talk"


@dataclass(frozen=True, slots=True)
class ToolContract:
    """What the gate knows of a tool: the shape of its input, and its tier."""

    input: type[ToolInput]
    tier: Tier


def _nothing_protected(_path: str) -> str | None:
    return None


def _no_test(_path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Policy:
    """What is in force for a run (or for a subagent: with a narrower scope, another mode).

    Attributes:
        sandboxed: a Bash call runs in a disposable sandbox, so that one nothing objects to goes ahead; else it asks.
        tools: what is loaded; a name that is not here is unknown.
        protected: why a path asks even in scope (manifests, lock files, CI); None where it does not.
        workspace: where Bash sees the tree.
        workspace_aliases: further absolute names of the same directory (its path outside the sandbox).
        tests_edit: what becomes of an in-scope edit of a file that `is_test` takes for a test.
    """

    mode: Mode
    scope: Scope
    tools: Mapping[str, ToolContract]
    sandboxed: bool = True
    denylist: DenyList = field(default_factory=DenyList.built_in)
    rules: RuleSet = field(default_factory=RuleSet)
    protected: Callable[[str], str | None] = _nothing_protected
    tests_edit: Literal["deny", "ask", "allow"] = "ask"
    is_test: Callable[[str], bool] = _no_test
    workspace: str = "/workspace"
    workspace_aliases: tuple[str, ...] = ()


class Sight(Protocol):
    """What the gate may look at of the tree; it changes nothing. Paths are relative to the tree's root."""

    def real_path(self, path: str) -> str:
        """The path with links followed, as `ports.tree.WorkTree.real_path`; TreeError when it leaves the tree."""
        ...

    def is_tracked(self, path: str) -> bool:
        """Whether the commit has this file, or has files below it where it is a directory."""
        ...

    def is_directory(self, path: str) -> bool:
        """Whether the commit has files below this path."""
        ...


@dataclass(frozen=True)
class Question:
    """One call, and everything a layer may use to judge it. A command is analysed once, when first asked about."""

    call: ToolCall
    policy: Policy
    sight: Sight
    parser: "BashParser"

    @property
    def tier(self) -> Tier | None:
        contract = self.policy.tools.get(self.call.name)
        return contract.tier if contract else None

    @property
    def command(self) -> str | None:
        """The bash text of this call; None where it is no Bash call."""
        if self.call.name != "Bash" or self.call.input is None:
            return None
        command = self.call.input.get("command")
        return command if isinstance(command, str) else None

    @cached_property
    def analysis(self) -> "Analysis | Unparsed":
        """What the command would do."""
        from autofix.harness.bash.analysis import analyse  # only for a Bash call: start-up time

        policy = self.policy
        return analyse(
            self.command or "", self.parser, policy.workspace, policy.workspace_aliases, self.sight.is_directory
        )
