"""`/autofix remember` and `/autofix explain`: answered at once in the comment, whatever else it asks for."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from autofix.cli.action_answer import write, writes_nothing
from autofix.cli.admitted import (
    STATE,
    Entrance,
    considered,
    fetched,
    private_refs,
    refusal,
    scope_and_checks,
    trigger_of,
)
from autofix.cli.composing import run_id
from autofix.cli.parking import WORDS_FILE, ActionWords
from autofix.errors import AutofixError, ParkedRunDamaged
from autofix.harness.redact import Redactor
from autofix.intake.commands import Command, Reading, Verb
from autofix.intake.consider import AdmittedRun
from autofix.intake.find_pull import find_pull
from autofix.intake.ledger import Ledger, decode
from autofix.intake.own_marks import WORKFLOW_ACCOUNT
from autofix.intake.trigger import Commanded, Skipped, Trigger
from autofix.ports.github import Pull
from autofix.report.escape import for_markdown_line
from autofix.report.explained import Explained, explained
from autofix.state.events import Kind
from autofix.state.journal import read
from autofix.world.github_forge import own_comment
from autofix.world.parked_runs import ParkedRuns
from autofix.world.private_refs import PrivateRefs
from autofix.world.run_directory import RunDirectory
from autofix.world.taught_notes import Note, TaughtNotes

ASIDE = frozenset({Verb.REMEMBER, Verb.EXPLAIN})
_MOST_WAITING = 20


def answer_aside(entrance: Entrance, redactor: Redactor) -> Skipped | None:
    """Do what the comment asks aside; why nothing else is done, None where more is asked or nothing was.

    Raises:
        ForgeError, GitError: GitHub cannot be asked, or not be told.
    """
    trigger = trigger_of(entrance)
    if isinstance(trigger, Skipped) or not isinstance(trigger.cause, Commanded):
        return None
    commands = trigger.cause.reading.commands
    asides = tuple(command for command in commands if command.verb in ASIDE)
    if not asides:
        return None
    done = _done(entrance, redactor, trigger, asides)
    return done if len(asides) == len(commands) else None


def _done(entrance: Entrance, redactor: Redactor, trigger: Trigger, commands: tuple[Command, ...]) -> Skipped:
    pull = find_pull(entrance.github, trigger)
    if isinstance(pull, Skipped):
        return pull
    if reason := refusal(entrance.github, trigger):
        return Skipped(reason)
    if writes_nothing(entrance):
        return Skipped("this job writes nothing")
    with closing(private_refs(entrance)) as refs:
        notes = tuple(_note(entrance, redactor, trigger, pull, one) for one in commands if one.verb is Verb.REMEMBER)
        lines = _remembered(refs, notes)
        if any(one.verb is Verb.EXPLAIN for one in commands):
            lines += [explained(_facts(entrance, trigger, pull, refs))]
    write(entrance.github, pull.number, "\n".join(lines))
    return Skipped("answered in the comment")


def _note(entrance: Entrance, redactor: Redactor, trigger: Trigger, pull: Pull, command: Command) -> Note:
    by = ", ".join(one.login for one in trigger.actors)
    at = entrance.clock.now().isoformat(timespec="seconds")
    return Note(redactor.text(command.text), by, at, pull.number)


def _remembered(refs: PrivateRefs, notes: tuple[Note, ...]) -> list[str]:
    if not notes:
        return []
    try:
        TaughtNotes(refs).add(notes)
    except AutofixError as error:
        return [f"**Not remembered:** {for_markdown_line(str(error))}"]
    return [f"**Remembered** for the next runs in this repository: {for_markdown_line(note.text)}" for note in notes]


def _facts(entrance: Entrance, trigger: Trigger, pull: Pull, refs: PrivateRefs) -> Explained:
    directory = RunDirectory.create(entrance.job.temp / STATE, run_id(entrance.clock.now()))
    try:
        found = fetched(entrance, pull, directory)
        as_if = replace(trigger, cause=Commanded(0, Reading((Command(Verb.RUN),))), pull_number=pull.number)
        run = considered(entrance, as_if, found.settings, found.remote)
        ledger, limits = _ledger(entrance, pull), found.settings.admission
        scope, choice = scope_and_checks(entrance, found, pull)
        return Explained(
            no_start=run.reason if isinstance(run, Skipped) else "",
            runs=ledger.runs,
            most_runs=limits.runs_per_pull,
            usd=ledger.usd,
            most_usd=limits.usd_per_pull,
            scope=sorted(scope.paths),
            excluded=sorted(scope.excluded.items()),
            checks=[(one.check.command, one.why) for one in choice.taken],
            waiting=list(_waiting(entrance, pull, refs)),
            taught=[f"{note.text} ({note.by}, #{note.pull})" for note in TaughtNotes(refs).all()],
            findings=[one.text for one in run.findings] if isinstance(run, AdmittedRun) else (),
        )
    finally:
        directory.remove()


def _ledger(entrance: Entrance, pull: Pull) -> Ledger:
    own = own_comment(entrance.github, pull.number, frozenset({entrance.github.whoami(), WORKFLOW_ACCOUNT}))
    return (decode(own.body) if own else None) or Ledger()


def _waiting(entrance: Entrance, pull: Pull, refs: PrivateRefs) -> Iterator[str]:
    """What runs of this pull request ask, a line each."""
    runs = ParkedRuns(refs)
    for name in sorted(runs.names(), reverse=True)[:_MOST_WAITING]:
        try:
            files = runs.read(name).files(entrance.inputs.anthropic_api_key)
            if ActionWords.from_json(files[WORDS_FILE]).pull != pull.number:
                continue
            with TemporaryDirectory() as place:
                (journal := Path(place) / "journal.jsonl").write_bytes(files["journal.jsonl"])
                asked = [event.data for event in read(journal).events if event.kind is Kind.APPROVAL_ASKED][-1]
        except (ParkedRunDamaged, KeyError, IndexError):
            continue
        yield f"{asked['wanted']}: {asked['reason']}. `/autofix approve {asked['id']}` or `deny`"
