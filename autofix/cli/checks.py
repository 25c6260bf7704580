"""`autofix checks`: which checks a run would take of a commit, and why; nothing is run."""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from autofix.checks.detect import Detected
from autofix.cli.check_choice import FILE_LIMIT, Choice, Project, choose_checks
from autofix.errors import GitError, UsageError
from autofix.harness.fence import as_on_screen, revealed
from autofix.intake.local import local_pull_request
from autofix.ports.model import JsonValue
from autofix.report.escape import for_log
from autofix.settings import CONFIGURATION_PATH, parse_settings
from autofix.start import Taken
from autofix.world.git_cli import GitCli


@click.command(name="checks", epilog="Exit codes: 0 some check would run; 10 none was recognised; 2 usage.")
@click.option("--repo", default=".", show_default=True, help="The repository; nothing of it is changed.")
@click.option("--head", default="HEAD", show_default=True, help="The commit whose files are looked at.")
@click.option("--base", help="What the head is compared with; configuration comes from here.")
@click.option("--check", "checks", multiple=True, help="A check as a run would be given it; several may be given.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def command(taken: Taken, /, *, repo: str, head: str, base: str | None, checks: tuple[str, ...], as_json: bool) -> int:
    """Say which checks a run would take, how it would read them, and why."""
    repository = Path(os.path.normpath(Path(taken.cwd) / repo))
    if not repository.is_dir():
        raise UsageError(f"--repo: {repository} is not a directory")
    choice = choice_for(repository, head, base, checks)
    sys.stdout.write(json.dumps(_told(choice), indent=2) + "\n" if as_json else _text(choice))
    return 0 if choice.taken else 10


def choice_for(repository: Path, head: str, base: str | None, said: tuple[str, ...]) -> Choice:
    """What a run on `head` against `base` would choose; without a base no configuration is read."""
    with TemporaryDirectory(prefix="autofix-checks-") as scratch:
        git = GitCli(repository, Path(scratch) / "repo.git")
        try:
            if base is None:
                return choose_checks(said, (), Project(git, _resolved(git, head)))
            pull_request = local_pull_request(git, base, head)
            content = git.read(pull_request.base, CONFIGURATION_PATH, FILE_LIMIT)
            project = Project(git, pull_request.head, touched=pull_request.touched)
            return choose_checks(said, parse_settings(content, {}).checks, project)
        finally:
            git.close()


def _resolved(git: GitCli, head: str) -> str:
    try:
        return git.resolve(head)
    except GitError as error:
        raise UsageError(f"--head: {error}") from error


def _told(choice: Choice) -> JsonValue:
    return {
        "checks": [_one(found) for found in choice.taken],
        "also_recognised": [_one(found) for found in choice.others],
    }


def _one(found: Detected) -> JsonValue:
    check = found.check
    return {
        "name": check.name,
        "command": check.command,
        "runner": check.runner,
        "directory": check.directory,
        "why": found.why,
    }


def _text(choice: Choice) -> str:
    if not choice.taken:
        return "no check was recognised: name one with --check, or under [[checks]] in the configuration\n"
    lines = [_line("runs", found) for found in choice.taken]
    lines += [_line("would not run by itself", found) for found in choice.others]
    return "".join(f"{for_log(' '.join(revealed(as_on_screen(line)).split()))}\n" for line in lines)


def _line(what: str, found: Detected) -> str:
    check = found.check
    place = "" if check.directory == "." else f" in {check.directory}"
    return f"{what}: {check.command}{place} (read as {check.runner}): {found.why}"
