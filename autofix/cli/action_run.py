"""An admitted run in Actions, from its site to its report: the doors of GitHub and the model around the pipeline."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Thread

from autofix.checks.ci_evidence import CiEvidence
from autofix.cli.admitted import Site, github_of, hidden_places, private_refs
from autofix.cli.composing import TRANSCRIPT_FILE, Composed, Doors, Ground, open_room, proxy, put_together
from autofix.cli.job import Job
from autofix.cli.parking import WORDS_FILE, ActionWords, Parking, said_inputs
from autofix.cli.progress_comment import ProgressComment
from autofix.cli.running import resume, start
from autofix.cli.tracing import traced
from autofix.delivery.follow import ChecksState, Followed, follow
from autofix.delivery.rungs import PullDoors
from autofix.errors import AutofixError, ForgeError
from autofix.harness.redact import Redactor
from autofix.intake.ledger import RunRecord, spent_trailer
from autofix.intake.preflight import Limit
from autofix.pipeline.order import COMMENT_FILE
from autofix.ports.model import Model
from autofix.report.escape import inline_code
from autofix.report.facts import RunReport
from autofix.state.events import Kind
from autofix.state.journal import Event, Journal
from autofix.state.recorder import Watcher
from autofix.world.anthropic_model import AnthropicModel
from autofix.world.github_forge import GitHubForge
from autofix.world.parked_runs import ParkedRuns
from autofix.world.private_refs import PrivateRefs
from autofix.world.replay_model import ResumedModel
from autofix.world.taught_notes import TaughtNotes

EVIDENCE_SECONDS = 60.0
"""How long a run waits, after its baseline, for what CI showed."""
SMALLEST_USD = Decimal("0.000001")
"""Zero would be no limit."""
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
    forge, parking = forge_of(site), _parking(site, redactor)
    try:
        composed = _taught(site, _composed(site, environ, redactor, forge), parking.runs.refs)
        composed = _asking(site, composed, environ, parking)
        with traced(composed.order, environ) as tracers:
            finished = _played_and_told(site, composed, forge, [view, *tracers], ending)
        parking.leave(finished.report, site.settings.state.ttl_days)
    except BaseException:
        parking.give_back()
        raise
    finally:
        parking.runs.refs.close()
    _follow(site, forge, finished.report)
    return finished


def _played_and_told(
    site: Site, composed: Composed, forge: GitHubForge, readers: Sequence[Watcher], ending: Callable[[], None]
) -> Finished:
    """Play it, and tell of it in the one comment as it goes on."""
    seen, last = CommentSeen(), ending
    watchers: list[Watcher] = [*readers, seen]
    with ExitStack() as stack:
        if composed.order.delivery != "dry-run":
            progress = stack.enter_context(_progress(site, forge))
            watchers.append(progress)

            def last() -> None:
                ending()
                progress.close()

        return Finished(_played(site, composed, watchers, last), seen.url)


def _progress(site: Site, forge: GitHubForge) -> ProgressComment:
    """Written over a connection of its own."""
    github = github_of(site.entrance.inputs, site.entrance.job, site.entrance.clock)
    no_push = "a progress note pushes nothing"
    beside = GitHubForge(github, site.remote, site.run.pull, accounts=site.run.accounts, no_push=no_push)
    beside.ledger = forge.ledger
    return ProgressComment(beside, site.entrance.job.page)


def _played(site: Site, composed: Composed, watchers: Sequence[Watcher], ending: Callable[[], None]) -> RunReport:
    """From the beginning, or from where another job left it."""
    if site.going_on is None:
        return start(composed, watchers, ending)
    journal, past = Journal.reopen(site.directory.journal, site.entrance.clock)
    try:
        return resume(composed, journal, past, watchers, ending)
    finally:
        journal.close()


def _parking(site: Site, redactor: Redactor) -> Parking:
    if site.going_on:
        return site.going_on.parking
    secret = site.entrance.inputs.anthropic_api_key
    return Parking(
        runs=ParkedRuns(private_refs(site.entrance)), directory=site.directory, secret=secret, redactor=redactor
    )


def _taught(site: Site, composed: Composed, refs: PrivateRefs) -> Composed:
    """With what people taught; a run that goes on knows what it knew. Where it cannot be read, there is none."""
    if site.going_on:
        return replace(composed, order=replace(composed.order, taught=site.going_on.words.taught))
    with contextlib.suppress(ForgeError):
        taught = tuple(note.text for note in TaughtNotes(refs).all())
        return replace(composed, order=replace(composed.order, taught=taught))
    return composed


def _asking(site: Site, composed: Composed, environ: Mapping[str, str], parking: Parking) -> Composed:
    """Let the run ask people, and keep it where their answer finds it; one that may write nowhere asks nothing."""
    order, world = composed.order, composed.world
    if order.delivery == "dry-run":
        return replace(composed, order=replace(order, gate=replace(order.gate, questions=None)))
    parking.asks = True
    pull = site.pull_request
    words = ActionWords(
        repository=site.entrance.job.repository,
        pull=site.run.pull.number,
        head=pull.head,
        base=pull.base,
        base_branch=pull.base_branch,
        title=pull.title,
        findings=site.findings,
        taught=order.taught,
        inputs=site.going_on.words.inputs if site.going_on else said_inputs(environ),
    )
    site.directory.keep(WORDS_FILE, words.to_json())
    answers = site.going_on.answers if site.going_on else {}
    return replace(
        composed,
        order=replace(order, answering="/autofix {word} {id}"),
        world=replace(world, answers=answers, park=parking.park),
    )


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
    id_ = site.directory.path.name
    account(site, forge, next((one.usd for one in run.ledger.recent if one.id == id_), Decimal(0)))
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
    answered = site.directory.mend(TRANSCRIPT_FILE)
    doors = Doors(
        model=_model(site, environ),
        forge=forge,
        room=lambda: open_room(site.settings, "sandbox:"),
        clock=site.entrance.clock,
    )
    composed = put_together(ground, doors)
    world = replace(
        composed.world,
        model=ResumedModel(answered, composed.world.model) if answered else composed.world.model,
        pull=pull_doors(site),
        refetch=lambda: site.remote.fetch_pull(run.pull.number, run.pull.base_branch)[0],
        account=lambda usd: account(site, forge, usd),
        evidence=_evidence(site),
    )
    order = replace(
        composed.order,
        apply=apply_command(site.entrance.job),
        page=site.entrance.job.page,
        lifetime_usd=_left_of_life(site),
    )
    if inputs.stage == "fix":
        order = replace(order, delivery="dry-run")  # this job may write nowhere: what it found goes into the bundle
    return replace(composed, world=world, order=order)


def _left_of_life(site: Site) -> Decimal | None:
    """Money the pull request may still cost, this run included; None for no limit."""
    most = site.settings.admission.usd_per_pull
    if not most:
        return None
    own = next((one.usd for one in site.run.ledger.recent if one.id == site.directory.path.name), Decimal(0))
    return max(SMALLEST_USD, most - site.run.ledger.usd + own)


def _evidence(site: Site) -> Callable[[], CiEvidence | None]:
    """Reads what CI showed while the checks run here, over a connection of its own; a run that goes on knows it."""
    if site.going_on:
        return lambda: None
    trigger, head = site.run.trigger, site.pull_request.head
    found: list[CiEvidence] = []

    def read() -> None:
        from autofix.checks.ci_reading import ci_evidence

        github = github_of(site.entrance.inputs, site.entrance.job, site.entrance.clock)
        try:
            found.append(ci_evidence(github, trigger.cause, head))
        except Exception as error:  # noqa: BLE001 - a hint that cannot be had is no reason to end
            found.append(CiEvidence(notes=(f"what CI showed could not be read: {type(error).__name__}",)))

    thread = Thread(target=read, daemon=True)
    thread.start()

    def wait() -> CiEvidence | None:
        thread.join(EVIDENCE_SECONDS)
        late = CiEvidence(notes=(f"what CI showed could not be read within {EVIDENCE_SECONDS:.0f} s",))
        return found[0] if found else late

    return wait


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
