"""Every error autofix raises on purpose, as one tree.

    AutofixError
    ├── UsageError            the caller's input or configuration is wrong (exit 2); one line, nothing spent
    ├── JournalError
    │   ├── IllegalEvent      an event the state machine has no transition for; nothing changed
    │   ├── JournalDamaged    a line of the journal is not what was written; the message names the line
    │   └── ResumeMismatch    a resumed run takes another way than its journal tells; the message names the event
    ├── SandboxError
    │   ├── SandboxUnavailable  no engine, no image, no user namespaces: nothing ran
    │   └── SandboxBroken       the sandbox failed under a command; never shown to the model as a failed command
    ├── ModelError
    │   ├── ModelUnavailable  overload, rate limit, network, broken stream: trying again may help
    │   └── ModelRejected     the API refused the request: trying the same again cannot help
    │       └── ReplayMismatch  the conversation is not the recorded one; the message names turn and place
    ├── GitError              git answered with a failure; carries no environment and no credential
    ├── NotAsVerified         what stands on the branch may not be what was verified; the message names the commit
    ├── TreeError             a path of the work tree cannot be used as asked (outside, link, changed, too big)
    └── ForgeError
        ├── CannotPush        the remote refused; `reason` says which rule
        ├── CannotComment     the comment could not be written
        ├── ForgeUnavailable  network, 5xx, a rate limit longer than we wait: trying again may help
        ├── ForgeForbidden    the token may not do this
        └── ForgeNotFound     there is no such thing, or the token may not see it
    Cancelled                 a signal asked the run to end (exit 12); like KeyboardInterrupt no Exception, so that no
                              library on the way takes it for a fault of its own and tries again

An expected end of a run (budget spent, no progress, approval needed) is a returned value, not an error.
A message says what is wrong, where, and what to do next.
"""


class AutofixError(Exception):
    """Base of all errors raised on purpose."""


class UsageError(AutofixError):
    """The caller's input or configuration is wrong; answered by one line and exit code 2."""


class Cancelled(BaseException):
    """A signal asked the run to end."""


class JournalError(AutofixError):
    """The journal cannot be written or read."""


class IllegalEvent(JournalError):  # noqa: N818 - the field's word
    """The state machine has no transition for this event in this state."""


class JournalDamaged(JournalError):  # noqa: N818 - the field's word
    """A line of the journal is not what was written."""


class ResumeMismatch(JournalError):  # noqa: N818 - the field's word
    """A resumed run takes another way than its journal tells."""


class ParkedRunDamaged(AutofixError):  # noqa: N818 - the field's word
    """What was kept of a waiting run cannot be believed or read; the message says why."""


class SandboxError(AutofixError):
    """The sandbox, not the command in it, failed."""


class SandboxUnavailable(SandboxError):  # noqa: N818 - the field's word
    """The sandbox could not be started: no engine, no image, no user namespaces."""


class SandboxBroken(SandboxError):  # noqa: N818 - the field's word
    """The sandbox failed while a command ran in it."""


class ModelError(AutofixError):
    """A model call failed.

    Attributes:
        status: HTTP status, or None where there was none (network, broken stream).
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ModelUnavailable(ModelError):  # noqa: N818 - the field's word
    """Trying again may help.

    Attributes:
        retry_after: seconds the server asked to wait, or None.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class ModelRejected(ModelError):  # noqa: N818 - the field's word
    """The API refused the request; trying the same again cannot help."""


class ReplayMismatch(ModelRejected):
    """A replayed conversation left its transcript.

    Attributes:
        turn: the model call, counted from 1.
        path: where the request first differs (`messages[3].content[0].text`); "" where the transcript has ended.
    """

    def __init__(self, message: str, *, turn: int, path: str = "") -> None:
        super().__init__(message)
        self.turn = turn
        self.path = path


class GitError(AutofixError):
    """Git answered with a failure."""


class NotAsVerified(AutofixError):  # noqa: N818 - what it says, not what it is
    """A commit that was made for us on the branch is not, or is not known to be, what was verified (I5).

    No rung of the ladder is below it: the branch has been changed, and a person has to look.
    """


class TreeError(AutofixError):
    """A path of the work tree cannot be used as asked."""


class ForgeError(AutofixError):
    """The forge (git remote, comments) refused."""


class CannotPush(ForgeError):  # noqa: N818 - named after what the caller cannot do
    """The remote refused the push.

    Attributes:
        moved: True when the branch is no longer at the commit the run worked on.
    """

    def __init__(self, message: str, *, moved: bool = False) -> None:
        super().__init__(message)
        self.moved = moved


class CannotComment(ForgeError):  # noqa: N818 - named after what the caller cannot do
    """The comment could not be written."""


class ForgeUnavailable(ForgeError):  # noqa: N818 - the field's word
    """Network, 5xx, or a rate limit longer than we wait; trying again may help."""


class ForgeForbidden(ForgeError):  # noqa: N818 - the field's word
    """The token may not do this."""


class ForgeNotFound(ForgeError):  # noqa: N818 - the field's word
    """There is no such thing, or the token may not see it."""
