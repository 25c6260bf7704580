"""The one path from a tool call to its result: gate and hooks, the deed, what it did to the tree, redaction.

Every layer and every hook is asked and recorded before anything happens; nothing happens unless all agree. After a
program has run, the tree is compared with what the harness knows of it: a tracked file changed out of scope is put
back and the model is told.

A call that only a person may allow is put to one (`harness/asking.py`); then nothing happens until there is an answer.

In a resumed run a call that was made before is not made again: its ruling, its result and what it did to the tree come
from the journal. One that was announced and never ended is told to the model as what it is: of unknown outcome.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from autofix.checks.kept import pack_results
from autofix.checks.result import CheckResult
from autofix.errors import TreeError
from autofix.harness.approval import Waiting
from autofix.harness.call import Decision, Ruling, ToolCall, Verdict
from autofix.harness.deed import UNKNOWN, Deed, deed_of, ruling_of
from autofix.harness.redact import Redactor
from autofix.harness.tools import TOOLS, ScopeRequest, Tier, ToolOutcome, Workshop, perform
from autofix.harness.tools.file_text import EDITABLE_BYTES
from autofix.harness.tree_memory import TreeMemory
from autofix.ports.model import JsonValue, ToolResultBlock, ToolUseBlock
from autofix.ports.sandbox import MIB
from autofix.ports.tree import FileState
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.recorder import Recorder

RUN_CHECKS = "RunChecks"
NOBODY_TO_ASK = "this needs a person's word, and nobody can be asked in this run. "
LARGEST_FILE = 16 * MIB
"""Bytes of a tracked file after a program ran; far more than a patch may hold, and read back in no time."""
SHOWN_PATHS = 20
"""Paths named in a message; there may be thousands."""


class Gate(Protocol):
    """Rules on a call: every layer's opinion, folded, and a person's where one was asked; or what to wait for."""

    def __call__(self, call: ToolCall, fingerprint: str) -> Ruling | Waiting: ...


class AfterHook(Protocol):
    """Runs after a call; what it says is shown to the model ("" for nothing)."""

    def __call__(self, call: ToolCall, result: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Dispatched:
    """What came of one tool use.

    Attributes:
        result: for the model, redacted.
        valid: the call was one the tools know, with an input that fits.
        tree: digest of the scope's contents after the call.
        fingerprint: of the call: equal name and input, equal fingerprint.
        reports: what checks showed while the call ran.
        withheld: what a person would have had to allow, "" for nothing.
    """

    result: ToolResultBlock
    ruling: Ruling
    valid: bool
    tree: str
    fingerprint: str
    reports: tuple[CheckResult, ...] = ()
    scope_request: ScopeRequest | None = None
    withheld: str = ""


@dataclass(slots=True, kw_only=True)
class Dispatcher:
    """Takes the calls of one attempt.

    Attributes:
        reports: what the checks showed since last asked; emptied by asking.
    """

    gate: Gate
    after_hook: AfterHook
    workshop: Workshop
    reports: Callable[[], tuple[CheckResult, ...]]
    redactor: Redactor
    recorder: Recorder
    memory: TreeMemory
    _digest: str = ""
    _touched: set[str] = field(default_factory=set)

    def dispatch(self, use: ToolUseBlock) -> Dispatched | Waiting:
        call = ToolCall(use.id, use.name, use.input)
        fingerprint = _fingerprint(call)
        announced = self.recorder.recall(Kind.TOOL_CALLED)
        ruling = ruling_of(announced) if announced else self.gate(call, fingerprint)
        if isinstance(ruling, Waiting):
            return ruling
        announced = announced or self.recorder.recall(Kind.TOOL_CALLED)  # after a question that was asked before
        self._announce(call, fingerprint, ruling)
        ended = self.recorder.recall(Kind.TOOL_ENDED)
        if ended:
            deed = self._remembered(ended)
            self.recorder.record(Kind.TOOL_ENDED)
        else:
            deed = UNKNOWN if announced else self._done(call, ruling)
            self._report(call, deed)
        return Dispatched(
            ToolResultBlock(use.id, deed.text, is_error=deed.outcome.is_error),
            ruling,
            valid=not any(one.layer == "known" and one.decision is Decision.DENY for one in ruling.opinions),
            tree=self._digest_after(call, ruling),
            fingerprint=fingerprint,
            reports=deed.reports,
            scope_request=deed.outcome.scope_request,
            withheld=ruling.verdict.reason if ruling.verdict.decision is Decision.ASK else "",
        )

    def _done(self, call: ToolCall, ruling: Ruling) -> Deed:
        """The call, done or denied, and what became of the tree."""
        seen = dict(self.workshop.seen)
        outcome = self._perform(call) if ruling.allowed else _denied(ruling)
        self._touched.update(outcome.changed)
        undone: tuple[str, ...] = ()
        if ruling.allowed and _runs_programs(call):
            undone, present = self._put_back()
            files = self.memory.present(present)
        else:
            files = self.memory.written(outcome.changed)
        return Deed(
            outcome,
            self._told(call, ruling, outcome, undone),
            undone,
            self.reports() if ruling.allowed else (),
            files,
            tuple(sorted(path for path, token in self.workshop.seen.items() if seen.get(path) != token)),
        )

    def _remembered(self, ended: Event) -> Deed:
        """What the call did when it was done, done to this tree again; no program runs, no hook is asked."""
        deed = deed_of(ended, self.memory.store)
        self.memory.lay(deed.files)
        self._touched.update(deed.outcome.changed, deed.files)
        for path in deed.seen:
            with suppress(TreeError):  # it was changed by a way that is not kept: it has to be read again
                self.workshop.seen[path] = self.workshop.tree.read(path, EDITABLE_BYTES).token
        return deed

    def _perform(self, call: ToolCall) -> ToolOutcome:
        """The deed. What the checks themselves write into files in scope is nobody's fix, and is taken back."""
        if call.name != RUN_CHECKS:
            return perform(call, self.workshop)
        before = self._in_scope()
        outcome = perform(call, self.workshop)
        self._take_back(before)
        return outcome

    def _in_scope(self) -> dict[str, FileState]:
        """The files in scope that differ from the commit, as they are now."""
        tree, changes = self.workshop.tree, self.workshop.tree.compare()
        states: dict[str, FileState] = {}
        for path in (*changes.modified, *changes.added):
            if path in self.workshop.scope:
                with suppress(TreeError):  # too large to be edited: whatever it is, it leaves by no patch
                    states[path] = tree.read(path, EDITABLE_BYTES)
        return states

    def _take_back(self, before: Mapping[str, FileState]) -> None:
        """Put files in scope back to what they were before the checks ran."""
        tree, changes = self.workshop.tree, self.workshop.tree.compare()
        for path in (*changes.modified, *changes.added):
            if path not in self.workshop.scope:
                continue
            with suppress(TreeError):
                if path in before:
                    now = tree.read(path, EDITABLE_BYTES)
                    tree.write(path, before[path].content, expected=now.token)
                elif path in changes.added:
                    tree.remove([path])
                else:
                    tree.restore([path])

    def tree_digest(self) -> str:
        """One hash over the present contents of the scope."""
        granted = {path for path in self._touched if path in self.workshop.scope}
        self._digest = self.workshop.tree.digest(sorted({*self.workshop.scope.paths, *granted}))
        return self._digest

    def _digest_after(self, call: ToolCall, ruling: Ruling) -> str:
        tool = TOOLS.get(call.name)
        may_change = ruling.allowed and tool is not None and tool.tier in {Tier.EDIT, Tier.EXECUTE}
        return self.tree_digest() if may_change or not self._digest else self._digest

    def _put_back(self) -> tuple[tuple[str, ...], list[str]]:
        """Undo what a program changed out of scope; what was put back, and what still differs, in scope first."""
        changes = self.workshop.tree.compare()
        self._touched.update(changes.tracked, changes.added)
        broken = {*changes.deleted, *changes.type_changed}
        undone = tuple(
            path
            for path in changes.tracked
            if path in broken or path not in self.workshop.scope or self._is_too_large(path)
        )
        if undone:
            self.workshop.tree.restore(undone)
        left = {*changes.modified, *changes.added}.difference(undone)
        return undone, sorted(left, key=lambda path: (path not in self.workshop.scope, path))

    def _is_too_large(self, path: str) -> bool:
        """Whether a program let a file grow beyond what any patch may hold."""
        try:
            self.workshop.tree.read(path, LARGEST_FILE)
        except TreeError:
            return True
        return False

    def _told(self, call: ToolCall, ruling: Ruling, outcome: ToolOutcome, undone: tuple[str, ...]) -> str:
        parts = [outcome.text]
        if undone:
            parts.append(
                f"autofix put back {_named(undone)}: only files in scope may change, and none may be deleted,"
                f" replaced by something that is not a file, or grow beyond {LARGEST_FILE // MIB} MiB."
            )
        if ruling.allowed:
            parts.append(self.after_hook(call, outcome.text))
        return self.redactor.text("\n".join(part for part in parts if part)) or "(no output)"

    def _announce(self, call: ToolCall, fingerprint: str, ruling: Ruling) -> None:
        self.recorder.record(
            Kind.TOOL_CALLED,
            id=call.id,
            tool=call.name,
            hash=fingerprint,
            input=_shown_input(call),
            decision=ruling.verdict.decision.name.lower(),
            layer=ruling.verdict.layer,
            rule=ruling.verdict.rule,
            reason=ruling.verdict.reason,
            opinions=ruling.told(),
        )

    def _report(self, call: ToolCall, deed: Deed) -> None:
        outcome = deed.outcome
        end, asked, given_up = outcome.command, outcome.scope_request, outcome.ruled_out
        self.recorder.record(
            Kind.TOOL_ENDED,
            id=call.id,
            tool=call.name,
            error=outcome.is_error,
            exit_code=end.exit_code if end else None,
            timed_out=end.timed_out if end else False,
            seconds=round(end.seconds, 3) if end else None,
            changed=list(outcome.changed),
            undone=list(deed.undone),
            ruled_out=[given_up.hypothesis, given_up.evidence] if given_up else None,
            scope_request=[asked.path, asked.reason] if asked else None,
            result=deed.text,
            reports=self.memory.store.keep("reports", pack_results(deed.reports)) if deed.reports else "",
            files=dict(deed.files),
            seen=list(deed.seen),
        )


def _denied(ruling: Ruling) -> ToolOutcome:
    verdict = ruling.verdict
    if verdict.decision is Decision.ASK:
        verdict = Verdict(Decision.DENY, verdict.layer, verdict.rule, NOBODY_TO_ASK + verdict.reason)
    return ToolOutcome(verdict.message, is_error=True)


def _runs_programs(call: ToolCall) -> bool:
    tool = TOOLS.get(call.name)
    return tool is not None and tool.tier is Tier.EXECUTE


def _fingerprint(call: ToolCall) -> str:
    canonical = json.dumps([call.name, dict(call.input or {})], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


INPUT_SHOWN = 2000
"""Characters of each input field that the journal keeps; the transcript has the whole."""


def _shown_input(call: ToolCall) -> dict[str, JsonValue]:
    return {name: str(value)[:INPUT_SHOWN] for name, value in (call.input or {}).items()}


def _named(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:SHOWN_PATHS])
    return shown if len(paths) <= SHOWN_PATHS else f"{shown} and {len(paths) - SHOWN_PATHS} more"
