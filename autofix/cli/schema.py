"""`autofix schema`: the published shapes of what autofix writes for other programs."""

import json

import click

from autofix.report import patch_schema, result_schema

SCHEMAS = {"result": result_schema.SCHEMA, "verify": patch_schema.SCHEMA}


@click.command(name="schema")
@click.argument("what", type=click.Choice(list(SCHEMAS)))
def command(what: str) -> int:
    """Print the JSON Schema (2020-12) of a document: result.json, or what `verify --json` prints."""
    click.echo(json.dumps(SCHEMAS[what], indent=2))
    return 0
