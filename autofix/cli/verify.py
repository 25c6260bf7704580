"""`autofix verify`: judges a patch that is already there, a person's or another agent's, as a run judges its own."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from autofix.cli.composing import POLICY_LIMIT, Ground, checks_of, open_room, run_id, sandbox_of, secrets_of
from autofix.cli.remembering import case_memory
from autofix.cli.run import default_state_directory
from autofix.cli.running import cancelled_by_signals
from autofix.delivery.foreign_patch import read_patch
from autofix.delivery.patch import Patch, PatchRefused
from autofix.errors import GitError, UsageError
from autofix.harness.redact import Redactor
from autofix.intake.local import local_pull_request
from autofix.intake.pull_request import PullRequest
from autofix.pipeline.verify_patch import Trial, judge_patch
from autofix.pipeline.workspace import Workspace
from autofix.report.patch_verdict import PatchReport, PatchVerdict, patch_json, patch_text
from autofix.settings import CONFIGURATION_PATH, Settings, parse_settings
from autofix.start import Taken
from autofix.state.outcome import Outcome
from autofix.world.clock import SystemClock
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from autofix.world.git_patch import apply_patch
from autofix.world.run_directory import RunDirectory

PATCH_LIMIT = 16 * 1024 * 1024
"""Bytes of a patch; what a person can look at is a thousandth of it."""
NO_BASE = "no --base: everything that fails at the head is to be fixed, and no configuration was read"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyWords:
    """The options of `autofix verify`, paths already absolute. None and () mean: not said."""

    repository: Path
    head: str
    base: str | None
    checks: tuple[str, ...]
    tests_edit: str | None
    sandbox: str | None
    sandbox_image: str | None
    setup_command: str | None
    state_directory: Path

    def overlay(self) -> dict[str, Any]:
        """Nested tables in the shape of `.github/autofix.toml`, with what was said only."""
        sandbox = {"room": self.sandbox, "image": self.sandbox_image, "setup-command": self.setup_command}
        return {
            "sandbox": {key: value for key, value in sandbox.items() if value is not None},
            "tests": {} if self.tests_edit is None else {"edit": self.tests_edit},
        }


@click.command(
    name="verify",
    epilog="Exit codes: 0 verified; 10 any other verdict; 1 error; 2 usage or configuration; 12 cancelled.",
)
@click.option("--repo", default=".", show_default=True, help="The repository; nothing of it is changed.")
@click.option("--head", default="HEAD", show_default=True, help="The commit the patch is for.")
@click.option("--base", help="What the head is compared with; policy comes from here. Default: no comparison.")
@click.option("--patch", required=True, metavar="FILE", help="The patch, as git diff writes it; - is stdin.")
@click.option("--check", "checks", multiple=True, help='A check, such as "pytest -q"; several may be given.')
@click.option(
    "--sandbox", type=click.Choice(["docker", "bubblewrap", "host"]), help="Default: docker, then bubblewrap."
)
@click.option("--sandbox-image", help="The container image of the sandbox.")
@click.option("--setup-command", help="Run once, with network and without secrets, before any sandbox.")
@click.option("--tests-edit", type=click.Choice(["deny", "ask", "allow"]), help="What is said of changed tests.")
@click.option(
    "--state-dir", type=click.Path(path_type=Path), help="Where the work is done. Default: the XDG state directory."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and nothing else, on stdout.")
@click.pass_obj
def command(taken: Taken, /, *, repo: str, patch: str, state_dir: Path | None, as_json: bool, **said: Any) -> int:
    """Judge a patch: the checks before and after it, in fresh sandboxes, with the head's own tests.

    Verdicts: verified, needs_approval, tampering, still_failing, newly_failing, invalid_patch, not_run.
    """
    cwd = Path(taken.cwd)
    words = VerifyWords(
        repository=cwd / repo,
        state_directory=cwd / state_dir if state_dir else default_state_directory(taken),
        **said,
    )
    text = _read(cwd / patch) if patch != "-" else sys.stdin.buffer.read(PATCH_LIMIT + 1)
    with cancelled_by_signals():
        report = verify(words, text, taken)
    sys.stdout.write(patch_json(report) if as_json else patch_text(report))
    return 0 if report.verdict is PatchVerdict.VERIFIED else Outcome.NO_PROGRESS.exit_code


def verify(words: VerifyWords, text: bytes, taken: Taken) -> PatchReport:
    """Judge the patch; whatever was needed for it is removed again.

    Raises:
        UsageError: an input or a configuration is wrong.
        AutofixError: a sandbox or git failed.
    """
    if not words.repository.is_dir():
        raise UsageError(f"--repo: {words.repository} is not a directory")
    with _directory(words) as directory, ExitStack() as stack:
        git = GitCli(words.repository, directory.path / "repo.git")
        stack.callback(git.close)
        pull_request = _commits(git, words)
        content = git.read(pull_request.base, CONFIGURATION_PATH, POLICY_LIMIT) if words.base else None
        settings = parse_settings(content, words.overlay())
        ground = Ground(
            git=git,
            directory=directory,
            pull_request=pull_request,
            settings=settings,
            redactor=Redactor(secrets_of(taken.environ)),
            checks=words.checks,
            hidden=(words.repository, words.state_directory),
        )
        return _judged(ground, words, git, text, stack)


def _judged(ground: Ground, words: VerifyWords, git: GitCli, text: bytes, stack: ExitStack) -> PatchReport:
    settings, pull_request = ground.settings, ground.pull_request
    checks, room = checks_of(ground), open_room(settings)
    report = PatchReport(
        head=pull_request.head,
        base=pull_request.merge_base if words.base else None,
        sandbox=room.name,
        checks=checks,
        patch=_patch(git, pull_request.head, text),
        notes=() if words.base else (NO_BASE,),
    )
    if isinstance(report.patch, PatchRefused):
        return report
    trees = DiskTrees(git, ground.directory.path / "trees", pull_request)
    stack.callback(trees.drop_all)
    spec = sandbox_of(ground)
    workspace = Workspace(trees, room, spec, _seconds_left(settings))
    stack.callback(workspace.settle)
    trial = Trial(
        git=git,
        workspace=workspace,
        head=pull_request.head,
        merge_base=report.base,
        checks=checks,
        tests_edit=settings.tests.edit,
        reruns=settings.flaky.reruns,
        cases=case_memory(ground.directory, git, pull_request, room, spec),
        renamed=pull_request.renamed,
    )
    judged = judge_patch(trial, report.patch)
    return replace(report, baseline=judged.baseline, verified=judged.verified)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(PATCH_LIMIT + 1)
    except OSError as error:
        raise UsageError(f"--patch: cannot read {path}: {error.strerror}") from error


def _patch(git: GitCli, head: str, text: bytes) -> Patch | PatchRefused:
    if len(text) > PATCH_LIMIT:
        return PatchRefused(f"the patch is larger than {PATCH_LIMIT} bytes")
    return read_patch(git, lambda commit, patch: apply_patch(git, commit, patch), head, text)


def _commits(git: GitCli, words: VerifyWords) -> PullRequest:
    """Head and base; without a base the head stands for itself."""
    if words.base:
        return local_pull_request(git, words.base, words.head)
    try:
        head = git.resolve(words.head)
    except GitError as error:
        raise UsageError(f"--head: {error}") from error
    branch = git.branch_of(words.head)
    return PullRequest(base=head, head=head, merge_base=head, base_branch=words.head, branch=branch, changes=())


def _seconds_left(settings: Settings) -> Callable[[], float]:
    deadline = time.monotonic() + settings.limits.minutes * 60
    return lambda: deadline - time.monotonic()


@contextmanager
def _directory(words: VerifyWords) -> Iterator[RunDirectory]:
    directory = RunDirectory.create(words.state_directory, f"verify-{run_id(SystemClock().now())}")
    try:
        yield directory
    finally:
        directory.remove()
