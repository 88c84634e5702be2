"""`conductd status`: one screen."""

from __future__ import annotations

import time

import click

from conductd.cli.options import Options, common


@click.command()
@common
def command(options: Options) -> None:
    """One screen: is everything recorded and well?"""
    with options.client() as client:
        view = client.status()
    from conductd.cli import output

    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.status(view, time.time_ns()))
