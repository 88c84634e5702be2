"""`conductd explain INCIDENT`: what was seen and which rule decided."""

from __future__ import annotations

import time

import click

from conductd.cli import output
from conductd.cli.options import Number, Options, common


@click.command()
@click.argument("incident", type=Number(min=0))
@common
def command(options: Options, incident: int) -> None:
    """What was seen, which rule decided, what was lost, and what you can do."""
    with options.client() as client:
        view = client.explain(incident)
        pending = [] if options.json else client.pending()
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.explain(view, time.time_ns(), pending))
