"""`autofix demo`: the main job on a bundled failing pull request: recorded model, local remote, real sandbox."""

import sys
import tempfile
from pathlib import Path

import click

from autofix.cli.run import View, play
from autofix.cli.words import RunWords
from autofix.demo.repository import BRANCH, CHECK, TRANSCRIPT, lay_out
from autofix.errors import SandboxUnavailable
from autofix.start import Taken
from autofix.world.process import ProcessPrograms
from autofix.world.rooms import room


@click.command(name="demo")
@click.option("--sandbox", type=click.Choice(["docker", "bubblewrap", "host"]), help="Default: the best that answers.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
def command(_taken: Taken, /, *, sandbox: str | None, output_format: str) -> int:
    """Watch a failing pull request become a verified commit. Needs no key, no account and no network."""
    directory = Path(tempfile.mkdtemp(prefix="autofix-demo-"))
    laid = lay_out(directory, ProcessPrograms())
    chosen = sandbox or best_here()
    _say(f"The pull request: {laid.checkout}, branch {BRANCH}; its remote: {laid.remote}")
    words = RunWords(
        repository=laid.checkout,
        head=BRANCH,
        checks=(CHECK,),
        replay=TRANSCRIPT,
        sandbox=chosen,
        mode="bypass-permissions" if chosen == "host" else None,
        state_directory=directory / "state",
    )
    code = play(words, Taken({}, "/"), View(output_format))
    if output_format == "text":
        _show_comment(directory)
    _say(f"Everything of this demo lies in {directory}")
    if code == 0:
        _say(f"Look at the commit: git -C {laid.remote} log -p -1 {BRANCH}")
    return code


def best_here() -> str:
    """Docker with an image that is here already, else bubblewrap, else the host: the bundled code is ours."""
    from autofix.world.docker_engine import Engine
    from autofix.world.docker_room import DEFAULT_IMAGE

    try:
        if Engine().local_image(DEFAULT_IMAGE) is not None:
            return "docker"
    except SandboxUnavailable:
        pass  # no engine: the next best
    return "bubblewrap" if room("bubblewrap").unavailable() is None else "host"


def _show_comment(directory: Path) -> None:
    for comment in (directory / "state" / "comments").iterdir():
        _say(f"\nThe comment it would post ({comment}):\n\n{comment.read_text(encoding='utf-8')}")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
