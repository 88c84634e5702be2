"""`conductd requests`: what agents and other programs asked for and may not decide."""

from __future__ import annotations

import time

import click

from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@common
def command(options: Options) -> None:
    """What was asked for by an agent, or without a terminal, and waits for a person."""
    with options.client() as client:
        views = client.requests()
    if options.json:
        output.as_json(views)
        return
    from conductd.cli import people

    if not views:
        output.say("nothing waits for you")
    output.lines(people.requests(views, time.time_ns()))
