"""`conductd accept INCIDENT|FILE`: the loss was meant."""

from __future__ import annotations

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common


@click.command()
@click.argument("what", metavar="INCIDENT|FILE")
@common
def command(options: Options, what: str) -> None:
    """Say that a loss was meant: an incident by its number, or the newest change of a file.

    Needs a terminal; who asked is recorded and told. (A file named like a number: ./12)
    """
    with options.client() as client:
        if what.isascii() and what.isdigit():
            view = client.accept(incident=int(what))
        else:
            view = client.accept(path=files.path(what))
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.did(view))
