"""The gate with a person behind it: what it neither allows nor denies, and what is out of scope, is put to one.

A denial is never put to anybody. Where nobody can be asked, the gate's word is all there is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from autofix.errors import TreeError
from autofix.harness.approval import SHOWN, Answer, Approvals, Question, Subject, Waiting, ruled, too_long
from autofix.harness.call import Decision, Ruling, ToolCall
from autofix.harness.deed import ruling_of
from autofix.harness.policy import Tier
from autofix.harness.protected import protected
from autofix.harness.tools import TOOLS, Workshop
from autofix.harness.tools.place import located

REQUEST_SCOPE = "RequestScope"
EARLIER = Answer(approved=True, by="a person, earlier in this run")

Judge = Callable[[ToolCall], Ruling]


@dataclass(slots=True, kw_only=True)
class AskingGate:
    """Rules on a call, or says what the run has to wait for.

    Attributes:
        gate: every layer and every hook, folded.
        widen: told a path that a person adds to the scope.
    """

    gate: Judge
    approvals: Approvals
    workshop: Workshop
    widen: Callable[[str], None]

    def __call__(self, call: ToolCall, fingerprint: str) -> Ruling | Waiting:
        asked = self.approvals.asked_before()
        ruling = ruling_of(asked) if asked else self.gate(call)
        question = self._question(call, fingerprint, ruling) if self.approvals.possible else None
        if question is None:
            return ruling
        if len(question.detail) > SHOWN:
            return too_long(ruling)
        if self.approvals.grants(question.grant):
            return ruled(ruling, EARLIER)
        answer = self.approvals.ask(question)
        if isinstance(answer, Waiting):
            return answer
        if answer.approved and question.subject is Subject.SCOPE:
            self.widen(question.path)
        return ruled(ruling, answer)

    def _question(self, call: ToolCall, fingerprint: str, ruling: Ruling) -> Question | None:
        if ruling.verdict.decision is Decision.ASK:
            return self._about_call(call, fingerprint, ruling)
        if ruling.allowed and call.name == REQUEST_SCOPE:
            return self._about_scope(call, ruling)
        return None

    def _about_call(self, call: ToolCall, fingerprint: str, ruling: Ruling) -> Question:
        path = self._edited(call)
        return Question(
            subject=Subject.CALL,
            wanted=f"edit {path}" if path else f"call {call.name}",
            reason=ruling.verdict.reason,
            grant=f"call:{fingerprint}",
            detail=_detail(call),
            call=call,
            ruling=ruling,
            path=path,
        )

    def _about_scope(self, call: ToolCall, ruling: Ruling) -> Question | None:
        path, scope = self._path(call, "path"), self.workshop.scope
        if not path or path in scope or not scope.can_grant(path):
            return None  # the tool itself says what is to be said of it
        why = protected(path)
        said = (call.input or {}).get("reason")
        return Question(
            subject=Subject.SCOPE,
            wanted=f"change {path}, which this pull request does not touch",
            reason=f"it is out of scope, and protected: {why}" if why else "it is out of scope",
            grant=f"scope:{path}",
            detail=str(said),
            call=call,
            ruling=ruling,
            path=path,
        )

    def _edited(self, call: ToolCall) -> str:
        tool = TOOLS.get(call.name)
        return self._path(call, "file_path") if tool is not None and tool.tier is Tier.EDIT else ""

    def _path(self, call: ToolCall, name: str) -> str:
        given = (call.input or {}).get(name)
        try:
            return located(given, self.workshop) if isinstance(given, str) else ""
        except TreeError:
            return ""


def _detail(call: ToolCall) -> str:
    """All that a person needs to see of the call: what it writes or runs, then every other input by name."""
    given = dict(call.input or {})
    match call.name:
        case "Edit":
            removed, added = str(given.pop("old_string", "")), str(given.pop("new_string", ""))
            shown = [f"- {line}" for line in removed.splitlines()] + [f"+ {line}" for line in added.splitlines()]
        case "Write":
            shown = str(given.pop("content", "")).splitlines()
        case "Bash":
            shown = str(given.pop("command", "")).splitlines()
        case _:
            shown = []
    given.pop("file_path", None)  # it is in what is wanted
    return "\n".join([*shown, *(f"{name}: {value}" for name, value in given.items())])
