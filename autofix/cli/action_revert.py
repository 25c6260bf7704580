"""`/autofix revert` on a pull request: its last commit of ours taken back, for people with write access."""

from autofix.cli.action_end import End
from autofix.cli.admitted import STATE, Entrance, refusal, trigger_of
from autofix.cli.composing import run_id
from autofix.delivery.revert import NothingToRevert, revert
from autofix.errors import CannotPush
from autofix.intake.admission import STARTING_VERBS
from autofix.intake.commands import Verb
from autofix.intake.find_pull import find_pull
from autofix.intake.own_marks import WORKFLOW_ACCOUNT
from autofix.intake.trigger import Commanded, Skipped, Trigger
from autofix.ports.github import Pull
from autofix.state.outcome import Outcome
from autofix.world.git_cli import GitCli
from autofix.world.git_source import Source
from autofix.world.github_forge import GitHubForge
from autofix.world.github_git import GitRemote
from autofix.world.run_directory import RunDirectory


def reverted(entrance: Entrance) -> End | None:
    """Do what the comment asks; None where it asks for no revert.

    Raises:
        ForgeError, GitError: GitHub cannot be asked what must be known.
    """
    trigger = trigger_of(entrance)
    if isinstance(trigger, Skipped) or not _asks(trigger):
        return None
    pull = find_pull(entrance.github, trigger)
    if isinstance(pull, Skipped):
        return End.of(Outcome.SKIPPED, pull.reason)
    if reason := _refusal(entrance, trigger, pull):
        return End.of(Outcome.SKIPPED, reason)
    directory = RunDirectory.create(entrance.job.temp / STATE, run_id(entrance.clock.now()))
    try:
        return _taken_back(entrance, pull, directory)
    finally:
        directory.remove()


def _asks(trigger: Trigger) -> bool:
    if not isinstance(trigger.cause, Commanded):
        return False
    verbs = {command.verb for command in trigger.cause.reading.commands}
    return Verb.REVERT in verbs and not verbs & STARTING_VERBS


def _refusal(entrance: Entrance, trigger: Trigger, pull: Pull) -> str:
    if reason := refusal(entrance.github, trigger):
        return reason
    if pull.from_fork:
        return "the pull request comes from a fork, and nothing is pushed to forks"
    if pull.head_branch == entrance.github.repository().default_branch:
        return f"the head branch, {pull.head_branch}, is the default branch"
    return ""


def _taken_back(entrance: Entrance, pull: Pull, directory: RunDirectory) -> End:
    git = GitCli(Source.empty(directory.path / "repo.git" / "empty").common, directory.path / "repo.git")
    remote = GitRemote(git.process, entrance.job.clone_url, entrance.inputs.token)
    head, _ = remote.fetch_pull(pull.number, pull.base_branch)
    commit = revert(git, entrance.github.commits(pull.number), head, directory.path.name)
    if isinstance(commit, NothingToRevert):
        return End.of(Outcome.SKIPPED, commit.reason)
    try:
        GitHubForge(entrance.github, remote, pull, accounts=(WORKFLOW_ACCOUNT,)).push(commit, head)
    except CannotPush as error:
        return End.of(Outcome.SUPERSEDED if error.moved else Outcome.ERROR, str(error))
    told = {"pushed": "true", "delivery": "push", "commit": commit}
    return End.of(Outcome.NOTHING_TO_FIX, "took the last commit of autofix back, as asked", told)
