"""`conductd leases`: which files are left alone, until when, by whom."""

from __future__ import annotations

import time

import click

from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@common
def command(options: Options) -> None:
    """Files that are left alone for a while, until when, and who asked for it."""
    with options.client() as client:
        views = client.leases()
    if options.json:
        output.as_json(views)
        return
    from conductd.cli import people

    if not views:
        output.say("no file is left alone")
    output.lines(people.leases(views, time.time_ns()))
