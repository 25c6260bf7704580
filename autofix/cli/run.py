"""`autofix run`: the main job on a local branch."""

import os
import pwd
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autofix.cli.compose import compose
from autofix.cli.composing import Composed
from autofix.cli.live import LiveView
from autofix.cli.running import cancelled_by_signals, start
from autofix.cli.words import RunWords
from autofix.pipeline.order import COMMENT_FILE, RESULT_FILE
from autofix.start import Taken

if TYPE_CHECKING:
    from autofix.report.facts import RunReport


@click.command(name="run")
@click.option("--repo", default=".", show_default=True, help="The repository; its checkout is never touched.")
@click.option(
    "--base", default="main", show_default=True, help="What the branch is compared with; policy comes from here."
)
@click.option("--head", default="HEAD", show_default=True, help="The branch whose checks fail.")
@click.option("--check", "checks", multiple=True, help='A check, such as "pytest -q"; several may be given.')
@click.option("--model", help="The model's name.")
@click.option("--replay", type=click.Path(path_type=Path), help="Answer from a recorded transcript instead of a model.")
@click.option(
    "--sandbox", type=click.Choice(["docker", "bubblewrap", "host"]), help="Default: docker, then bubblewrap."
)
@click.option("--sandbox-image", help="The container image of the sandbox.")
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
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(taken: Taken, /, *, state_dir: Path | None, output_format: str, **said: Any) -> int:
    """Fix the failing checks of a branch: verified, in a sandbox, within what the branch changes.

    Exit codes: 0 fixed or nothing to fix; 1 error; 2 usage or configuration; 10 escalated; 12 cancelled; 13 superseded.
    """
    words = _words(taken, state_dir, said)
    return play(words, taken, output_format)


def play(words: RunWords, taken: Taken, output_format: str) -> int:
    """Compose, run, print; the exit code."""
    with cancelled_by_signals() as ending:
        composed = compose(words, taken, lambda _text: None)
        report = start(composed, [LiveView()], ending)
    printed(report, composed, output_format)
    return report.outcome.exit_code


def printed(report: "RunReport", composed: Composed, output_format: str) -> None:
    """Print the result: the document, or a few lines for a person."""
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
