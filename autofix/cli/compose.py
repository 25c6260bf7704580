"""Builds the real world for a run on a local branch: every input parsed or refused before anything is spent."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace

from autofix.cli.composing import (
    POLICY_LIMIT,
    TRANSCRIPT_FILE,
    Composed,
    Doors,
    Ground,
    open_room,
    proxy,
    put_together,
    run_id,
    secrets_of,
)
from autofix.cli.words import RunWords, words_from_json, words_to_json
from autofix.errors import UsageError
from autofix.harness.redact import Redactor
from autofix.intake.local import local_pull_request
from autofix.intake.pull_request import PullRequest
from autofix.ports.model import Model
from autofix.ports.sandbox import Room
from autofix.ports.transcript import read_line
from autofix.settings import CONFIGURATION_PATH, Settings, parse_settings
from autofix.start import Taken
from autofix.world.clock import SystemClock
from autofix.world.git_cli import GitCli
from autofix.world.local_forge import LocalForge
from autofix.world.replay_model import ResumedModel
from autofix.world.run_directory import RunDirectory

WORDS_FILE = "words.json"
"""The options of a run, in its directory."""


def compose(words: RunWords, taken: Taken, on_text: Callable[[str], None]) -> Composed:
    """Everything a run needs.

    Raises:
        UsageError: an input or a configuration is wrong; nothing was left behind.
    """
    if not words.repository.is_dir():
        raise UsageError(f"--repo: {words.repository} is not a directory")
    RunDirectory.sweep(words.state_directory)
    directory = RunDirectory.create(words.state_directory, run_id(SystemClock().now()))
    with ExitStack() as undo:
        undo.callback(directory.remove)
        composed = _composed(words, taken, directory, on_text)
        directory.keep(WORDS_FILE, words_to_json(_settled(words, composed.order.pull_request)))
        undo.pop_all()
        return composed


@dataclass(frozen=True, slots=True)
class Again:
    """What a run that is played again brings along.

    Attributes:
        answered: how many answers of the model it has had before.
        model, room: in the place of those that its options name; None for those.
    """

    answered: int = 0
    model: Model | None = None
    room: Room | None = None


_FIRST = Again()


def recompose(directory: RunDirectory, taken: Taken, on_text: Callable[[str], None]) -> Composed:
    """The same for a run whose process is gone: its own options, its own base, the answers it was given.

    Raises:
        UsageError: it cannot go on with what is here now; its directory is as it was.
    """
    words, answered = kept_words(directory), directory.mend(TRANSCRIPT_FILE)
    directory.reopen()
    try:
        composed = _composed(words, taken, directory, on_text, Again(len(answered)))
    except BaseException:
        directory.remove_work()
        raise
    model = ResumedModel(answered, composed.world.model)
    return replace(composed, world=replace(composed.world, model=model))


def restage(directory: RunDirectory, model: Model, room: Room) -> Composed:
    """A run's directory, a copy of its own, with everything but a model, a sandbox and a place to deliver to.

    Raises:
        UsageError: its repository is not there, or does not have its commits any more.
    """
    words = replace(kept_words(directory), state_directory=directory.state, comments=None, delivery="dry-run")
    directory.reopen()
    return _composed(words, Taken({}, "/"), directory, lambda _text: None, Again(model=model, room=room))


def kept_words(directory: RunDirectory) -> RunWords:
    try:
        content = (directory.path / WORDS_FILE).read_bytes()
    except OSError as error:
        raise UsageError(f"{directory.path.name} cannot be resumed: its options are not there ({error})") from error
    return words_from_json(content)


def _settled(words: RunWords, pull_request: PullRequest) -> RunWords:
    """The words with what they meant when the run was started."""
    return replace(
        words,
        base=pull_request.base,
        base_branch=pull_request.base_branch,
        head=pull_request.branch or pull_request.head,
    )


def _composed(
    words: RunWords, taken: Taken, directory: RunDirectory, on_text: Callable[[str], None], again: Again = _FIRST
) -> Composed:
    git = GitCli(words.repository, directory.path / "repo.git", now=lambda: directory.started)
    pull_request = local_pull_request(git, words.base, words.head)
    if words.base_branch:
        pull_request = replace(pull_request, base_branch=words.base_branch)
    settings = parse_settings(git.read(pull_request.base, CONFIGURATION_PATH, POLICY_LIMIT), words.overlay())
    ground = Ground(
        git=git,
        directory=directory,
        pull_request=pull_request,
        settings=settings,
        redactor=Redactor(secrets_of(taken.environ)),
        checks=words.checks,
        hidden=(words.repository, words.state_directory),
        paid=words.replay is None and again.model is None,
    )
    forge = LocalForge(git, pull_request, remote=words.remote, comments=words.comments or directory.comments)
    if words.remote is not None and settings.delivery == "push" and forge.target() is None:
        raise UsageError(f"--remote {words.remote}: {forge.why_not()}")
    doors = Doors(
        model=again.model or _model(words, settings, taken.environ, again.answered),
        forge=forge,
        room=lambda: again.room or open_room(settings),
        clock=SystemClock(),
        on_text=on_text,
    )
    composed = put_together(ground, doors)
    answering = f"autofix {{word}} {directory.path.name} {{id}}"
    return replace(composed, order=replace(composed.order, answering=answering))


def _model(words: RunWords, settings: Settings, environ: Mapping[str, str], answered: int) -> Model:
    if words.replay is not None:
        from autofix.world.replay_model import ReplayModel

        try:
            lines = words.replay.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--replay: cannot read {words.replay}: {error}") from error
        try:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    read_line(line, number)
        except UsageError as error:
            raise UsageError(f"--replay {words.replay}: {error}") from None
        return ReplayModel([line for line in lines if line.strip()][answered:])
    from autofix.world.anthropic_model import AnthropicModel

    key = environ.get("ANTHROPIC_API_KEY", "")
    if not key:
        raise UsageError("ANTHROPIC_API_KEY is not set: export the model's key, or replay a transcript with --replay")
    return AnthropicModel(key, environ.get("ANTHROPIC_BASE_URL") or None, settings.model.timeout, proxy(environ))
