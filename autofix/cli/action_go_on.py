"""`/autofix approve`, `deny` and `stop` on a pull request: this job goes on with the run of another one that asked.

The run comes from the repository, and is believed by its seal. An answer is good for the question it names, on the head
it was asked on, under the policy it was asked under; whatever of these has changed since voids the question.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from autofix.cli.admitted import (
    STATE,
    Entrance,
    GoingOn,
    Site,
    considered,
    private_refs,
    pull_request_of,
    refusal,
    trigger_of,
)
from autofix.cli.composing import CLAUDE_SETTINGS, POLICY_LIMIT
from autofix.cli.inputs import read_inputs
from autofix.cli.parking import WORDS_FILE, ActionWords, Parking, restored, with_inputs
from autofix.errors import CannotPush, ForgeError, ParkedRunDamaged
from autofix.harness.approval import Answer
from autofix.harness.redact import Redactor
from autofix.intake.admission import ANSWERING_VERBS, STARTING_VERBS
from autofix.intake.commands import Command, Verb
from autofix.intake.find_pull import find_pull
from autofix.intake.trigger import Commanded, Skipped, Trigger
from autofix.ports.git import Git
from autofix.ports.github import Pull
from autofix.settings import CONFIGURATION_PATH, Settings, parse_settings
from autofix.state.events import Kind
from autofix.state.journal import Event, read
from autofix.state.machine import Phase
from autofix.state.run_state import fold
from autofix.world.git_cli import GitCli
from autofix.world.git_source import Source
from autofix.world.github_git import GitRemote
from autofix.world.parked_runs import Parked, ParkedRuns
from autofix.world.run_directory import RunDirectory

MOST_LOOKED_AT = 20
"""Waiting runs that `/autofix stop` looks through for those of its pull request, the newest first."""
CLAIM_LASTS = timedelta(minutes=30)
"""Beyond the run's own limit of time; after that the job that claimed it is gone."""


def going_on(entrance: Entrance, environ: Mapping[str, str], redactor: Redactor) -> Site | Skipped | None:
    """The run that a comment answers, ready to go on; None where it answers nothing.

    Raises:
        UsageError: the run's inputs or the base's configuration are wrong.
        ForgeError, GitError: GitHub cannot be asked what must be known.
    """
    trigger = trigger_of(entrance)
    said = () if isinstance(trigger, Skipped) else _answers(trigger)
    if isinstance(trigger, Skipped) or not said:
        return None
    if entrance.inputs.stage != "all":
        return Skipped("a run that is split in two jobs asks nothing, so there is nothing to answer")
    pull = find_pull(entrance.github, trigger)
    if isinstance(pull, Skipped):
        return pull
    if reason := refusal(entrance.github, trigger):
        return Skipped(reason)
    runs = ParkedRuns(private_refs(entrance))
    found: Site | Skipped | None = None
    try:
        found = _Answering(
            entrance, environ, redactor, replace(trigger, pull_number=pull.number), pull, said, runs
        ).site()
        return found
    finally:
        if not isinstance(found, Site):
            runs.refs.close()


