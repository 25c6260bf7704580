"""`autofix schema`: the published shapes of what autofix writes for other programs."""

import json

import click

from autofix.report.result_schema import SCHEMA


@click.command(name="schema")
@click.argument("what", type=click.Choice(["result"]))
def command(what: str) -> int:  # noqa: ARG001 - the one choice there is
    """Print the JSON Schema (2020-12) of result.json."""
    click.echo(json.dumps(SCHEMA, indent=2))
    return 0
