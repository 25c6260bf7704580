"""The group of commands. Each lives in a module of its own, imported only when it is called."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from autofix import __version__
from autofix.errors import AutofixError, Cancelled, UsageError
from autofix.start import Taken
from autofix.state.outcome import Outcome

COMMANDS = {
    "run": "Fix the failing checks of a branch.",
    "action": "Fix the pull request of a workflow's event: what the container action runs.",
    "demo": "Watch the main job on a bundled failing pull request; no key, no account.",
    "resume": "Go on with a run whose process is gone.",
    "approve": "Allow what a waiting run asks, and go on with it.",
    "deny": "Refuse what a waiting run asks, and go on with it.",
    "list": "List the runs of this machine.",
    "status": "Say where a run is.",
    "watch": "Show a run that another process plays, until it ends.",
    "cancel": "End a run that another process plays.",
    "result": "Print how a run ended.",
    "clean": "Drop what dead runs left, and old runs.",
    "schema": "Print the schema of result.json.",
    "replay": "Play a run again from its record, and say where it would differ.",
    "verify": "Judge a patch, whoever wrote it, as a run judges its own.",
    "checks": "Say which checks a run would take of a commit, and why.",
    "gate": "Ask the permission gate about a command.",
}
USAGE_EXIT = 2


class LazyGroup(click.Group):
    """Knows its commands by name; imports a command's module when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"autofix.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"autofix.cli.{cmd_name} has no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="autofix %(version)s")
def group() -> None:
    """A failing check becomes a verified commit, or a comment from which a person can take over."""


def run(taken: Taken, arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Expected errors are one line on stderr."""
    try:
        code = group.main(list(arguments), prog_name="autofix", standalone_mode=False, obj=taken)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = USAGE_EXIT
    except click.exceptions.Abort:
        code = Outcome.CANCELLED.exit_code
    except Cancelled as error:
        return _refused(f"{error} before the run began", Outcome.CANCELLED.exit_code)
    except click.ClickException as error:
        return _refused(error.format_message(), USAGE_EXIT)
    except UsageError as error:
        return _refused(str(error), USAGE_EXIT)
    except AutofixError as error:
        return _refused(str(error), Outcome.ERROR.exit_code)
    _let_go(sys.stdout, sys.stderr)
    return code if isinstance(code, int) else 0


def _let_go(*streams: TextIO) -> None:
    """Flush what was printed; where nobody reads any more, the interpreter's last flush must not change the code."""
    for stream in streams:
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), stream.fileno())


def _refused(message: str, code: int) -> int:
    sys.stderr.write(f"autofix: {' '.join(message.split())}\n")
    return code
