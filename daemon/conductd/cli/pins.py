"""`conductd pins [DIR]`: which entries are pinned, and whether they are there."""

from __future__ import annotations

import os

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common


@click.command()
@click.argument("directory", required=False, metavar="[DIR]")
@common
def command(options: Options, directory: str | None) -> None:
    """Pinned entries by file and line: held, or missing from where they stood."""
    with options.client() as client:
        views = client.pins(os.fsdecode(files.path(directory)) if directory else None)
    if options.json:
        output.as_json(views)
        return
    from conductd.cli import people

    if not views:
        output.say("nothing is pinned: conductd pin FILE:LINE")
    output.lines(people.pins(views))
