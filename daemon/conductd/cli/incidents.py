"""`conductd incidents`: what a person may care about."""

from __future__ import annotations

import time

import click

from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@click.option("--all", "every", is_flag=True, help="Also those that are over.")
@common
def command(options: Options, every: bool) -> None:
    """What was lost, put back or proposed, and is still open."""
    with options.client() as client:
        found = client.incidents(None if every else "open")
        pending = [] if options.json else client.pending()
    if options.json:
        output.as_json(found)
        return
    from conductd.cli import render

    if found:
        output.lines(render.incidents(found, time.time_ns()))
        output.say("\nwhy: conductd explain ID")
    else:
        output.say("no incidents" if every else "no open incidents (those that are over: conductd incidents --all)")
    for line in render.waiting(pending):
        output.say(line)
