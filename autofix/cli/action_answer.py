"""A command that starts no run is answered, in the one comment: people who may write here are told why.

Nobody else is: a stranger's word costs no more than the question who they are. Automatic events stay silent.
"""

import contextlib
import re

from autofix.cli.admitted import Entrance, refusal, trigger_of
from autofix.errors import ForgeError
from autofix.intake.commands import HELP
from autofix.intake.own_marks import MARKER, WORKFLOW_ACCOUNT
from autofix.intake.trigger import Commanded, Skipped
from autofix.ports.forge import COMMENT_LIMIT
from autofix.ports.github import GitHub
from autofix.report.escape import for_markdown_line
from autofix.world.github_forge import own_comment

_OPENS, _CLOSES = "<!-- autofix:answer -->", "<!-- /autofix:answer -->"
_EARLIER = re.compile(rf"\n*{_OPENS}[^\0]*?{_CLOSES}\n*")


def answer(entrance: Entrance, skipped: Skipped) -> None:
    """Say in the comment why a command was not obeyed. Where it cannot be written, the step summary has it anyway."""
    trigger = trigger_of(entrance)
    if isinstance(trigger, Skipped) or not isinstance(trigger.cause, Commanded) or trigger.pull_number is None:
        return
    if writes_nothing(entrance):
        return
    with contextlib.suppress(ForgeError):
        if not refusal(entrance.github, trigger):
            unknown = trigger.cause.reading.unknown
            write(entrance.github, trigger.pull_number, answered(skipped.reason, unknown))


def writes_nothing(entrance: Entrance) -> bool:
    """Whether this job leaves no word on the pull request."""
    return entrance.inputs.stage == "fix" or entrance.inputs.overlay().get("delivery") == "dry-run"


def answered(reason: str, unknown: tuple[str, ...]) -> str:
    """The answer's Markdown: why, and the help where a command was not understood."""
    lines = [f"**Your command started no run:** {for_markdown_line(reason)}."]
    if unknown:
        lines += [
            "",
            *(f"- not understood: {for_markdown_line(why)}" for why in unknown),
            "",
            "The commands are:",
            HELP,
        ]
    return "\n".join(lines)


def write(github: GitHub, number: int, answer: str) -> None:
    """Put an answer below what the comment says already, in the place of an earlier one. Raises ForgeError."""
    text = f"{_OPENS}\n{answer}\n{_CLOSES}"
    accounts = frozenset({github.whoami(), WORKFLOW_ACCOUNT})
    own = own_comment(github, number, accounts)
    if own is None:
        github.create_comment(number, f"{MARKER}\n{text}\n")
        return
    body = f"{_EARLIER.sub('', own.body).rstrip()}\n\n{text}\n"
    if len(body) <= COMMENT_LIMIT:
        github.update_comment(own.id, body)
