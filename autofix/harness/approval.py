"""What only a person may allow: the question, the answer, and what an answer allows from then on.

A question is bound to its run, to the head commit and to what exactly was asked; an answer names the question. While
there is none, the run waits (`state/machine.py`): its process ends, and another one goes on when a person has spoken.
A person's word is never more than an opinion on what was asked: it lifts no denial.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from autofix.errors import Cancelled, ResumeMismatch
from autofix.harness.call import Decision, Ruling, ToolCall, Verdict
from autofix.ports.model import JsonValue
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.recorder import Recorder

MOST_QUESTIONS = 20
"""In one run; a model that asks more asks instead of working, and is refused."""
SHOWN = 10_000
"""Characters that a person is shown of a call. A longer one is put to nobody: who has not seen it cannot allow it."""
LAYER = "person"
"""The layer of a verdict that a person's word made."""


class Subject(StrEnum):
    """What a question is about."""

    CALL = "call"
    """a tool call that the gate does not allow of itself"""
    SCOPE = "scope"
    """a path that the pull request does not change"""
    PATCH = "patch"
    """a verified patch that changes what only a person may change"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked.

    Attributes:
        wanted: what would happen, in a line; may quote the model and the pull request (untrusted).
        reason: why a person is asked, in a line.
        grant: what a yes allows for the rest of the run: `call:FINGERPRINT` that very call, `scope:PATH` a path in
            the scope, `patch:HASH` that very patch.
        detail: all that a person needs to see to decide, such as the edit itself (untrusted), "" for nothing more.
        call: the call it is about, where it is about one.
        ruling: what the gate said of the call.
        path: the file the call edits, "" for none.
    """

    subject: Subject
    wanted: str
    reason: str
    grant: str
    detail: str = ""
    call: ToolCall | None = None
    ruling: Ruling | None = None
    path: str = ""

    @property
    def pending_input(self) -> dict[str, str]:
        """Of the call, for readers; what is longer than a person is shown is cut."""
        given = self.call.input if self.call else None
        return {name: str(value)[:SHOWN] for name, value in (given or {}).items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's word. `by` is who gave it; `why` is theirs, "" for nothing; `ends`: the run shall end instead."""

    approved: bool
    by: str
    why: str = ""
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question without an answer. `expires` is when nobody may answer it any more; `id` is "" until it is asked."""

    id: str
    question: Question
    expires: datetime

    @property
    def line(self) -> str:
        return f"{self.question.wanted}: {self.question.reason}"


@dataclass(slots=True, kw_only=True)
class Approvals:
    """Asks people, one question at a time.

    Attributes:
        answers: what people have answered, by the question's id.
        lifetime: how long a question may wait; None where nobody can be asked.
        allowed: the questions that a person said yes to, in their order.
        meanwhile: lets the other tasks of the run go on before a person is asked; False where one of them asks now.
        waiting: the question this run waits for.
    """

    recorder: Recorder
    run_id: str
    head: str
    now: Callable[[], datetime]
    lifetime: timedelta | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    allowed: list[Question] = field(default_factory=list)
    meanwhile: Callable[[], bool] = lambda: True
    waiting: Waiting | None = None
    _asked: int = 0
    _refused: dict[str, Answer] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        return self.lifetime is not None and self._asked < MOST_QUESTIONS

    def asked_before(self) -> Event | None:
        """The question a resumed run has come to again."""
        if self.recorder.recall(Kind.TASK_STARTED):  # it let others go on first
            self.meanwhile()
        return self.recorder.recall(Kind.APPROVAL_ASKED)

    def grants(self, wanted: str) -> bool:
        """Whether a person has allowed exactly this in this run."""
        return any(one.grant == wanted for one in self.allowed)

    def allowed_edits(self, path: str) -> list[ToolCall]:
        """The edits of a file that a person has seen and allowed, in their order."""
        return [one.call for one in self.allowed if one.call and path and one.path == path]

    def ask(self, question: Question) -> Answer | Waiting:
        """Put the question, or take the answer that is there. What was refused once is not asked again.

        Raises:
            ResumeMismatch: a resumed run asks another question than it did.
            Cancelled: the answer is that the run shall end.
        """
        if question.grant in self._refused:
            return self._refused[question.grant]
        if not self.meanwhile():
            return Waiting("", question, self.now())
        self._asked += 1
        id_ = f"{self.run_id.rpartition('-')[2]}-{self._asked}"
        expires = self.now() + (self.lifetime or timedelta(0))
        event = self.recorder.record(Kind.APPROVAL_ASKED, **_told(question, id_, self.head, expires))
        if event.data["bound"] != bound(question, self.head):
            raise ResumeMismatch(f"question {id_} of the journal was another one: start a new run")
        answer = self._answered(id_)
        if answer is None:
            self.waiting = Waiting(id_, question, datetime.fromisoformat(str(event.data["expires"])))
            return self.waiting
        if answer.ends:
            raise Cancelled(f"stopped by {answer.by}")
        if answer.approved:
            self.allowed.append(question)
        else:
            self._refused[question.grant] = answer
        return answer

    def _answered(self, id_: str) -> Answer | None:
        before = self.recorder.recall(Kind.APPROVAL_ANSWERED)
        answer = answer_of(before) if before else self.answers.get(id_)
        if answer is not None:
            self.recorder.record(
                Kind.APPROVAL_ANSWERED, id=id_, approved=answer.approved, by=answer.by, why=answer.why, ends=answer.ends
            )
        return answer


def bound(question: Question, head: str) -> str:
    """What an answer is bound to, besides the run: what was asked, and the commit it was asked on."""
    parts = (question.subject.value, head, question.grant)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def ruled(ruling: Ruling, answer: Answer) -> Ruling:
    """The ruling with a person's word in force. What was denied stays denied."""
    if ruling.verdict.decision is Decision.DENY:
        return ruling
    if answer.approved:
        word = Verdict(Decision.ALLOW, LAYER, "approved", f"{answer.by} allowed it")
    else:
        why = f": {answer.why}" if answer.why else ""
        word = Verdict(Decision.DENY, LAYER, "refused", f"{answer.by} was asked and refused it{why}")
    return Ruling(word, (*ruling.opinions, word))


def too_long(ruling: Ruling) -> Ruling:
    """The ruling on a call that nobody can be shown as a whole."""
    reason = (
        f"a person has to see this call before it is made, and it has more than {SHOWN} characters: do less at once"
    )
    word = Verdict(Decision.DENY, LAYER, "too-long-to-show", reason)
    return Ruling(word, (*ruling.opinions, word))


def answer_of(event: Event) -> Answer:
    data = event.data
    return Answer(bool(data["approved"]), str(data["by"]), str(data["why"]), bool(data["ends"]))


def _told(question: Question, id_: str, head: str, expires: datetime) -> dict[str, JsonValue]:
    verdict = question.ruling.verdict if question.ruling else None
    return {
        "id": id_,
        "subject": question.subject.value,
        "wanted": question.wanted,
        "reason": question.reason,
        "detail": question.detail,
        "grant": question.grant,
        "head": head,
        "bound": bound(question, head),
        "expires": expires.isoformat(),
        "tool": question.call.name if question.call else "",
        "input": dict(question.pending_input),
        "decision": verdict.decision.name.lower() if verdict else "",
        "layer": verdict.layer if verdict else "",
        "rule": verdict.rule if verdict else "",
        "opinions": question.ruling.told() if question.ruling else [],
    }
