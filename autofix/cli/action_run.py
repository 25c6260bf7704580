"""An admitted run in Actions, from its site to its report: the doors of GitHub and the model around the pipeline."""

import contextlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal

from autofix.cli.admitted import Site, github_of, hidden_places
from autofix.cli.composing import Composed, Doors, Ground, open_room, proxy, put_together
from autofix.cli.job import Job
from autofix.cli.progress_comment import ProgressComment
from autofix.cli.running import start
from autofix.delivery.follow import ChecksState, Followed, follow
from autofix.delivery.rungs import PullDoors
from autofix.errors import AutofixError
from autofix.harness.redact import Redactor
from autofix.intake.ledger import RunRecord, spent_trailer
from autofix.intake.preflight import Limit
from autofix.pipeline.order import COMMENT_FILE
from autofix.ports.model import Model
from autofix.report.escape import inline_code
from autofix.report.facts import RunReport
from autofix.state.events import Kind
from autofix.state.journal import Event
from autofix.state.recorder import Watcher
from autofix.world.anthropic_model import AnthropicModel
from autofix.world.github_forge import GitHubForge

ARTIFACT = "autofix"
"""The name under which the example workflows keep the run's files."""


@dataclass(slots=True)
class CommentSeen:
    """A watcher: where the last comment is."""

    url: str = ""

    def __call__(self, event: Event) -> None:
        if event.kind is Kind.COMMENTED:
            self.url = str(event.data["location"])


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that has ended, and where its comment is."""

    report: RunReport
    comment: str


def run_site(
    site: Site, environ: Mapping[str, str], redactor: Redactor, view: Watcher, ending: Callable[[], None]
) -> Finished:
    """Run to the end.

    Raises:
        UsageError: the configuration of the base is wrong, or no sandbox can be had; nothing was spent.
    """
    forge = forge_of(site)
    composed = _composed(site, environ, redactor, forge)
    quick = github_of(site.entrance.inputs, site.entrance.job, site.entrance.clock)
    seen = CommentSeen()
    with ExitStack() as stack:
        watchers: list[Watcher] = [view, seen]
        last = ending
        if composed.order.delivery != "dry-run":
            beside = GitHubForge(
                quick, site.remote, site.run.pull, accounts=site.run.accounts, no_push="a progress note pushes nothing"
            )
            beside.ledger = forge.ledger
            progress = stack.enter_context(ProgressComment(beside, site.entrance.job.page))
            watchers.append(progress)

            def last() -> None:
                ending()
                progress.close()

        report = start(composed, watchers, last)
    _follow(site, forge, report)
    return Finished(report, seen.url)


def _follow(site: Site, forge: GitHubForge, report: RunReport) -> None:
    """Wait for the pushed commit's checks, where that was asked for and CI can start, and tell how they ended."""
    entrance, done = site.entrance, report.delivered
    seconds = entrance.inputs.follow_minutes * 60
    silent = any(finding.limit is Limit.CI_AFTER_PUSH for finding in site.run.findings)
    if done is None or not done.commit or silent or not seconds:
        return
    with contextlib.suppress(AutofixError, OSError):  # the fix is there; this only says more about it
        followed = follow(entrance.github, entrance.clock, done.commit, seconds)
        body = (site.directory.path / COMMENT_FILE).read_text(encoding="utf-8")
        forge.comment(f"{body}\n**Checks of {done.commit[:12]}:** {told(followed)}\n")


_ENDS = {
    ChecksState.PASSED: "passed",
    ChecksState.FAILED: "failed",
    ChecksState.RUNNING: "still running when autofix stopped waiting",
    ChecksState.NONE: "none was started",
}


def told(followed: Followed) -> str:
    """How the checks ended, in a line; what to do where they failed."""
    counts = f" ({followed.ended} of {followed.total} ended)" if followed.total else ""
    if followed.state is not ChecksState.FAILED:
        return f"{_ENDS[followed.state]}{counts}."
    names = ", ".join(inline_code(name) for name in followed.failing[:10])
    return f"failed{counts}: {names}. `/autofix revert` takes the commit back."


def forge_of(site: Site) -> GitHubForge:
    """The run counts from its first comment on, whatever becomes of it."""
    run = site.run
    forge = GitHubForge(
        site.entrance.github, site.remote, run.pull, accounts=run.accounts, no_push=site.no_push, ledger=run.ledger
    )
    account(site, forge, Decimal(0))
    return forge


def account(site: Site, forge: GitHubForge, usd: Decimal) -> str:
    """Enter what the run has cost so far; what its commit says of the pull request's whole life."""
    record = RunRecord(site.directory.path.name, site.pull_request.head, site.entrance.clock.now(), usd)
    forge.ledger = site.run.ledger.with_run(record)
    return spent_trailer(forge.ledger)


def _composed(site: Site, environ: Mapping[str, str], redactor: Redactor, forge: GitHubForge) -> Composed:
    inputs, run = site.entrance.inputs, site.run
    ground = Ground(
        git=site.git,
        directory=site.directory,
        pull_request=site.pull_request,
        settings=site.settings,
        redactor=redactor,
        checks=inputs.checks,
        place=inputs.working_directory,
        hidden=hidden_places(environ, site.entrance.job),
        check_word="the input 'check'",
        findings=site.findings,
    )
    doors = Doors(
        model=_model(site, environ),
        forge=forge,
        room=lambda: open_room(site.settings, "sandbox:"),
        clock=site.entrance.clock,
    )
    composed = put_together(ground, doors)
    world = replace(
        composed.world,
        pull=pull_doors(site),
        refetch=lambda: site.remote.fetch_pull(run.pull.number, run.pull.base_branch)[0],
        account=lambda usd: account(site, forge, usd),
    )
    order = replace(composed.order, apply=apply_command(site.entrance.job), page=site.entrance.job.page)
    if inputs.stage == "fix":
        order = replace(order, delivery="dry-run")  # this job may write nowhere: what it found goes into the bundle
    return replace(composed, world=world, order=order)


def pull_doors(site: Site) -> PullDoors:
    """The pull request on GitHub, as the configuration wants commits made on it."""
    return PullDoors(site.entrance.github, site.remote, site.run.pull, by_api=site.settings.commits == "api")


def apply_command(job: Job) -> str:
    """One line that gets the run's `{file}` from where the example workflows keep it, and applies it."""
    if job.run_id is None:
        return ""
    download = f"gh run download {job.run_id} -R {job.repository} -n {ARTIFACT} -D {ARTIFACT}"
    return f"{download} && git apply {ARTIFACT}/{{file}}"


def _model(site: Site, environ: Mapping[str, str]) -> Model:
    inputs = site.entrance.inputs
    timeout = site.settings.model.timeout
    return AnthropicModel(inputs.anthropic_api_key, inputs.anthropic_base_url or None, timeout, proxy(environ))