def _answers(trigger: Trigger) -> tuple[Command, ...]:
    if not isinstance(trigger.cause, Commanded):
        return ()
    commands = trigger.cause.reading.commands
    if {command.verb for command in commands} & STARTING_VERBS:
        return ()
    return tuple(command for command in commands if command.verb in ANSWERING_VERBS)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A kept run, laid out, and what it says of itself."""

    parked: Parked
    words: ActionWords
    question: str
    expires: datetime


@dataclass(frozen=True, slots=True)
class _Answering:
    """One comment's answers, and the search for the run they are about."""

    entrance: Entrance
    environ: Mapping[str, str]
    redactor: Redactor
    trigger: Trigger
    pull: Pull
    said: tuple[Command, ...]
    runs: ParkedRuns

    def site(self) -> Site | Skipped:
        found: Site | Skipped = Skipped(self._nothing())
        for name in self._candidates():
            directory = RunDirectory.create(self.entrance.job.temp / STATE, name)
            try:
                found = self._tried(name, directory)
            except ParkedRunDamaged as error:
                found = Skipped(str(error))
            except BaseException:
                directory.remove()
                raise
            if isinstance(found, Site):
                return found
            directory.remove()
            if self._by_id:
                return found
        return found

    @property
    def _by_id(self) -> bool:
        return all(command.verb is not Verb.STOP for command in self.said)

    def _nothing(self) -> str:
        if self._by_id:
            return f"no run waits for an answer called {self.said[0].id}: it has ended, or its time is over"
        page = "a run that goes on is cancelled on its page in Actions"
        return f"no run of this pull request waits for an answer; {page}"

    def _candidates(self) -> list[str]:
        """The runs that may be meant."""
        names = sorted(self.runs.names(), reverse=True)
        if not self._by_id:
            return names[:MOST_LOOKED_AT]
        suffixes = {command.id.rpartition("-")[0] for command in self.said}
        return [name for name in names if name.rpartition("-")[2] in suffixes]

    def _doors(self, directory: RunDirectory) -> tuple[GitCli, GitRemote]:
        place = directory.path / "repo.git"
        git = GitCli(Source.empty(place / "empty").common, place, now=lambda: directory.started)
        return git, GitRemote(git.process, self.entrance.job.clone_url, self.entrance.inputs.token)

    def _tried(self, name: str, directory: RunDirectory) -> Site | Skipped:
        git, remote = self._doors(directory)
        head, base = remote.fetch_pull(self.pull.number, self.pull.base_branch)
        waiting = self._laid_out(self.runs.read(name), directory)
        if (waiting.words.repository, waiting.words.pull) != (self.entrance.job.repository, self.pull.number):
            return Skipped(self._nothing())
        answer = self._answer(waiting.question)
        if answer is None:
            return Skipped(f"{name} does not ask {self.said[0].id}; it waits for an answer to {waiting.question}")
        remote.bring(waiting.words.base)
        if reason := self._void(waiting, git, head, base):
            with suppress(ForgeError):  # a later run sweeps it
                self.runs.drop(name, waiting.parked.commit)
            return Skipped(f"{reason}, so the question is void; say `/autofix retry` to start over")
        return self._claimed(waiting, directory, git, remote, {waiting.question: answer})

    def _laid_out(self, parked: Parked, directory: RunDirectory) -> _Waiting:
        files = parked.files(self.entrance.inputs.anthropic_api_key)
        restored(directory, files)
        events = read(directory.journal).events
        state = fold(events)
        if state.phase is not Phase.WAITING_FOR_APPROVAL:
            raise ParkedRunDamaged(f"what is kept of {parked.run_id} asks nothing")
        return _Waiting(parked, ActionWords.from_json(files[WORDS_FILE]), state.question, _expires(events))

    def _answer(self, question: str) -> Answer | None:
        """The first word of the comment that is about this question."""
        by = ", ".join(one.login for one in self.trigger.actors)
        for command in self.said:
            if command.verb is Verb.STOP:
                return Answer(approved=False, by=by, ends=True)
            if command.id == question:
                return Answer(approved=command.verb is Verb.APPROVE, by=by, why=command.text)
        return None

    def _void(self, waiting: _Waiting, git: Git, head: str, base: str) -> str:
        words = waiting.words
        if head != words.head:
            return f"the branch moved from {words.head[:8]} to {head[:8]} since it was asked"
        if self.pull.base_branch != words.base_branch:
            return f"the pull request goes to {self.pull.base_branch} now, and went to {words.base_branch}"
        if self.entrance.clock.now() > waiting.expires:
            return f"it could be answered until {waiting.expires:%Y-%m-%d %H:%M} UTC"
        for path in (CONFIGURATION_PATH, CLAUDE_SETTINGS):
            if git.read(base, path, POLICY_LIMIT) != git.read(words.base, path, POLICY_LIMIT):
                return f"{path} of {words.base_branch} has changed since it was asked"
        return ""

    def _claimed(
        self, waiting: _Waiting, directory: RunDirectory, git: GitCli, remote: GitRemote, answers: Mapping[str, Answer]
    ) -> Site | Skipped:
        words, parked = waiting.words, waiting.parked
        entrance = replace(self.entrance, inputs=read_inputs(with_inputs(self.environ, words.inputs)))
        file = git.read(words.base, CONFIGURATION_PATH, POLICY_LIMIT)
        settings = parse_settings(file, entrance.inputs.overlay(), "the inputs")
        run = considered(entrance, self.trigger, settings, remote, going_on=True)
        if isinstance(run, Skipped):
            return run
        if self._busy(parked, settings):
            return Skipped(f"another job goes on with {parked.run_id} already")
        try:
            claim = self.runs.claim(parked)
        except CannotPush as error:
            moved = "another answer was first"
            return Skipped(moved if error.moved else f"the run cannot be claimed: {error}")
        parking = Parking(
            runs=self.runs,
            directory=directory,
            secret=entrance.inputs.anthropic_api_key,
            redactor=self.redactor,
            at=claim,
            found=parked,
        )
        return Site(
            entrance=entrance,
            run=run,
            directory=directory,
            git=git,
            remote=remote,
            pull_request=replace(
                pull_request_of(git, run.pull, words.base, words.title), base_branch=words.base_branch
            ),
            settings=settings,
            going_on=GoingOn(parking=parking, words=words, answers=answers),
        )

    def _busy(self, parked: Parked, settings: Settings) -> bool:
        lasts = timedelta(minutes=settings.limits.minutes) + CLAIM_LASTS
        return parked.claimed is not None and self.entrance.clock.now() - parked.claimed < lasts


def _expires(events: Iterable[Event]) -> datetime:
    asked = [event for event in events if event.kind is Kind.APPROVAL_ASKED]
    return datetime.fromisoformat(str(asked[-1].data["expires"]))
