"""`autofix run`: the main job on a local branch."""

import os
import pwd
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autofix.cli.compose import compose
from autofix.cli.composing import TRANSCRIPT_FILE, Composed
from autofix.cli.detached import Begun, detached
from autofix.cli.live import LiveView
from autofix.cli.running import cancelled_by_signals, start
from autofix.cli.stream import JsonLines
from autofix.cli.tracing import traced
from autofix.cli.words import RunWords
from autofix.errors import UsageError
from autofix.pipeline.order import COMMENT_FILE, RESULT_FILE
from autofix.start import Taken
from autofix.state.recorder import Watcher

if TYPE_CHECKING:
    from autofix.report.facts import RunReport

STREAM = "stream-json"


@click.command(name="run")
@click.option("--repo", default=".", show_default=True, help="The repository; its checkout is never touched.")
@click.option(
    "--base", default="main", show_default=True, help="What the branch is compared with; policy comes from here."
)
@click.option("--head", default="HEAD", show_default=True, help="The branch whose checks fail.")
@click.option("--check", "checks", multiple=True, help='A check, such as "pytest -q"; several may be given.')
@click.option("--model", help="The model's name.")
@click.option("--replay", type=click.Path(path_type=Path), help="Answer from a recorded transcript instead of a model.")
@click.option("--record", type=click.Path(path_type=Path), help="Write the transcript there, too, for --replay.")
@click.option(
    "--sandbox", type=click.Choice(["docker", "bubblewrap", "host"]), help="Default: docker, then bubblewrap."
)
@click.option("--sandbox-image", help="The container image of the sandbox.")
@click.option(
    "--sandbox-files", type=click.Choice(["auto", "mount", "copy"]), help="How a container gets at its files."
)
@click.option("--setup-command", help="Run once, with network and without secrets, before any sandbox.")
@click.option("--delivery", type=click.Choice(["push", "patch", "dry-run"]), help="The highest rung of delivery.")
@click.option("--remote", help="The git remote to push to. Default: the branch's own, else origin.")
@click.option("--budget-usd", help="Money for model calls; 0 for no limit.")
@click.option("--max-turns", type=int, help="Model calls at most.")
@click.option("--max-minutes", type=float, help="Wall clock at most.")
@click.option(
    "--mode", type=click.Choice(["default", "accept-edits", "plan", "bypass-permissions"]), help="How calls are judged."
)
@click.option(
    "--state-dir", type=click.Path(path_type=Path), help="Where runs are kept. Default: the XDG state directory."
)
@click.option(
    "--comments", type=click.Path(path_type=Path), help="The folder for the comment. Default: in the state directory."
)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", STREAM]),
    default="text",
    show_default=True,
    help="The result for a person, as one document, or each event as a line of JSON.",
)
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@click.option("--trace", is_flag=True, help="Send spans to the OTLP collector that OTEL_EXPORTER_OTLP_ENDPOINT names.")
@click.option("--detach", is_flag=True, help="Print the run's name and leave it running; see `watch`, `cancel`.")
@click.pass_obj
def command(
    taken: Taken,
    /,
    *,
    state_dir: Path | None,
    record: Path | None,
    detach: bool,
    output_format: str,
    quiet: bool,
    **said: Any,
) -> int:
    """Fix the failing checks of a branch: verified, in a sandbox, within what the branch changes.

    Exit codes: 0 fixed or nothing to fix; 1 error; 2 usage or configuration; 10 escalated; 12 cancelled; 13 superseded.
    """
    words = _words(taken, state_dir, said)
    view = View(output_format, quiet=quiet, record=_place_of_record(taken, record))
    if detach:
        return detached(lambda begun: play(words, taken, view, begun))
    return play(words, taken, view)


def _place_of_record(taken: Taken, said: Path | None) -> Path | None:
    """Refused before anything is spent where it cannot be written."""
    if said is None:
        return None
    place = Path(os.path.normpath(Path(taken.cwd) / said))
    try:
        place.touch()
    except OSError as error:
        raise UsageError(f"--record: cannot write {place}: {error.strerror}") from error
    return place


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a run: `output_format` on stdout, and unless `quiet` its events for a person on stderr.

    `record` is where its transcript is copied to when it has ended.
    """

    output_format: str = "text"
    quiet: bool = False
    record: Path | None = None

    def watchers(self) -> list[Watcher]:
        live: list[Watcher] = [] if self.quiet else [LiveView()]
        return [*live, JsonLines(sys.stdout)] if self.output_format == STREAM else live


def play(words: RunWords, taken: Taken, view: View, begun: Begun = lambda _directory: None) -> int:
    """Compose, run, print; the exit code. `begun` is told the run's directory when nothing can be refused any more."""
    with cancelled_by_signals() as ending:
        composed = compose(words, taken, lambda _text: None)
        begun(composed.directory.path)
        with traced(composed.order, taken.environ) as tracers:
            report = start(composed, [*view.watchers(), *tracers], ending)
    _recorded(composed, view)
    printed(report, composed, view.output_format)
    return report.outcome.exit_code


def _recorded(composed: Composed, view: View) -> None:
    transcript = composed.directory.path / TRANSCRIPT_FILE
    if view.record is not None and transcript.exists():
        shutil.copyfile(transcript, view.record)


def printed(report: "RunReport", composed: Composed, output_format: str) -> None:
    """Print the result: the document, or a few lines for a person; nothing where its events were printed."""
    if output_format == STREAM:
        return
    if output_format == "json":
        sys.stdout.write((composed.directory.path / RESULT_FILE).read_text(encoding="utf-8"))
    else:
        sys.stdout.write(_summary(report, composed))


def _words(taken: Taken, state_dir: Path | None, said: dict[str, Any]) -> RunWords:
    def absolute(path: object) -> Path | None:
        return None if path is None else Path(os.path.normpath(Path(taken.cwd) / str(path)))

    repository = absolute(said.pop("repo"))
    return RunWords(
        repository=repository or Path(taken.cwd),
        replay=absolute(said.pop("replay")),
        comments=absolute(said.pop("comments")),
        state_directory=absolute(state_dir) or default_state_directory(taken),
        **said,
    )


def default_state_directory(taken: Taken) -> Path:
    home = taken.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir
    return Path(taken.environ.get("XDG_STATE_HOME") or f"{home}/.local/state") / "autofix"


def _summary(report: "RunReport", composed: Composed) -> str:
    directory = composed.directory.path
    lines = [f"{report.outcome.value}: {report.reason}"]
    if report.delivered:
        pushed = report.delivered.commit
        lines.append(
            f"commit:  {pushed} on {report.delivered.branch}" if pushed else f"apply:   {report.delivered.apply}"
        )
        lines.append(f"patch:   {report.delivered.patch_file}")
        lines += [f"fell:    {why}" for why in report.delivered.fell]
    lines.append(f"comment: {directory / COMMENT_FILE}")
    lines.append(f"result:  {directory / RESULT_FILE}")
    return "\n".join(lines) + "\n"
