"""`conductd refuse REQUEST`: what was asked for is not done."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Number, Options, common


@click.command()
@click.argument("request", type=Number(min=0))
@common
def command(options: Options, request: int) -> None:
    """Do not do what was asked for; asking again for the same is refused for as long as a request waits."""
    with options.client() as client:
        view = client.refuse(request)
    if options.json:
        output.as_json(view)
        return
    output.lines([f"request {view.id} is refused: it will not be done: {output.harmless(view.words)}"])
