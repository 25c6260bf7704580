"""`autofix action`: the entry of the container action, from the runner's environment to outputs that say how it ended.

Secrets are masked before anything else is printed, and the outputs hold "error" until something better is known, so
that no end, however early, looks like a success.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autofix.cli.action_end import End, give_to_runner, host_place, publish
from autofix.cli.action_log import ActionLog
from autofix.cli.inputs import OUTPUTS, read_inputs
from autofix.cli.job import Job
from autofix.cli.running import cancelled_by_signals
from autofix.errors import AutofixError, Cancelled, UsageError
from autofix.harness.redact import Redactor
from autofix.intake.trigger import Skipped
from autofix.ports.clock import Clock
from autofix.report.workflow_commands import mask
from autofix.start import Taken
from autofix.state.outcome import Outcome
from autofix.world.clock import SystemClock
from autofix.world.own_container import can_be_shared
from autofix.world.runner_files import RunnerFiles

if TYPE_CHECKING:
    from autofix.cli.admitted import Site


@click.command(name="action")
@click.pass_obj
def command(taken: Taken, /) -> int:
    """Fix the pull request of a workflow's event. Takes everything from the runner's environment.

    Exit codes: 0 also for an escalation or a skip, unless `fail-on-escalation`; 1 error; 2 configuration; 12 cancelled.
    """
    return act(taken.environ, ActionLog())


def act(environ: Mapping[str, str], log: ActionLog, clock: Clock | None = None) -> int:
    """The whole action; the step's exit code. `clock` is the machine's where none is given."""
    from autofix.cli.composing import secrets_of

    secrets = secrets_of(environ)
    for secret in secrets.values():
        for line in mask(secret):
            log.line(line)
    files, redactor = RunnerFiles.of(environ), Redactor(secrets)
    strict = environ.get("INPUT_FAIL-ON-ESCALATION", "").strip().lower() == "true"
    with cancelled_by_signals() as ending:
        end = _end(environ, files, redactor, log, ending, clock=clock or SystemClock())
        ending()
        return publish(end, files, log, redactor, fail_on_escalation=strict)


def _end(
    environ: Mapping[str, str],
    files: RunnerFiles,
    redactor: Redactor,
    log: ActionLog,
    ending: Callable[[], None],
    *,
    clock: Clock,
) -> End:
    """However it ends, that is a value."""
    try:
        files.set_outputs(OUTPUTS)
        return _play(environ, redactor, log, ending, clock=clock)
    except Cancelled as error:
        return End.of(Outcome.CANCELLED, f"{error} before the run began")
    except UsageError as error:
        return End.of_usage(str(error))
    except (AutofixError, OSError) as error:
        return End.of(Outcome.ERROR, str(error))
    except Exception as error:  # noqa: BLE001 - whatever it was, the outputs must say that it was an error (I7)
        return End.of(Outcome.ERROR, f"unexpected {type(error).__name__}: {error}")


def _play(
    environ: Mapping[str, str], redactor: Redactor, log: ActionLog, ending: Callable[[], None], *, clock: Clock
) -> End:
    from autofix.cli.action_answer import answer
    from autofix.cli.action_aside import answer_aside
    from autofix.cli.action_bundle import Deliverer, read_bundle
    from autofix.cli.action_go_on import going_on
    from autofix.cli.action_revert import reverted
    from autofix.cli.admitted import Entrance, enter, github_of

    inputs, job = read_inputs(environ), _within_reach(Job.of(environ), environ)
    bundle = None
    if inputs.stage == "deliver":
        place = Path(environ.get("GITHUB_WORKSPACE") or "/") / inputs.bundle
        bundle = read_bundle(place, inputs.bundle_hash)
    github = github_of(inputs, job, clock)
    entrance = Entrance(inputs=inputs, job=job, github=github, clock=clock, needs_key=bundle is None)
    if told := answer_aside(entrance, redactor):
        return End.of(Outcome.SKIPPED, told.reason)
    if end := reverted(entrance):
        return end
    site = going_on(entrance, environ, redactor) or enter(entrance)
    if isinstance(site, Skipped):
        answer(entrance, site)
        return End.of(Outcome.SUPERSEDED if site.superseded else Outcome.SKIPPED, site.reason)
    try:
        end = (
            _run(site, environ, redactor, log, ending)
            if bundle is None
            else Deliverer(site, bundle, redactor).deliver()
        )
    except BaseException:
        site.directory.remove()
        raise
    site.directory.remove_work()
    give_to_runner(site.directory.path, job.temp)
    return end


def _within_reach(job: Job, environ: Mapping[str, str]) -> Job:
    """A runner that does not mount its temporary directory (act) gets the state into the workspace, ignored by git."""
    workspace = Path(environ.get("GITHUB_WORKSPACE") or "/")
    if can_be_shared(job.temp) or not can_be_shared(workspace):
        return job
    place = workspace / ".autofix"
    place.mkdir(exist_ok=True)
    (place / ".gitignore").write_text("*\n", encoding="ascii")
    return replace(job, temp=place)


def _run(
    site: "Site", environ: Mapping[str, str], redactor: Redactor, log: ActionLog, ending: Callable[[], None]
) -> End:
    from autofix.cli.action_bundle import write_bundle
    from autofix.cli.action_run import run_site

    finished = run_site(site, environ, redactor, log, ending)
    end = End.of_run(finished.report, finished.comment)
    if site.going_on and any(answer.ends for answer in site.going_on.answers.values()):
        return replace(end, exit_code=0)  # it ended because it was told to
    if site.entrance.inputs.stage != "fix":
        return end
    place, sha256 = write_bundle(site, finished.report)
    return replace(end, more={"bundle": host_place(place), "bundle-hash": sha256})
