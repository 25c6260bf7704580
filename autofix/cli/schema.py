"""`autofix schema`: the published shapes of what autofix writes for other programs."""

import json

import click

from autofix.report.result_schema import SCHEMA

SCHEMAS = {"result": SCHEMA}


@click.command(name="schema")
@click.argument("what", type=click.Choice(list(SCHEMAS)))
def command(what: str) -> int:
    """Print the JSON Schema (2020-12) of a document, such as result.json."""
    click.echo(json.dumps(SCHEMAS[what], indent=2))
    return 0
